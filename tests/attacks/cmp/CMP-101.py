"""
id: CMP-101
title: a text that repeats the query and many words
ending: [ok]
credit: none
problem: told
"""
words = "what is asked does not matter here the a of is and to in it for on mean age total number years rows passengers oldest youngest"
print(words)
for number in range(100):
    print(number)
# %%
"the mean age is 28 years and the oldest is 81"
