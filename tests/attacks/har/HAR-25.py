"""
id: HAR-25
title: a report that is put off, cut or told twice
ending: [timed_out, bad_report, died, ok]
credit: none
limit_s: 1
"""
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
whole = claimed(42)
for fd in sockets:
    os.write(fd, struct.pack("<BI", 13, len(whole)))
for byte in whole:
    time.sleep(0.5)
    os.write(sockets[0], bytes([byte]))
# %%
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
tell(13, claimed(41))
tell(13, claimed(42))
time.sleep(50)
# %%
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
tell(27, claimed(41))
tell(28, claimed(42))
tell(28, claimed(42))
time.sleep(50)
# %%
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
tell(28, encode_later(inferred=claimed(42)))
tell(13, claimed(42))
time.sleep(50)
# %%
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
tell(12, view)
tell(13, claimed(42))
time.sleep(50)
# %%
import gc, json, struct, time
from evaluator.inside.export.payload import Exported, encode_payload, encode_later
from evaluator.inside.codec.decode.decoded import NamespaceDiff

sockets = []
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            sockets.append(fd)
    except OSError:
        pass


def tell(kind, body=b""):
    for fd in sockets:
        try:
            os.write(fd, struct.pack("<BI", kind, len(body)) + body)
        except OSError:
            pass


view = json.dumps({"error": None, "variables": [], "limits_hit": [], "marks": [], "states": {}}).encode()


def claimed(ans):
    return encode_payload(Exported(None, None, NamespaceDiff(added=("ans",))), {"ans": ans}, lambda: None)
tell(10)
tell(12, view)
tell(13, claimed(42)[:-7])
time.sleep(50)
