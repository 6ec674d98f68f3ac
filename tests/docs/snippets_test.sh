#!/usr/bin/env bash
# snippets_test.sh: an update of snippets.sh writes what differs, once, and ends for regions that it can't write.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
  echo "snippets_test: $*" >&2
  exit 1
}

# header LINE...: a tree with one header whose comment shows the lines, and another below them.
header() {
  mkdir -p "$tree/docs" "$tree/tests/docs" "$tree/modules/base/include/kube/base"
  {
    printf '// What it offers:\n//\n'
    printf '%s\n' "$@"
    printf '//\n// And:\n//\n//     rest();\n#pragma once\n'
  } >"$tree/modules/base/include/kube/base/a.hpp"
  : >"$tree/tests/docs/header_examples.cpp"
  printf '// [kube/base/a.hpp:2]\nrest();\n// [kube/base/a.hpp:2]\n' >"$tree/tests/docs/header_examples_test.cpp"
}

# region LINE...: what the header should show.
region() {
  {
    printf '// [kube/base/a.hpp]\n'
    printf '%s\n' "$@"
    printf '// [kube/base/a.hpp]\n'
  } >>"$tree/tests/docs/header_examples.cpp"
}

header '//     old();'
region 'int a = 1;' '  b(a);'
timeout 120 bash -c "cd '$tree' && '$here/snippets.sh' --update ." >/dev/null || fail "an update fails"
grep -qx '//     int a = 1;' "$tree/modules/base/include/kube/base/a.hpp" || fail "an update writes other code"
grep -qx '//       b(a);' "$tree/modules/base/include/kube/base/a.hpp" || fail "an update loses the indentation"
(cd "$tree" && "$here/snippets.sh" .) >/dev/null || fail "what an update has written differs"

header '//     old();'
region 'int a = 1;' '' 'b(a);'
status=0
said=$(timeout 120 bash -c "cd '$tree' && '$here/snippets.sh' --update ." 2>&1) || status=$?
[[ $status -eq 1 ]] || fail "an empty line in a region ends an update with $status"
[[ $said == *"has an empty line"* ]] || fail "an empty line in a region is not named: $said"
grep -qx '//     old();' "$tree/modules/base/include/kube/base/a.hpp" || fail "half of a region is written"
