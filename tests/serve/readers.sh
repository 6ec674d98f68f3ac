#!/usr/bin/env bash
# readers.sh [CHANGES]: `kubecpp serve` on a real kube-apiserver, read by 15 client-go informers and 5 `kubectl get --watch`
# while pods change. All of them end with what the API server lists, byte for byte; the API server's metrics have one watch of pods
# more, and its audit log shows that all that was read of pods is one watch at a time, of `kubecpp serve`, which begins with
# a stream of them. kubectl prints the same from both servers: get, in each form and as it watches, describe, explain, api-resources.
# `./dev readers` builds kubecpp first. Starts a cluster of its own, with an audit log, and stops it: none may run.
# shellcheck source=tests/serve/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
changes=${1:-4000}

# Reads of pods in the audit log: "VERB PROGRAM", the program as its User-Agent begins. kube-apiserver's own informer of pods
# (the user system:apiserver) is not a reader of ours.
reads_of_pods() {
  grep -E '"requestURI":"/api/v1/(namespaces/[^/"]*/)?pods[?"]' "$root/build/cluster/run/audit.log" |
    grep -F -v '"username":"system:apiserver"' |
    sed -nE 's/.*"auditID":"([^"]*)".*"verb":"(list|watch|get)".*"userAgent":"([^"\/ ]*).*/\1 \2 \3/p' | sort -u | cut -d' ' -f2- | sort
}

# The largest number of watches of pods that a client of ours had open at once, by the audit log.
watches_at_once() {
  grep -E '"requestURI":"/api/v1/pods[?][^"]*watch=true' "$root/build/cluster/run/audit.log" |
    grep -F '"userAgent":"kubecpp' |
    awk '/"stage":"ResponseStarted"/ { if (++open > most) most = open } /"stage":"ResponseComplete"/ { --open } END { print most + 0 }'
}

# The watches of pods that the API server has open, by its metrics.
open_watches() {
  kubectl get --raw /metrics |
    awk '/^apiserver_longrunning_requests\{/ && /[{,]resource="pods"/ && /[{,]verb="WATCH"/ { sum += $NF } END { print sum + 0 }'
}
# has_watches COUNT
has_watches() { [[ $(open_watches) -eq $1 ]]; }

# Sets apart what depends on when it is printed: ages, and the widths of their columns.
without_ages() { sed -E 's/\b([0-9]+[dhms]){1,2}\b/AGE/g; s/ +/ /g; s/ $//'; }

# kubectl_prints_the_same ARGUMENT...: from the cache as from the API server, but for ages.
kubectl_prints_the_same() {
  local from
  for from in direct served; do kubectl --kubeconfig "${config[$from]}" "$@" 2>&1 | without_ages >"$work/$from.out"; done
  same "kubectl $*" "$work/direct.out" "$work/served.out"
  [[ -s $work/served.out ]] || die "kubectl $* printed nothing"
}

start_cluster --audit
kubectl create -f - >/dev/null <<'END'
{apiVersion: v1, kind: Namespace, metadata: {name: shown}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, description: What it shall be., properties: {size: {type: integer, description: In inches.}}}
END
kubectl wait --for=condition=Established crd/widgets.example.com >/dev/null

own_watches=$(open_watches)
serve pods events widgets
begun=$SECONDS
start_readers
wait_for 120 "one watch of pods more, by the API server's metrics" has_watches $((own_watches + 1))
"$readers" change -n "$changes" -until "$last" -timeout 300s
echo "readers: $changes changes in $((SECONDS - begun)) s"
wait_for_readers
wait_for 120 "one watch of pods more, by the API server's metrics" has_watches $((own_watches + 1))

# Nothing but `kubecpp serve` has read pods from the API server until now; what follows does. The API server ends the watch of
# a client that a busy machine lets fall behind; it goes on with another one, and never has two.
reads_of_pods | awk '$1 != "watch" || !seen[$0]++' >"$work/reads"
most_watches=$(watches_at_once)
[[ $most_watches -eq 1 ]] || die "kubecpp serve had $most_watches watches at once, by the API server's audit log"
printf 'watch kubecpp\n' >"$work/expected"
same "what was read of pods from the API server, by its audit log" "$work/expected" "$work/reads"
expect_equal
echo "readers: its audit log has of pods: $(paste -sd, "$work/reads"), nothing else; its metrics: $own_watches watches of its own, and one"

# In a namespace of their own: a pod with an event, and a widget.
kubectl create -n shown -f - >/dev/null <<'END'
apiVersion: v1
kind: Pod
metadata: {name: a, labels: {app: web}, annotations: {note: "of a"}}
spec: {containers: [{name: c, image: "registry.example/web:1", ports: [{containerPort: 80}], env: [{name: KEY, value: value}]}]}
---
{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 7}}
END
uid=$(kubectl get pod a -n shown -o 'jsonpath={.metadata.uid}')
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
kubectl create -n shown -f - >/dev/null <<END
apiVersion: v1
kind: Event
metadata: {name: a.1}
type: Warning
reason: FailedScheduling
message: 0/3 nodes are available
involvedObject: {apiVersion: v1, kind: Pod, name: a, namespace: shown, uid: $uid}
source: {component: default-scheduler}
firstTimestamp: "$now"
lastTimestamp: "$now"
count: 1
END
wait_for 120 "the event in the cache" kubectl --kubeconfig "${config[served]}" get event a.1 -n shown
wait_for 120 "the widget in the cache" kubectl --kubeconfig "${config[served]}" get widget w -n shown

while read -r -a arguments; do kubectl_prints_the_same "${arguments[@]}"; done <<'END'
get pods -A -l app=web
get pods -A -o wide
get pods -n readers-1 -l app=web,round=2 -o yaml
get pods -n readers-2 -o json
get pods -A --field-selector=metadata.namespace=readers-0 -o name
get pods -A --field-selector=status.phase=Pending -o wide --show-labels
get pod -n readers-0 last -o yaml
get events -n shown
get widgets -A
get wd w -n shown -o yaml
get wd w -n shown -o wide
describe pods -n readers-2 -l app=web
describe widget w -n shown
explain widgets.spec
explain widgets.spec.size
explain pods
explain pods.spec
explain pods.spec.containers
END
kubectl_prints_the_same describe pod a -n shown
grep -q FailedScheduling "$work/served.out" || die "kubectl describe pod shows no event"

# Exactly the served ones, as the API server has them.
kubectl api-resources | awk 'NR == 1 || $1 == "pods" || $1 == "widgets" || ($1 == "events" && $3 == "v1")' | tr -s ' ' >"$work/direct.out"
kubectl --kubeconfig "${config[served]}" api-resources | tr -s ' ' >"$work/served.out"
same "kubectl api-resources" "$work/direct.out" "$work/served.out"

for arguments in "get pods none -n readers-0" "get pod none -n readers-0 -o yaml"; do
  for from in direct served; do
    # shellcheck disable=SC2086  # words
    ! kubectl --kubeconfig "${config[$from]}" $arguments 2>"$work/$from.err" || die "kubectl $arguments succeeded"
  done
  same "the error of kubectl $arguments" "$work/direct.err" "$work/served.err"
done

# get --watch, as tables: a line for each change.
for from in direct served; do
  for resource in pods widgets; do
    kubectl --kubeconfig "${config[$from]}" get "$resource" -n shown --watch >"$work/$from.$resource" &
    children+=($!)
  done
done
for file in "$work"/{direct,served}.{pods,widgets}; do wait_for 120 "the first line of a watch" grep -qE '^(a|w) ' "$file"; done
kubectl label pod a -n shown round=1 >/dev/null
kubectl patch pod a -n shown --subresource=status --type=merge \
  -p '{"status": {"phase": "Running", "containerStatuses": [{"name": "c", "ready": true, "restartCount": 3, "image": "i", "imageID": "i", "state": {"running": {}}}]}}' >/dev/null
kubectl delete pod a -n shown --grace-period=0 >/dev/null
kubectl run b -n shown --image=registry.example/web:2 >/dev/null
kubectl patch widget w -n shown --type=merge -p '{"spec": {"size": 8}}' >/dev/null
kubectl delete widget w -n shown >/dev/null
kubectl create -n shown -f - >/dev/null <<'END'
{apiVersion: example.com/v1, kind: Widget, metadata: {name: x}, spec: {size: 9}}
END
for file in "$work"/{direct,served}.{pods,widgets}; do wait_for 120 "the last line of a watch" grep -qE '^(b|x) ' "$file"; done
for resource in pods widgets; do
  for from in direct served; do without_ages <"$work/$from.$resource" >"$work/$from.lines"; done
  same "kubectl get $resource --watch" "$work/direct.lines" "$work/served.lines"
done
echo "readers: kubectl prints the same from both servers; a watch of pods has $(wc -l <"$work/served.pods") lines"
