# Third-party packages. All are packages of Debian 12 and 13; docs/dependencies.md says why each.
find_package(Threads REQUIRED)
find_package(CURL 7.88 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Boost 1.74 REQUIRED CONFIG) # newer versions of CMake have no module for it
# Its package takes 3.12 for no version of 3.0.
find_package(simdjson REQUIRED)
if(simdjson_VERSION VERSION_LESS 3.0)
  message(FATAL_ERROR "simdjson ${simdjson_VERSION} is too old: 3.0 or newer is needed")
endif()
find_package(yaml-cpp 0.7 REQUIRED)
find_package(re2 REQUIRED)
find_package(wslay REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
find_package(CLI11 2.1 REQUIRED) # kube-gen, which runs in every build, and kubecpp
if(KUBE_BUILD_TESTS)
  find_package(GTest 1.12 REQUIRED)
  include(GoogleTest)
endif()
if(KUBE_BUILD_BENCHMARKS)
  find_package(benchmark 1.7 REQUIRED)
endif()
