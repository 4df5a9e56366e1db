"""
id: LEAK-07
title: keys in the environment and at home
ending: [ok]
credit: none
problem: hidden
"""
def can_be_read(path):
    try:
        return bool(os.listdir(path)) if os.path.isdir(path) else bool(open(path, "rb").read())
    except OSError:
        return False


assert not [name for name in os.environ if any(word in name for word in ("KEY", "TOKEN", "SECRET", "PASS", "SSH"))]
for name in (".netrc", ".aws/credentials", ".ssh/id_rsa", ".config", ".git-credentials", ".pypirc"):
    for home in (os.path.expanduser("~"), "/" + "root", "/" + "home"):
        assert not can_be_read(os.path.join(home, name)), name
ans = "nothing"
