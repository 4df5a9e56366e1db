"""
id: LEAK-06
title: the benchmark as a package
ending: [error]
credit: none
problem: hidden
"""
import evaluator.families
# %%
import authoring
# %%
import evaluator.language
