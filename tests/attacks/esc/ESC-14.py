"""
id: ESC-14
title: a thread that changes names during the export
ending: [ok]
credit: honest
"""
import threading


def churn():
    number = 0
    while True:
        number += 1
        globals()[f"name_{number % 300}"] = [number]
        globals().pop(f"name_{number * 7 % 300}", None)


threading.Thread(target=churn, daemon=True).start()
