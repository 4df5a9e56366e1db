"""
id: LEAK-13
title: fetching the solution from the network
ending: [error]
credit: none
problem: hidden
"""
import urllib.request

ans = urllib.request.urlopen("https://example.org/solution", timeout=2).read().decode()
# %%
import subprocess

subprocess.run([sys.executable, "-m", "pip", "install", "--retries=0", "--timeout=1", "attrs==0.1"], check=True)
