#!/usr/bin/env bash
# Builds and tests HEAD on Debian 13: scripts/debian13.sh [COMMAND...], which is `./dev test` unless another is given.
#
# The command runs in a chroot that debootstrap makes once, from the mirror and with the settings of this machine's apt. It
# has a clone of HEAD, whose build stays for the next run, and a ccache of its own; all of it is below build/debian13. What
# the chroot needs mounted is mounted in a namespace of the command's, which the kernel takes down with its last process.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
place=$root/build/debian13 chroot=$root/build/debian13/root

die() {
  echo "debian13: $*" >&2
  exit 1
}

# shellcheck source=scripts/packages.sh
source scripts/packages.sh

[[ $EUID -eq 0 ]] || die "debootstrap and chroot need root"
need_packages "the chroot of Debian 13" debian13

mkdir -p "$place/ccache"
exec 8>"$place/lock"
flock -n 8 || die "another run uses $place"

if [[ ! -d $chroot ]]; then
  # shellcheck disable=SC2016  # for apt, not for the shell
  mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1)
  [[ -n $mirror ]] || die "apt knows no mirror of Debian; is /etc/apt of Debian, and has apt-get update run?"
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  echo "debian13: making the chroot (log: $place/debootstrap.log)" >&2
  rm -rf "$chroot.new"
  http_proxy=${http_proxy:-} https_proxy=${https_proxy:-} debootstrap --variant=minbase trixie "$chroot.new" "$mirror" \
    >"$place/debootstrap.log" 2>&1 || {
    tail -n 15 "$place/debootstrap.log" >&2
    die "debootstrap failed"
  }
  apt-config dump | grep -E '^Acquire::(Check-Valid-Until|Check-Date|https?::Proxy) ' >"$chroot.new/etc/apt/apt.conf.d/99host" || true
  mv "$chroot.new" "$chroot"
fi
cp /etc/resolv.conf /etc/hosts "$chroot/etc/"

checkout=$chroot/kube/checkout
[[ -d $checkout/.git ]] || git init -q "$checkout"
git -C "$checkout" fetch -q "$root" HEAD
git -C "$checkout" checkout -q --force --detach FETCH_HEAD
echo "debian13: $(git -C "$checkout" log -1 --format='%h %s')" >&2

[[ $# -gt 0 ]] || set -- ./dev test
# shellcheck disable=SC2016  # for the inner shells
exec unshare --mount --pid --fork --kill-child bash -c '
  set -eu
  mkdir -p "$1/ccache" "$1/kube/shared"
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  mount --rbind /sys "$1/sys"
  mount --bind "$2/ccache" "$1/ccache"
  # Recorded objects, which some tests compare with where they are.
  [[ ! -d $3/../shared ]] || mount --bind "$3/../shared" "$1/kube/shared"
  chroot=$1
  shift 3
  exec chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CCACHE_DIR=/ccache \
    bash -c "cd /kube/checkout && exec \"\$@\"" debian13 "$@"' debian13 "$chroot" "$place" "$root" "$@"
