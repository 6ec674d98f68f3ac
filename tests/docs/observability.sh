#!/usr/bin/env bash
# observability.sh ROOT: fails unless docs/observability.md names the metrics, the components and the
# keys of log lines that the code writes: each of them, and no others.
#
# shellcheck disable=SC2016  # backticks are those of the document
set -euo pipefail
cd "$1"

document=docs/observability.md
status=0

# compare WHAT WRITTEN DOCUMENTED: both are names, one a line.
compare() {
  local difference
  difference=$(diff <(sort -u <<<"$2") <(sort -u <<<"$3") |
    sed -n 's/^< \(.*\)/  \1: not in the document/p; s/^> \(.*\)/  \1: not in the code/p') || true
  [[ -n $2 && -n $3 ]] || difference="  none found"
  [[ -z $difference ]] && return
  printf '%s of %s and of the code differ:\n%s\n' "$1" "$document" "$difference"
  status=1
}

# section TITLE: its lines.
section() {
  awk -v title="## $1" '/^## / { inside = $0 == title } inside' "$document"
}

# Names in backticks of the first column of a section's table.
first_column() {
  section "$1" | sed -n 's/^| \(`[^|]*\) |.*/\1/p' | grep -o '`[^`]*`' | tr -d '`'
}

mapfile -t sources < <(find modules/*/src modules/*/include apps/*/src tools/* -name '*.cpp' -o -name '*.hpp' | grep -v '/base/log.hpp$')
# Each call on a line of its own; text in quotes holds no semicolon.
log_calls=$(cat "${sources[@]}" | tr '\n' ' ' | grep -oE 'KUBE_LOG\([^;]*;')

# A metric begins with what it is of.
compare "metrics" \
  "$(cat "${sources[@]}" | grep -oE '"(kube_cacheserver|rest_client|informer|reflector|workqueue|controller|certificate_manager|apiserver|executor|transport)(_[a-z]+)+"' | tr -d '"')" \
  "$(first_column Metrics)"
compare "keys of log lines" \
  "$(grep -oE '\{ ?"[a-z_]+",' <<<"$log_calls" | grep -oE '[a-z_]+')" \
  "$(first_column 'Log lines')"
compare "components" \
  "$({
    grep -oE 'LogLevel::[A-Za-z]+, +"[a-z]+"' <<<"$log_calls"
    grep -hoE 'k[A-Z][A-Za-z]*Component = "[a-z]+"' "${sources[@]}"
  } | grep -oE '"[a-z]+"' | tr -d '"')" \
  "$(section 'Log lines' | sed '/^| key/,$d' | grep -oE '`[a-z]+`' | tr -d '`')"
exit "$status"
