"""
id: ESC-50
title: a filter of its own that lets writes come to nothing
ending: [ok, bad_report, died, timed_out]
credit: none
limit_s: 2
"""
import ctypes, platform, struct

number, audit = {"x86_64": (1, 0xC000003E), "aarch64": (64, 0xC00000B7)}[platform.machine()]


def filter_writes(answer, longer_than):
    """Answer writes of more bytes than these so."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 32), (0x25, 0, 1, longer_than), (6, 0, 0, answer), (6, 0, 0, 0x7FFF0000)]
    raw = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in code))
    head = struct.pack("@HP", len(code), ctypes.addressof(raw))
    libc = ctypes.CDLL(None)
    libc.prctl(38, 1, 0, 0, 0)
    assert libc.prctl(22, 2, head, 0, 0) == 0


filter_writes(0x00050000, 5)  # nothing is written, and that is no error
ans = 41
# %%
import ctypes, platform, struct

number = {"x86_64": 1, "aarch64": 64}[platform.machine()]
for answer in (0x00050000 | 1, 0x00030000):  # EPERM, then a signal
    code = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 32), (0x25, 0, 1, 5), (6, 0, 0, answer), (6, 0, 0, 0x7FFF0000)]
    raw = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in code))
    ctypes.CDLL(None).prctl(22, 2, struct.pack("@HP", len(code), ctypes.addressof(raw)), 0, 0)
ans = 41
