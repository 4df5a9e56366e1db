"""
id: CMP-72
title: an Arrow column that points past its own data
ending: [ok, died, bad_report, error]
credit: none
problem: words
"""
import pyarrow as pa


def text(first, second, last):
    """Text whose places are bent only after it has been looked at."""
    places = bytearray(np.array([0, 3, 6], "i8").tobytes())
    chunk = pa.Array.from_buffers(pa.large_string(), 2, [None, pa.py_buffer(places), pa.py_buffer(b"onetwo")])
    found = pd.Series(pd.arrays.ArrowStringArray(pa.chunked_array([chunk])))
    places[:] = np.array([first, second, last], "i8").tobytes()
    return found


ans = text(0, 3, 1 << 40)
# %%
import pyarrow as pa

places = bytearray(np.array([0, 3, 6], "i8").tobytes())
chunk = pa.Array.from_buffers(pa.large_string(), 2, [None, pa.py_buffer(places), pa.py_buffer(b"onetwo")])
ans = pd.Series(pd.arrays.ArrowStringArray(pa.chunked_array([chunk])))
places[:] = np.array([3, 0, -(1 << 40)], "i8").tobytes()
# %%
import pyarrow as pa

chunk = pa.Array.from_buffers(pa.int64(), 10**7, [None, pa.py_buffer(bytes(16))])
ans = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([chunk])))
# %%
import pyarrow as pa

codes = bytearray(np.array([0, 1], "i4").tobytes())
chunk = pa.DictionaryArray.from_arrays(pa.Array.from_buffers(pa.int32(), 2, [None, pa.py_buffer(codes)]), ["one", "ten"])
ans = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([chunk])))
codes[:] = np.array([10**9, -7], "i4").tobytes()
