# shellcheck shell=bash
# The Debian packages that each command needs, and their installation. Sourced by ./dev.

declare -A packages=(
  # To build everything and run the tests.
  [build]="g++ cmake ninja-build ccache pkg-config
           libcurl4-openssl-dev libssl-dev libboost-dev libsimdjson-dev libyaml-cpp-dev libre2-dev libwslay-dev zlib1g-dev
           libcli11-dev libgtest-dev libgmock-dev libbenchmark-dev libnghttp2-dev valgrind git python3 ca-certificates"
  # In addition, for ./dev check format source.
  [style]="clang-format-14 shellcheck"
  # In addition, for the preset asan and the other steps of ./dev check.
  [check]="clang-14 clang-tidy-14 libclang-rt-14-dev lld-14 llvm-14"
  # For ./dev cluster. The cluster script itself looks for Go.
  [cluster]="ca-certificates curl openssl"
  # For scripts/debian13.sh, which makes a chroot.
  [debian13]="debootstrap git"
  # For ./dev page, which also needs Node.js 20.10; Debian 12 has an older one.
  [browser]="chromium"
)

# apt COMMAND ARGUMENT...: without questions; uses need_packages's `sudo` and `log`, and shows the end
# of the log if it fails.
apt() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$1" -y -qq "${@:2}" </dev/null >>"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    return 1
  }
}

# need_packages PURPOSE SET...: installs what is missing of the sets above, without a question, or
# says what to do.
need_packages() {
  local purpose=$1 set package missing=() sudo=()
  shift
  if ! command -v dpkg-query >/dev/null; then
    echo "dev: this is not a Debian system; cmake will name the libraries it does not find" >&2
    return
  fi
  for set in "$@"; do
    for package in ${packages[$set]}; do
      # shellcheck disable=SC2016  # for dpkg-query, not for the shell
      [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  echo "dev: missing packages for $purpose: ${missing[*]}" >&2
  if [[ $EUID -ne 0 ]]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      sudo=(sudo -n)
    else
      die "cannot install them: not root, and sudo is not possible without a password." \
        "Please run: apt-get install -y --no-install-recommends ${missing[*]}"
    fi
  fi
  mkdir -p build
  local log=build/packages.log
  echo "dev: installing them with apt-get (log: $log)" >&2
  : >"$log"
  apt "update" || die "apt-get update failed; is there a network?"
  apt "install" --no-install-recommends "${missing[@]}" || die "apt-get could not install: ${missing[*]}"
}
