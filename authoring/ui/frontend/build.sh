#!/bin/sh
# Bundles the editor into static/cm6.js and writes the licence texts beside it. Needs Node 20 and npm; the app does not.
set -eu
cd "$(dirname "$0")"
out=../../../static
npm ci --ignore-scripts --no-audit --no-fund
source=$(cat index.js mirror.js package-lock.json build.sh | sha256sum | cut -d ' ' -f 1)
node_modules/.bin/esbuild index.js --bundle --minify --format=esm --target=es2022 --charset=utf8 --legal-comments=none \
  --log-level=warning --banner:js="// Built by authoring/ui/frontend/build.sh from $source" --outfile="$out/cm6.js"
: > "$out/cm6.LICENSES.txt"
for folder in $(npm ls --omit=dev --all --parseable | tail -n +2 | LC_ALL=C sort -u); do
  name=${folder##*/node_modules/}
  printf '%s %s\n\n%s\n\n' "$name" "$(node -p "require('$folder/package.json').version")" "$(cat "$folder/LICENSE")" \
    >> "$out/cm6.LICENSES.txt"
done
