#!/usr/bin/env bash
# run.sh BUILD WORK: installs the build tree BUILD into WORK/prefix, and builds and runs programs outside the tree against
# it: by find_package, by pkg-config, and by FetchContent from the sources; with exceptions and RTTI, and without.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
prefix=$work/prefix
expected='group apps, version v1'

die() {
  echo "consumer: $*" >&2
  exit 1
}

quietly() {
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "failed: $*"
  }
}

# runs WAY PROGRAM
runs() {
  local output
  output=$(LD_LIBRARY_PATH=$libdir "$2") || die "$1: the program fails"
  [[ $output == "$expected" ]] || die "$1: the program prints '$output', expected '$expected'"
  echo "consumer: $1 works"
}

# cmake_consumer WAY FOLDER [CMAKE-ARGUMENT...]
cmake_consumer() {
  local way=$1 folder=$2
  shift 2
  rm -rf "${work:?}/$folder"
  quietly cmake -G Ninja -S "$root/tests/consumer/${folder%%-*}" -B "$work/$folder" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
  quietly cmake --build "$work/$folder" --target consumer
  runs "$way" "$work/$folder/consumer"
}

# crd_consumer WAY FOLDER: types of a CRD of the outside project, in a build that cmake_consumer made.
crd_consumer() {
  quietly cmake --build "$work/$2" --target crd_consumer
  runs "$1 and kube_generate" "$work/$2/crd_consumer"
}

# whole_consumer WAY FOLDER: the programs of all modules, in a build that cmake_consumer made.
whole_consumer() {
  local program
  for program in whole_consumer whole_consumer_without_exceptions; do
    quietly cmake --build "$work/$2" --target "$program"
    runs "$1: $program" "$work/$2/$program"
  done
}

rm -rf "$prefix"
quietly cmake --install "$build" --prefix "$prefix"
# A package that is moved must still work, and must not find its way back to the build tree.
rm -rf "$prefix.moved"
mv "$prefix" "$prefix.moved"
prefix=$prefix.moved
LD_LIBRARY_PATH=$(dirname "$(find "$prefix" -name 'libkube*' | head -n 1)") "$prefix/bin/kubectl-cpp" --version \
  >"$work/log" 2>&1 || die "the plugin of kubectl, kubectl-cpp, is not installed beside kubecpp"
if grep -rlF -e "$build" -e "$root/modules" "$prefix"/lib*/cmake "$prefix"/lib*/pkgconfig; then
  die "the package files above name folders of the build"
fi

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name kube.pc)")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH") # for a build with shared libraries

cmake_consumer "find_package(kube COMPONENTS meta)" find_package-meta \
  -DCMAKE_PREFIX_PATH="$prefix" -DKUBE_CONSUMER_COMPONENTS=meta
cmake_consumer "find_package(kube)" find_package-all -DCMAKE_PREFIX_PATH="$prefix"
crd_consumer "find_package(kube)" find_package-all
cmake_consumer "find_package of all components" find_package-whole -DCMAKE_PREFIX_PATH="$prefix" \
  -DKUBE_CONSUMER_COMPONENTS="kube;transport;apiserver;cacheserver;fake;simulation;testing"
whole_consumer "find_package of all components" find_package-whole

for package in kube-meta kube; do
  mkdir -p "$work/pkg_config"
  # Word splitting is how pkg-config is used.
  # shellcheck disable=SC2046
  quietly g++ -std=c++20 "$root/tests/consumer/consumer.cpp" -o "$work/pkg_config/$package" \
    $(pkg-config --cflags --libs "$package")
  runs "pkg-config $package" "$work/pkg_config/$package"
done

# Without exceptions and RTTI on a library that has both, by both compilers.
for compiler in g++ clang++-14; do
  # shellcheck disable=SC2046
  quietly "$compiler" -std=c++20 -fno-exceptions -fno-rtti "$root/tests/consumer/whole_consumer.cpp" \
    -o "$work/pkg_config/whole-$compiler" \
    $(pkg-config --cflags --libs kube kube-apiserver kube-cacheserver kube-fake kube-simulation kube-testing)
  runs "pkg-config, $compiler -fno-exceptions -fno-rtti" "$work/pkg_config/whole-$compiler"
done

# Built from its sources as users do: all of it, with shared libraries, the other form.
cmake_consumer "FetchContent" fetch_content -DKUBE_SOURCE_DIR="$root" -DBUILD_SHARED_LIBS=ON -DKUBE_WERROR=ON
crd_consumer "FetchContent" fetch_content
whole_consumer "FetchContent" fetch_content
