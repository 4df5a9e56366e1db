"""
id: ESC-13
title: a thread that acts when the cell has ended
ending: [ok]
credit: honest
"""
import threading, time

threading.Thread(target=lambda: (time.sleep(3), prev.drop(index=0, inplace=True)), daemon=True).start()
