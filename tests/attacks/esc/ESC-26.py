"""
id: ESC-26
title: modules that hide ours
ending: [ok]
credit: honest
"""
for name in ("pandas", "json", "evaluator", "hashlib", "gc", "fcntl"):
    with open(f"{name}.py", "w") as file:
        file.write("raise SystemExit\n")
