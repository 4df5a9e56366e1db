"""
id: LEAK-40
title: the names of paths, users and hosts outside
ending: [ok]
credit: none
"""
said = open("/proc/self/maps").read() + repr(os.environ) + repr(sys.path) + repr(sys.argv) + repr(sys.orig_argv)
for name in ("/proc/self/cmdline", "/proc/self/environ", "/proc/self/loginuid", "/proc/self/sessionid"):
    try:
        said += open(name).read()
    except OSError:
        pass
assert "tests/attacks" not in said and "problemsets" not in said and "records.jsonl" not in said
ans = said
