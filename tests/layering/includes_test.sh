#!/usr/bin/env bash
# includes_test.sh: includes.sh finds each kind of wrong include, and none in a right tree.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/modules/{base,meta}/{include/kube,src,tests,benchmarks} "$tree"/{apps/shop,tools/gen,examples/one}/src
  printf 'add_subdirectory(modules/%s)\n' base schema meta >"$tree/CMakeLists.txt"
  echo '#include <kube/base/error.hpp>' >"$tree/modules/meta/src/a.cpp"
  touch "$tree/apps/shop/src/till.hpp" "$tree/examples/one/src/one.hpp"
  echo '#include "one.hpp"' >"$tree/apps/shop/src/main.cpp"
  touch "$tree/modules/base/tests/server.hpp"
  echo '#include "server.hpp"' >"$tree/examples/one/src/one_test.cpp"
}

fresh
"$here/includes.sh" "$tree" || { echo "a right tree is refused"; exit 1; }
while IFS='|' read -r file line why; do
  fresh
  echo "$line" >"$tree/$file"
  if found=$("$here/includes.sh" "$tree") || ! grep -qF -- "$why" <<<"$found"; then
    printf 'not found: %s in %s\n%s\n' "$line" "$file" "$found"
    exit 1
  fi
done <<'END'
modules/base/include/kube/up.hpp|#include <kube/meta/object.hpp>|module base is below meta
modules/meta/src/b.cpp|#include <kube/base/detail/log.hpp>|private to module base
apps/shop/src/b.cpp|#include <kube/meta/detail/wire.hpp>|private to module meta
tools/gen/src/b.cpp|#include <kube/meta/object.hpp>|tools know base, json and schema only
modules/meta/src/b.cpp|#include "../../base/src/a.hpp"|a path that climbs
modules/meta/src/b.cpp|#include "till.hpp"|a header of apps/shop
examples/one/src/b.cpp|#include "till.hpp"|a header of apps/shop
examples/one/src/b.cpp|#include "server.hpp"|a header of modules/base/tests
tools/gen/src/b.cpp|#include "one.hpp"|a header of examples/one
END
