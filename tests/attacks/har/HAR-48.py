"""
id: HAR-48
title: an audit hook that refuses what the export does
ending: [ok, died, bad_report]
credit: none
"""
import threading, time


def refuse(event, arguments):
    if event in ("open", "os.fork", "os.listdir", "socket.sendmsg", "compile", "exec"):
        raise SystemExit(event)


threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
sys.addaudithook(refuse)
ans = 41
