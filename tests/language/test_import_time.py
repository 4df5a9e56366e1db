import subprocess
import sys


def test_importing_the_language_imports_nothing_heavy() -> None:
    heavy = {"pandas", "numpy", "IPython", "yaml", "pydantic"}
    code = f"import sys, evaluator.language; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
