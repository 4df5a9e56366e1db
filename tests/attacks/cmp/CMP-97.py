"""
id: CMP-97
title: other instants in units that are no part of each other
ending: [ok]
credit: none
problem: instants
"""
ans = np.array(['2020-01-01'], 'M8[ns]').view('i8').view('M8[1500ps]')
# %%
ans = np.array(['2020-01-01'], 'M8[ns]').view('i8').view('M8[1999ps]')
# %%
ans = np.array(['2020-01-01'], 'M8[ns]').view('i8').view('M8[3ns]')
