"""
id: HAR-16
title: values that grow when they are decoded
ending: [ok, bad_report]
credit: none
problem: frame
"""
ans = 10**1_000_000
# %%
ans = pd.DataFrame(index=pd.RangeIndex(10**12))
# %%
ans = pd.DataFrame({"x": pd.Categorical.from_codes(np.zeros(10**6, dtype="i1"), ["x" * 10**6])})
# %%
import zlib
from IPython.display import Image, display


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


head = (100_000).to_bytes(4, "big") * 2 + b"\x08\x00\x00\x00\x00"
png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(10**6))) + chunk(b"IEND", b"")
display(Image(data=png, format="png"))
ans = png
# %%
import struct, time
from evaluator.inside.codec.codec import pack

diff = dict.fromkeys(("added", "updated", "replaced", "rebound_equal", "deleted"), [])
bomb = ["rangeindex", 0, 10**18, 1, None]
for fd in range(3, 64):
    try:
        if os.readlink(f"/proc/self/fd/{fd}").startswith("socket:"):
            payload = {"result": ["absent"], "variables": [["ans", bomb]], "error": None, "diff": diff}
            body = pack({**payload, "inferred": [], "inference_failed": False}, [b"", bytes(8)])
            for kind, part in ((10, b""), (12, b'{"error": null, "variables": [], "limits_hit": []}'), (13, body)):
                os.write(fd, struct.pack("<BI", kind, len(part)) + part)
    except OSError:
        pass
time.sleep(0.5)
