#!/usr/bin/env bash
# Compares the files that a generator writes with golden ones: each has to equal the file of its name
# and ".golden" in the folder GOLDEN, which may have no others. An argument that begins with OUT is
# below the folder that it writes to. After a change that is meant: KUBE_GEN_UPDATE_GOLDEN=1.
#
#   tools/golden.sh GOLDEN PROGRAM ARGUMENT...
set -euo pipefail

golden=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"${@/#OUT/$out}"
find "$out" -type f -exec mv {} {}.golden \;
if [[ -n ${KUBE_GEN_UPDATE_GOLDEN:-} ]]; then
  rm -rf "$golden"
  mkdir -p "$golden"
  cp -r "$out/." "$golden"
fi
diff -ru "$golden" "$out"
