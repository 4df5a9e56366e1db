"""
id: ESC-02
title: leaving by an exception that ends programs
ending: [error, ok]
credit: none
"""
sys.exit(0)
# %%
quit()
# %%
raise KeyboardInterrupt
# %%
raise SystemExit("0 errors, 42 passed")
