"""
id: LEAK-15
title: thresholds and metrics
ending: [ok]
credit: none
problem: model
"""
import gc

found = [d for d in gc.get_objects() if type(d) is dict and "metric" "_type" in d and type(d["metric" "_type"]) is str]
assert found == [], found
assert not [name for name in os.listdir(".") if name.endswith((".png", ".json"))]
model = LinearRegression().fit(X, 0 * X["a"])
