#!/usr/bin/env bash
# Runs the commands of a transcript and compares what they print with what the transcript says.
#
#   golden.sh [--update] KUBECPP TRANSCRIPT...    --update writes what the commands print
#
# A transcript is a text file:
#   "# server ARGUMENT..."  starts an embedded API server, which the commands after it talk to
#   "# ..."                 any other comment
#   "$ COMMAND"             a command of the shell, in the folder files/, with `kubecpp` as the program, and
#                           until_prints TEXT COMMAND..., which ends the command when it has printed TEXT
#   other lines             what it prints, standard error included, then "[exit N]" unless N is 0
#
# What differs from run to run is replaced: <port>, <uid>, <time>, <version>, <age>, <suffix>.
set -euo pipefail

update=0
if [[ ${1:-} == --update ]]; then
  update=1
  shift
fi
program=$(realpath "$1")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
server=
port=none
stop_server() {
  [[ -n $server ]] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}
trap 'stop_server; rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/kubecpp"
export PATH=$work/bin:$PATH HOME=$work KUBECONFIG=$work/kubeconfig TZ=UTC LC_ALL=C
unset KUBECACHEDIR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY all_proxy

# Each transcript, and each server, begins without what the one before it has left.
forget_server() {
  stop_server
  rm -rf "$KUBECONFIG" "$work/.kube"
  port=none
}

start_server() {
  forget_server
  : >"$work/server"
  kubecpp apiserver --kubeconfig-out "$KUBECONFIG" "$@" >"$work/server" 2>&1 &
  server=$!
  for _ in $(seq 2400); do
    port=$(sed -n 's|^listening on .*:\([0-9]*\)$|\1|p' "$work/server")
    [[ -z $port ]] || return 0
    kill -0 "$server" 2>/dev/null || break
    sleep 0.05
  done
  cat "$work/server" >&2
  echo "golden: the server did not start" >&2
  exit 1
}

normalised() {
  sed -E -e "s/after [0-9]+ ms: /after 0 ms: /g" -e "s/127\.0\.0\.1:$port/127.0.0.1:<port>/g" \
    -e 's/\b5[0-9]{12}\b/<version>/g' \
    -e 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/<uid>/g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z/<time>/g' \
    -e 's/("?resourceVersion"?: ?)"[0-9]+"/\1"<version>"/g' \
    -e 's/(^| )[0-9]+s( |$)/\1<age>\2/g' -e 's/<age> +/<age> /g' \
    -e "s|$work|<folder>|g"
}

# shellcheck disable=SC2317  # transcripts call it
until_prints() {
  local text=$1 line
  shift
  while IFS= read -r line; do
    echo "$line"
    [[ $line != *"$text"* ]] || kill "$!"
  done < <(exec "$@" 2>&1)
}
export -f until_prints

# run_transcript FILE: its lines, with what the commands print now.
run_transcript() {
  local line output status
  while IFS= read -r line || [[ -n $line ]]; do
    case $line in
      '# server'*)
        echo "$line"
        # shellcheck disable=SC2086  # words of the transcript
        start_server ${line#'# server'}
        ;;
      '#'*) echo "$line" ;;
      '$ '*)
        echo "$line"
        status=0
        output=$(timeout 120 bash -c "${line#'$ '}" 2>&1 </dev/null | normalised; exit "${PIPESTATUS[0]}") || status=$?
        [[ -z $output ]] || printf '%s\n' "$output"
        [[ $status -eq 0 ]] || echo "[exit $status]"
        ;;
    esac
  done <"$1"
}

failed=0
mapfile -t transcripts < <(realpath "$@")
cd "$here/files"
for transcript in "${transcripts[@]}"; do
  forget_server
  run_transcript "$transcript" >"$work/now"
  if [[ $update -eq 1 ]]; then
    cp "$work/now" "$transcript"
  elif ! diff -u --label "$transcript" --label "what the commands print" "$transcript" "$work/now"; then
    failed=1
  fi
done
[[ $failed -eq 0 ]] || echo "golden: if the change is meant, run tests/golden/golden.sh --update KUBECPP TRANSCRIPT"
exit "$failed"
