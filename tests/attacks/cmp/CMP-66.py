"""
id: CMP-66
title: caches of a table and an index that say something else
ending: [ok]
credit: form
problem: frame
"""
ans = pd.DataFrame({"x": [1.0, 3.0]})
object.__setattr__(ans, "_item_cache", {"x": pd.Series([1.0, 2.0], name="x")})
ans.__dict__.update(values=np.array([[1.0], [2.0]]), dtypes=float, shape=(2, 1))
# %%
ans = pd.DataFrame({"x": [1.0, 2.0]}, index=pd.Index([5, 6]))
ans.index._cache.update(values=np.array([0, 1]), _engine=None, is_unique=True, array=pd.array([0, 1]))
# %%
ans = pd.DataFrame({"y": [1.0, 2.0]})
ans.columns._cache["values"] = ans.columns._cache["array"] = np.array(["x"], dtype=object)
