"""
id: LEAK-08
title: files that the reference writes
ending: [error]
credit: none
problem: filed
"""
ans = int(pd.read_csv("expected.csv").iloc[0, 0])
# %%
import glob

ans = int(pd.read_csv(glob.glob("/**/expected.csv")[0]).iloc[0, 0])
