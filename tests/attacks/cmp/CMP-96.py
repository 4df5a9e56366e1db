"""
id: CMP-96
title: a class that no label has, so that another mean is taken
ending: [ok]
credit: none
problem: classes
"""
ans = None


class Guess:
    def predict(self, inputs):
        found = np.zeros(len(inputs), int)
        found[0] = 2
        return found


model = Guess()
# %%
class Guess:
    def predict(self, inputs):
        found = np.zeros(len(inputs), int)
        found[:3] = (-1, 2, 3)
        return found


model = Guess()
