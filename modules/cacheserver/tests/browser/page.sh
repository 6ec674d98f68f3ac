#!/usr/bin/env bash
# page.sh KUBECPP [FOLDER]: the page of `kubecpp serve` in headless Chromium: tables of 32 and of 10,000 objects, filters and
# their URL, live changes, YAML, events, the keyboard, light and dark, no value of a secret, no script but
# its own, a token where the server wants one.
# Screenshots go to FOLDER. Exits with 77 (skipped) without Chromium, or Node.js 20.10 or newer.
set -euo pipefail
program=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
command -v chromium >/dev/null || { echo "chromium is not installed: skipped"; exit 77; }
node --experimental-websocket -e '' 2>/dev/null || { echo "Node.js 20.10 is not installed: skipped"; exit 77; }
work=$(mktemp -d)
shots=${2:-$work}
mkdir -p "$shots"
children=()
finish() {
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT

cat >"$work/objects.yaml" <<END
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web, labels: {app: web}},
 spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: web, labels: {app: db}},
 spec: {containers: [{name: c, image: i}]}}
---
{apiVersion: v1, kind: Event, metadata: {name: a.1, namespace: web}, type: Normal, reason: Scheduled,
 message: Successfully assigned web/a to n1, involvedObject: {kind: Pod, namespace: web, name: a},
 firstTimestamp: "$(date -u -d '-40 seconds' +%FT%TZ)", lastTimestamp: "$(date -u -d '-40 seconds' +%FT%TZ)"}
---
{apiVersion: v1, kind: Event, metadata: {name: a.2, namespace: web}, type: Normal, reason: Pulled,
 message: "Successfully pulled image \"i\" in 1.337s (1.337s including waiting). Image size: 53000000 bytes.",
 involvedObject: {kind: Pod, namespace: web, name: a},
 firstTimestamp: "$(date -u -d '-35 seconds' +%FT%TZ)", lastTimestamp: "$(date -u -d '-35 seconds' +%FT%TZ)"}
---
{apiVersion: v1, kind: Event, metadata: {name: shop-1.1, namespace: shop}, type: Normal, reason: Killing,
 message: Of another pod, involvedObject: {kind: Pod, namespace: shop, name: shop-1}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, rules: [],
 metadata: {name: "<img src=x onerror=alert(1)>", annotations: {note: "</pre><script>alert(2)</script>"}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: web, annotations: {note: hunter2}},
 stringData: {password: hunter2}}
END
for number in $(seq 30); do
  printf -- '---\n{apiVersion: v1, kind: Pod, metadata: {name: shop-%s, namespace: shop, labels: {app: shop}},
 spec: {nodeName: node-%s, containers: [{name: c, image: i}]}, status: {phase: Running, podIP: 10.0.0.%s}}\n' \
    "$number" "$((number % 3))" "$number"
done >>"$work/objects.yaml"
for number in $(seq 10000); do
  printf -- '---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c-%s, namespace: web}}\n' "$number"
done >>"$work/objects.yaml"
# started FILE WORD: waits for the line "WORD ... URL" that a program writes to a file, and prints the URL.
started() {
  for _ in $(seq 1200); do
    sed -n "s/^$2.* //p" "$1" | grep . && return
    sleep 0.1
  done
  cat "$1" >&2
  return 1
}
"$program" apiserver --load "$work/objects.yaml" >"$work/cluster" 2>&1 &
children+=($!)
cluster=$(started "$work/cluster" listening)
"$program" serve pods secrets clusterroles configmaps events --server "$cluster" >"$work/cache" 2>&1 &
children+=($!)
cache=$(started "$work/cache" serving)
echo 'right,reader,1' >"$work/tokens"
"$program" serve pods --server "$cluster" --token-auth-file "$work/tokens" >"$work/locked" 2>&1 &
children+=($!)
locked=$(started "$work/locked" serving)
# Its processes write to the profile after the first of them has ended: finish() waits until none has this open.
mkfifo "$work/output"
cat "$work/output" >"$work/chromium" &
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --user-data-dir="$work/profile" --remote-debugging-port=0 about:blank \
  >"$work/output" 2>&1 &
children+=($!)
for _ in $(seq 1200); do
  [[ -s $work/profile/DevToolsActivePort ]] && break
  sleep 0.1
done
port=$(head -1 "$work/profile/DevToolsActivePort")
timeout 600 node --experimental-websocket "$here/page.mjs" "http://127.0.0.1:$port" "$cache" "$cluster" "$shots" "$locked"
