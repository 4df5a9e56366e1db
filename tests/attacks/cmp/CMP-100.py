"""
id: CMP-100
title: names of several words that could be meant
ending: [ok]
credit: none
problem: city
"""
print('New York, Los Angeles, San Diego, Las Vegas, Salt Lake City')
# %%
'San Diego | New York | Las Vegas | Salt Lake City'
