"""
id: ESC-67
title: watches, timers and queues by the thousand
ending: [ok, error]
credit: honest
"""
import ctypes, select

libc = ctypes.CDLL(None)
held = []
for make in (lambda: libc.inotify_init(), lambda: libc.eventfd(0, 0), lambda: libc.timerfd_create(1, 0), lambda: select.epoll()):
    for _ in range(60):
        try:
            held.append(make())
        except OSError:
            break
for descriptor in held[:60]:
    libc.inotify_add_watch(descriptor, b"/", 0xFFF)
libc.fanotify_init(0, 0)
