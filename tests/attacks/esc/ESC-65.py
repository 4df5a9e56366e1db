"""
id: ESC-65
title: files that cannot be removed
ending: [ok]
credit: honest
"""
os.makedirs("closed/deep/er")
open("closed/deep/file", "w").close()
for name in ("closed/deep/er", "closed/deep", "closed", "."):
    os.chmod(name, 0)
# %%
os.makedirs(os.path.expanduser("~/closed/deep"))
os.chmod(os.path.expanduser("~/closed"), 0)
os.rmdir(os.path.expanduser("~/none")) if os.path.exists(os.path.expanduser("~/none")) else None
