#!/bin/sh
# Makes .venv from constraints.txt (versions and hashes) and installs this checkout into it, editable.
# Runs at once when nothing has changed. PYTHON=... chooses the interpreter.
set -eu
cd "$(dirname "$0")/.."
stamp=.venv/benchwright.stamp
wanted=$(cat constraints.txt pyproject.toml scripts/setup.sh | cksum)

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted$PWD" ] && .venv/bin/python -c '' 2>/dev/null; then
    exit 0
fi

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

python=""
for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if command -v "$candidate" >/dev/null 2>&1 && is_new_enough "$candidate"; then
        python=$(command -v "$candidate")
        break
    fi
done
if [ -z "$python" ]; then
    echo "setup: no Python 3.11 or newer was found; install one, or name it: make setup PYTHON=/path/to/python3" >&2
    exit 3
fi

# An environment that works here already is brought up to date; one that was copied or broken is made anew.
home=.venv/benchwright.home
keep=""
if [ "$(cat "$home" 2>/dev/null)" = "$PWD" ] && is_new_enough .venv/bin/python; then
    keep=yes
fi

echo "setup: installing into .venv with $("$python" --version 2>&1) (a few minutes the first time)"
rm -f "$stamp"
if command -v uv >/dev/null 2>&1; then
    [ -n "$keep" ] || uv venv --quiet --clear --python "$python" .venv
    # Sandboxes cannot keep the bytecode that they compile, so it is made here; pip does so anyway.
    uv pip install --quiet --compile-bytecode --python .venv/bin/python --require-hashes -r constraints.txt
    uv pip install --quiet --python .venv/bin/python --no-deps --no-build-isolation -e .
else
    if [ -z "$keep" ] && ! "$python" -m venv --clear .venv; then
        echo "setup: $python cannot make virtual environments; on Debian and Ubuntu: apt-get install python3-venv" >&2
        exit 3
    fi
    .venv/bin/python -m pip --version >/dev/null 2>&1 || "$python" -m venv .venv
    .venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r constraints.txt
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
fi
# Sessions start anew for each run, and sandboxes cannot keep what they compile.
.venv/bin/python -m compileall -q app.py authoring evaluator
printf '%s' "$PWD" >"$home"
printf '%s' "$wanted$PWD" >"$stamp"
