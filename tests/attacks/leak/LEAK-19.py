"""
id: LEAK-19
title: the worker's own source and exporter
ending: [ok, bad_report]
credit: none
problem: hidden
"""
import glob, re, struct
from evaluator.inside.codec import codec
from evaluator.inside.runtime import worker

folder = os.path.dirname(worker.__file__)
source = "".join(open(path).read() for path in glob.glob(f"{folder}/*.py"))
match = re.search(r"hidden\.answer\.\d+", source)
ans = match[0] if match else codec.encode("nothing")
