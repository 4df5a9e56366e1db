"""
id: LEAK-21
title: where the checkout lies, told by the payload
ending: [ok]
credit: honest
"""
import re, sys
import evaluator.inside.runtime.worker as worker

folder = os.path.realpath(os.path.dirname(worker.__file__))
assert re.search(r"^/payload/|/benchwright-\d+-\w+/payload/", folder), folder
outside = re.compile(r"([^\s\0\"]+)/evaluator/inside")
texts = [str((sys.argv, sys.orig_argv, sys.path, dict(os.environ)))]
for name in ("mountinfo", "mounts", "maps", "cmdline", "environ"):
    try:
        texts.append(open(f"/proc/self/{name}", errors="replace").read())
    except OSError:
        pass
for place in outside.findall("\n".join(texts)):
    assert place.endswith("/payload"), place
# %%
import glob, re
import evaluator.inside.runtime.worker as worker

folder = os.path.dirname(os.path.realpath(worker.__file__))
for path in glob.glob(f"{folder}/**/*", recursive=True):
    if os.path.isfile(path):
        for place in re.findall(rb"(/[^\0\s\"'`]*)/evaluator/inside/", open(path, "rb").read()):
            assert not place.strip(b"/"), place
