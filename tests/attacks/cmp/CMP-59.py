"""
id: CMP-59
title: predictions sent twice, from a child, or in part
ending: [ok, bad_report]
credit: none
problem: model
"""
class M:
    def predict(self, X):
        os.fork()
        return np.zeros(len(X))


model = M()
# %%
class M:
    def predict(self, X):
        if os.fork() == 0:
            return np.zeros(len(X))
        os._exit(0)


model = M()
# %%
class M:
    def predict(self, X):
        for fd in range(3, 64):
            try:
                os.write(fd, b"\x40\0\0\0\0\0\0\0BWC1")
            except OSError:
                pass
        return np.zeros(len(X))


model = M()
# %%
class M:
    def predict(self, X):
        os.closerange(3, 64)
        return np.zeros(len(X))


model = M()
