"""
id: HAR-56
title: descriptors sent along with frames
ending: [bad_report, ok, died]
credit: none
"""
import array, socket, struct

files = array.array("i", [os.open("/dev/null", os.O_RDONLY) for _ in range(100)])
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            caller = socket.socket(fileno=os.dup(fd))
            for _ in range(20):
                caller.sendmsg([struct.pack("<BI", 10, 0)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
    except OSError:
        pass
ans = 41
