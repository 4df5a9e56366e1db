#!/bin/sh
# Says in one line each which optional system part is missing and how to get it. `--require` makes that an error.
status=0
missing() {
    echo "$1 is missing: $2. To get it: $3" >&2
    status=1
}
if [ "$(uname -s)" = Linux ] && ! command -v bwrap >/dev/null 2>&1; then
    missing "The sandbox bubblewrap" "code of problems and agents runs under a weaker one (Landlock), or only after your consent" "apt-get install bubblewrap"
fi
if [ "${BROWSER_TESTS:-}" = 1 ]; then
    if ! command -v "${CHROMIUM:-chromium}" >/dev/null 2>&1 && ! command -v chromium-headless-shell >/dev/null 2>&1 \
        && ! command -v chromium-browser >/dev/null 2>&1 && ! command -v google-chrome >/dev/null 2>&1; then
        missing "The browser Chromium" "the browser tests are skipped" "apt-get install chromium"
    fi
    if [ "$(uname -s)" = Linux ] && ! .venv/bin/python -c "
from evaluator.inside.isolation.landlock import LEAST_ABI, find_abi
raise SystemExit(find_abi() < LEAST_ABI)"; then
        status=1
        echo "Landlock is missing: the tests of that sandbox are skipped. To get it: Linux 6.12 or newer" >&2
    fi
fi
[ "${1:-}" = --require ] && exit $status
exit 0
