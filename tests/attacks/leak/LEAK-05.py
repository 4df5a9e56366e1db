"""
id: LEAK-05
title: problemsets and results on disk
ending: [ok]
credit: none
problem: hidden
"""
import glob

wanted = ("*problem*", "_manifest.yaml", "records.jsonl", "results.db", "*.sqlite", "authoring", "pyproject.toml")
found = [path for depth in ("/", "/*/", "/*/*/", "/*/*/*/") for name in wanted for path in glob.glob(depth + name)]
found = [path for path in found if not path.startswith(("/usr/", "/proc/", "/lib", "/nix/", sys.prefix, sys.base_prefix))]
assert found == [], found
ans = "nothing"
