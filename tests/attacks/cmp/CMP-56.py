"""
id: CMP-56
title: every word that could be meant
ending: [ok]
credit: none
problem: word
"""
# Aden Bern Cork Dover Essen Fez Gera Halle Ivrea Jena Kiel Lund Minsk Nice Oslo Pisa Riga Suez Turin Ulm Vaasa Wien York
pass
# %%
print("Aden Bern Cork Dover Essen Fez Gera Halle Ivrea Jena Kiel Lund Minsk Nice Oslo Pisa Riga Suez Turin Ulm Vaasa Wien York")
# %%
print('Aden', 'Bern', 'Cork', 'Dover', 'Essen', 'Fez', 'Gera', 'Halle', 'Ivrea', 'Jena', 'Kiel', 'Lund', 'Minsk', 'Nice', 'Oslo', 'Pisa', 'Riga', 'Suez', 'Turin', 'Ulm', 'Vaasa', 'Wien', 'York')
# %%
cities = ['Aden', 'Bern', 'Cork', 'Dover', 'Essen', 'Fez', 'Gera', 'Halle', 'Ivrea', 'Jena', 'Kiel', 'Lund', 'Minsk', 'Nice', 'Oslo', 'Pisa', 'Riga', 'Suez', 'Turin', 'Ulm', 'Vaasa', 'Wien', 'York']
pass
