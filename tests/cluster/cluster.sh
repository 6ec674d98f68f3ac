#!/usr/bin/env bash
# A real kube-apiserver and etcd on this machine, for tests: `./dev cluster ...`; see README.md.
#
# Standard output carries only what a caller wants to use (the kubeconfig's path, lines for eval);
# progress goes to standard error.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
home=$root/build/cluster # programs that were built, and the running cluster
bin=$home/bin
# With optimisation, for measurements; these programs are kept apart.
[[ -z ${KUBE_CLUSTER_OPTIMISED:-} ]] || bin=$bin-optimised
run=$home/run
kubernetes_version=v1.37.1

say() { printf 'cluster: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

usage() {
  cat <<'END'
usage: ./dev cluster COMMAND

  up [--audit] [-- FLAG...]  starts etcd and kube-apiserver (building them first where needed) and prints
                             the kubeconfig's path; FLAGs go to kube-apiserver
  down                       stops them and forgets their data
  status                     says whether they run; exit status 0 if so, 3 if not
  env                        prints lines for the shell: eval "$(./dev cluster env)"
  compact                    compacts etcd to its newest revision, so that older ones are gone (410)
  restart                    restarts kube-apiserver alone, on the same port: connections break,
                             its watch caches start anew
  kill                       kills kube-apiserver alone (SIGKILL); restart starts it again
  build [PROGRAM...]         builds without starting; programs: etcd kube-apiserver kubectl
                             kube-controller-manager kube-scheduler kubelet (default: the first three,
                             and where Go is, the last: what a client sees of one; see kubelet/main.go)

Programs are taken from TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER and TEST_ASSET_KUBECTL (files) or
KUBEBUILDER_ASSETS (a folder) where these are set, and else built with Go into build/cluster/bin; with
KUBE_CLUSTER_OPTIMISED=1 with optimisation, which takes twice as long, into build/cluster/bin-optimised.
END
}

# --- Programs ----------------------------------------------------------------------------------

# The file that the user names for a program, or nothing.
asset_of() {
  local variable=TEST_ASSET_${1^^}
  variable=${variable//-/_}
  if [[ -n ${!variable:-} ]]; then
    printf '%s\n' "${!variable}"
  elif [[ -n ${KUBEBUILDER_ASSETS:-} && -x $KUBEBUILDER_ASSETS/$1 ]]; then
    printf '%s\n' "$KUBEBUILDER_ASSETS/$1"
  fi
}

program() {
  local asset
  asset=$(asset_of "$1")
  printf '%s\n' "${asset:-$bin/$1}"
}

module_of() {
  case $1 in etcd | kubelet) echo "$1" ;; *) echo apiserver ;; esac
}

# What a built program depends on; a program whose stamp differs is built again.
stamp_of() {
  local module
  module=$here/$(module_of "$1")
  if [[ $1 == kubelet ]]; then cat "$module"/*; else cat "$module"/go.{mod,sum} <(echo "$kubernetes_version"); fi |
    sha256sum | cut -d' ' -f1
}

is_built() { [[ -x $bin/$1 && $(cat "$bin/.$1.stamp" 2>/dev/null) == "$(stamp_of "$1")" ]]; }

build() {
  local programs=("$@") name wanted=() asset
  for name in "${programs[@]}"; do
    case $name in
      etcd | kube-apiserver | kubectl | kube-controller-manager | kube-scheduler | kubelet) ;;
      *) die "unknown program '$name'; expected etcd, kube-apiserver, kubectl, kube-controller-manager, kube-scheduler or kubelet" ;;
    esac
    asset=$([[ $name == kubelet ]] || asset_of "$name") # a real one is of no use
    if [[ -z $asset ]]; then
      wanted+=("$name")
    elif [[ ! -x $asset ]]; then
      die "$asset, named for $name by the environment, is not an executable file"
    fi
  done
  local etcd=() kubernetes=() kubelet=()
  mkdir -p "$bin"
  for name in "${wanted[@]}"; do
    is_built "$name" && continue
    case $name in
      etcd) etcd+=(go.etcd.io/etcd/server/v3) ;;
      kubelet) kubelet+=(.) ;;
      *) kubernetes+=("k8s.io/kubernetes/cmd/$name") ;;
    esac
  done
  if [[ ${#etcd[@]} -gt 0 || ${#kubernetes[@]} -gt 0 || ${#kubelet[@]} -gt 0 ]]; then
    command -v go >/dev/null || die "building${etcd:+ etcd} ${kubernetes[*]##*/}${kubelet:+ kubelet} needs Go 1.26 or newer;" \
      "install it, or point KUBEBUILDER_ASSETS at a folder with these programs"
  fi
  # What is tested is what they answer: without optimisation, without debugger's tables, and with a compiler that collects
  # no garbage until it holds 2 GiB, they take half of the time to build.
  local -x GOGC=off GOMEMLIMIT=2GiB
  local flags=(-mod=readonly -trimpath)
  [[ -n ${KUBE_CLUSTER_OPTIMISED:-} ]] || flags+=(-gcflags=all='-N -l -dwarf=false')
  if [[ ${#etcd[@]} -gt 0 ]]; then
    say "building etcd (half a minute the first time)"
    (cd "$here/etcd" && go build "${flags[@]}" -ldflags '-s -w' -o "$bin/etcd" "${etcd[@]}")
    stamp_of etcd >"$bin/.etcd.stamp"
  fi
  if [[ ${#kubernetes[@]} -gt 0 ]]; then
    say "building ${kubernetes[*]##*/} $kubernetes_version (some minutes the first time)"
    (cd "$here/apiserver" &&
      go build "${flags[@]}" -o "$bin/" \
        -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$kubernetes_version" "${kubernetes[@]}")
    for name in "${kubernetes[@]##*/}"; do stamp_of "$name" >"$bin/.$name.stamp"; done
  fi
  if [[ ${#kubelet[@]} -gt 0 ]]; then
    say "building kubelet (half a minute the first time)"
    (cd "$here/kubelet" && go build "${flags[@]}" -ldflags '-s -w' -o "$bin/kubelet" "${kubelet[@]}")
    stamp_of kubelet >"$bin/.kubelet.stamp"
  fi
}

# What `up` and `build` build. No asset is a kubelet of the tests; without Go, tests do without.
default_programs() {
  echo etcd kube-apiserver kubectl
  ! command -v go >/dev/null || echo kubelet
}

# --- Processes ---------------------------------------------------------------------------------

# Prints the process id of a running program of ours; fails if there is none. A number alone proves
# nothing, as the system reuses it: the command line must speak of our folder.
pid_of() {
  local pid
  pid=$(cat "$run/$1.pid" 2>/dev/null) || return 1
  tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "$run/" || return 1
  printf '%s\n' "$pid"
}

# start NAME COMMAND...: in a session of its own, so that Ctrl-C here doesn't reach it, and without
# our lock.
start() {
  local name=$1
  shift
  setsid "$@" >>"$run/$name.log" 2>&1 </dev/null 9>&- &
  echo $! >"$run/$name.pid"
  disown
}

stop() {
  local name=$1 pid i
  if pid=$(pid_of "$name"); then
    kill -TERM "$pid" 2>/dev/null || true
    for ((i = 0; i < 200; i++)); do
      pid_of "$name" >/dev/null || break
      sleep 0.1
    done
    if pid_of "$name" >/dev/null; then
      say "$name does not stop; killing it"
      kill -KILL "$pid" 2>/dev/null || true
    fi
  fi
  rm -f "$run/$name.pid"
}

# A loopback port that nobody listens on, outside the range that the kernel hands out itself.
free_port() {
  local port i
  for ((i = 0; i < 100; i++)); do
    port=$((20000 + RANDOM % 12000))
    if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  die "found no free port on 127.0.0.1"
}

# wait_for NAME SECONDS WHAT COMMAND...: until the command succeeds; fails if the program NAME ends
# or time is up.
wait_for() {
  local name=$1 deadline=$((SECONDS + $2)) what=$3
  shift 3
  until "$@" >/dev/null 2>&1; do
    kill -0 "$(cat "$run/$name.pid")" 2>/dev/null || {
      say "$name ended before it was ready; the end of $run/$name.log:"
      tail -n 5 "$run/$name.log" >&2
      return 1
    }
    if ((SECONDS >= deadline)); then
      say "timed out waiting for $what"
      return 1
    fi
    sleep 0.1
  done
}

# --- Credentials -------------------------------------------------------------------------------

random_token() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

make_credentials() {
  local dir=$run/pki
  mkdir -p "$dir" "$run/certs"
  openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
  # A CA for client certificates, and a certificate of an administrator.
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
    -subj /CN=kube-cpp-test-clients -keyout "$dir/client-ca.key" -out "$dir/client-ca.crt" 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -subj /O=system:masters/CN=cert-admin -keyout "$dir/admin.key" -out "$dir/admin.csr" 2>/dev/null
  openssl x509 -req -in "$dir/admin.csr" -CA "$dir/client-ca.crt" -CAkey "$dir/client-ca.key" -CAcreateserial \
    -days 30 -out "$dir/admin.crt" 2>/dev/null
  random_token >"$dir/admin.token"
  random_token >"$dir/nobody.token"
  printf 'Authorization: Bearer %s\n' "$(cat "$dir/admin.token")" >"$dir/admin.header"
  {
    # As the embedded server calls its administrator: the answers of the two are compared (tests/parity).
    printf '%s,kubecpp:admin,,"system:masters"\n' "$(cat "$dir/admin.token")"
    printf '%s,nobody,nobody\n' "$(cat "$dir/nobody.token")"
  } >"$dir/tokens.csv"
}

# Identity providers, of which there is none until somebody writes one here: the server reads the file again.
write_authentication() {
  cat >"$run/authentication.yaml" <<'END'
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
END
}

# write_kubeconfig FILE USER "LINE"...: the lines say how the user proves itself.
write_kubeconfig() {
  local file=$1 user=$2
  shift 2
  {
    cat <<END
apiVersion: v1
kind: Config
current-context: test
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:$(cat "$run/apiserver.port")
    certificate-authority-data: $(base64 -w0 "$run/certs/apiserver.crt")
contexts:
- name: test
  context:
    cluster: test
    user: $user
    namespace: default
users:
- name: $user
  user:
END
    printf '    %s\n' "$@"
  } >"$file"
}

write_kubeconfigs() {
  local pki=$run/pki
  write_kubeconfig "$run/kubeconfig" admin "token: $(cat "$pki/admin.token")"
  write_kubeconfig "$run/kubeconfig-nobody" nobody "token: $(cat "$pki/nobody.token")"
  write_kubeconfig "$run/kubeconfig-cert" cert-admin \
    "client-certificate-data: $(base64 -w0 "$pki/admin.crt")" \
    "client-key-data: $(base64 -w0 "$pki/admin.key")"
}

# --- The two servers ---------------------------------------------------------------------------

start_etcd() {
  local client peer attempt
  for attempt in 1 2 3; do
    client=$(free_port)
    peer=$(free_port)
    start etcd "$(program etcd)" --data-dir "$run/etcd" --unsafe-no-fsync \
      --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
      --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
      --initial-cluster "default=http://127.0.0.1:$peer"
    echo "$client" >"$run/etcd.port"
    if wait_for etcd 120 etcd curl -fsS "http://127.0.0.1:$client/health"; then return; fi
    stop etcd
    say "starting etcd again (attempt $attempt of 3 failed)"
  done
  die "etcd did not start"
}

# GET PATH as the administrator. The token travels by a file, not by the command line.
api_get() {
  curl -fsS --max-time 5 --cacert "$run/certs/apiserver.crt" -H "@$run/pki/admin.header" \
    "https://127.0.0.1:$(cat "$run/apiserver.port")$1"
}

start_apiserver() {
  local flags=()
  [[ ! -f $run/apiserver.flags ]] || mapfile -t flags <"$run/apiserver.flags"
  # Compaction is left to the tests. ConfigMaps are not cached, so that a compaction is felt by
  # their watchers at once; everything else is served as in a usual cluster.
  start kube-apiserver "$(program kube-apiserver)" \
    --etcd-servers="http://127.0.0.1:$(cat "$run/etcd.port")" --etcd-compaction-interval=0 \
    --secure-port="$(cat "$run/apiserver.port")" --bind-address=127.0.0.1 --cert-dir="$run/certs" \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$run/pki/sa.key" --service-account-signing-key-file="$run/pki/sa.key" \
    --service-cluster-ip-range=10.0.0.0/24 --token-auth-file="$run/pki/tokens.csv" \
    --client-ca-file="$run/pki/client-ca.crt" --authentication-config="$run/authentication.yaml" --authorization-mode=RBAC \
    --disable-admission-plugins=ServiceAccount --watch-cache-sizes=configmaps#0 "${flags[@]}"
  wait_for kube-apiserver 120 "/readyz of kube-apiserver" api_get /readyz &&
    wait_for kube-apiserver 120 "the namespace default" api_get /api/v1/namespaces/default
}

write_audit_policy() {
  cat >"$run/audit-policy.yaml" <<'END'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
END
}

is_up() { pid_of etcd >/dev/null && pid_of kube-apiserver >/dev/null; }

# --- Commands ----------------------------------------------------------------------------------

cluster_up() {
  local flags=()
  while [[ $# -gt 0 ]]; do
    case $1 in
      --audit)
        flags+=("--audit-policy-file=$run/audit-policy.yaml" "--audit-log-path=$run/audit.log")
        ;;
      --)
        shift
        flags+=("$@")
        break
        ;;
      *) die "unknown argument '$1'; expected --audit or -- FLAG..." ;;
    esac
    shift
  done
  if is_up; then
    say "already running"
    echo "$run/kubeconfig"
    return
  fi
  local tool
  for tool in curl openssl setsid flock; do
    command -v "$tool" >/dev/null || die "needs the program '$tool'; install the package that holds it"
  done
  # shellcheck disable=SC2046  # words
  build $(default_programs)
  cluster_down
  umask 077
  mkdir -p "$run"
  [[ ${#flags[@]} -eq 0 ]] || printf '%s\n' "${flags[@]}" >"$run/apiserver.flags"
  write_audit_policy
  write_authentication
  make_credentials
  start_etcd
  local attempt
  for attempt in 1 2 3; do
    free_port >"$run/apiserver.port"
    if start_apiserver; then
      write_kubeconfigs
      say "kube-apiserver listens on https://127.0.0.1:$(cat "$run/apiserver.port")"
      echo "$run/kubeconfig"
      return
    fi
    stop kube-apiserver
    # Only a port that was taken in the meantime is worth another attempt.
    grep -q 'address already in use' "$run/kube-apiserver.log" || break
    say "starting kube-apiserver again (attempt $attempt of 3 failed)"
    : >"$run/kube-apiserver.log"
  done
  stop etcd
  die "kube-apiserver did not start; see $run/kube-apiserver.log"
}

# kube-apiserver first: with etcd gone it would hang on for a minute.
cluster_down() {
  stop kube-apiserver
  stop etcd
  rm -rf "$run"
}

cluster_status() {
  local name pid
  for name in etcd kube-apiserver; do
    if pid=$(pid_of "$name"); then
      echo "$name: running, process $pid, log $run/$name.log"
    else
      echo "$name: not running"
    fi
  done
  is_up || return 3
  echo "server: https://127.0.0.1:$(cat "$run/apiserver.port")"
  echo "kubeconfig: $run/kubeconfig (also -cert: client certificate; -nobody: a user without rights)"
}

need_up() { is_up || die "not running; start it by './dev cluster up'"; }

cluster_env() {
  need_up
  local kubectl
  kubectl=$(program kubectl)
  printf 'export KUBECONFIG=%q\n' "$run/kubeconfig"
  printf 'export KUBE_SCENARIO_KUBECONFIG=%q\n' "$run/kubeconfig"
  printf 'export KUBE_SCENARIO_COMPACT=%q\n' "$(printf '%q cluster compact' "$root/dev")"
  # Certificates that a scenario replaces.
  printf 'export KUBE_SCENARIO_SERVER_FILES=%q\n' "$run"
  [[ ! -x $bin/kubelet ]] || printf 'export KUBE_SCENARIO_KUBELET=%q\n' "$bin/kubelet"
  # shellcheck disable=SC2016  # the caller's PATH, not ours
  printf 'export PATH=%q:"$PATH"\n' "${kubectl%/*}"
}

# Through etcd's JSON gateway, which needs no further program.
cluster_compact() {
  need_up
  local url revision answer
  url=http://127.0.0.1:$(cat "$run/etcd.port")/v3/kv
  revision=$(curl -fsS -d '{"key":"AA==","keys_only":true}' "$url/range" |
    sed -n 's/.*"revision":"\([0-9]*\)".*/\1/p')
  [[ -n $revision ]] || die "etcd did not tell its revision"
  answer=$(curl -sS -d "{\"revision\":\"$revision\",\"physical\":true}" "$url/compaction")
  case $answer in
    *'"header"'*) say "compacted to revision $revision" ;;
    *'has been compacted'*) say "already compacted to revision $revision" ;;
    *) die "etcd refused to compact to revision $revision: $answer" ;;
  esac
}

cluster_kill() {
  local pid
  pid=$(pid_of kube-apiserver) || die "kube-apiserver does not run"
  kill -KILL "$pid"
  while pid_of kube-apiserver >/dev/null; do sleep 0.1; done
}

cluster_restart() {
  pid_of etcd >/dev/null || need_up
  stop kube-apiserver
  start_apiserver || die "kube-apiserver did not come back; see $run/kube-apiserver.log"
}

main() {
  local command=${1:-help}
  shift || true
  mkdir -p "$home"
  case $command in
    up | down | restart | kill)
      exec 9>"$home/lock"
      flock 9
      "cluster_$command" "$@"
      ;;
    build)
      # shellcheck disable=SC2046  # words
      [[ $# -gt 0 ]] || set -- $(default_programs)
      build "$@"
      ;;
    status | env | compact) "cluster_$command" ;;
    help | --help | -h) usage ;;
    *)
      usage >&2
      die "unknown command '$command'"
      ;;
  esac
}

main "$@"
