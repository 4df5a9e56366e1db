"""
id: ESC-64
title: folders in folders without a bottom
ending: [ok]
credit: honest
limit_s: 20
"""
folder = os.getcwd()
for _ in range(1500):
    os.mkdir("d")
    os.chdir("d")
open("f", "w").close()
os.chdir(folder)
# %%
folder = os.getcwd()
os.chdir(os.environ["HOME"])
for _ in range(1100):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
os.chdir(folder)
