# Functions that declare the project's targets. Every file is named, none is globbed.

# Flags for all our own code; never part of an installed interface.
add_library(kube_private_flags INTERFACE)
target_compile_options(
  kube_private_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                               $<$<BOOL:${KUBE_WERROR}>:-Werror>
                               $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(CMAKE_UNITY_BUILD)
  # To GCC a source that is included is a header, whose types must not hold what is the file's own.
  target_compile_options(kube_private_flags
                         INTERFACE "$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>")
endif()
# Seconds: only a test that hangs takes so long, on a slow and busy machine too.
set(KUBE_TEST_TIMEOUT 900)
if(KUBE_SANITIZE)
  # A finding ends the program, so that no test passes with one.
  target_compile_options(
    kube_private_flags INTERFACE -fsanitize=${KUBE_SANITIZE} -fno-sanitize-recover=all
                                 -fno-omit-frame-pointer)
  # GCC's flow analysis does not see through its own instrumentation (its manual says so): a
  # std::variant that was moved from looks uninitialised, a string longer than it is. The plain build
  # keeps these warnings, as errors.
  set(no_flow_warnings -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                       -Wno-restrict)
  target_compile_options(kube_private_flags
                         INTERFACE "$<$<CXX_COMPILER_ID:GNU>:${no_flow_warnings}>")
  if(KUBE_SANITIZE STREQUAL "thread")
    # ThreadSanitizer does not follow fences; Asio's queue has a mutex that orders the same.
    target_compile_definitions(kube_private_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  add_link_options(-fsanitize=${KUBE_SANITIZE})
endif()

# For what the fuzzers call: their build optimises it and counts its coverage, and nothing else, which would double the
# time that the build takes.
add_library(kube_fuzzed_flags INTERFACE)
if(KUBE_BUILD_FUZZERS)
  target_compile_options(kube_fuzzed_flags INTERFACE -O1 -fsanitize=fuzzer-no-link)
endif()

# kube_precompile_headers(<target> <group> [<header>...])
#
# The standard library, and the headers, compiled once for all targets of a group, whose flags must be the same: the
# first one makes it. See docs/decisions/0015.
function(kube_precompile_headers target group)
  get_property(maker GLOBAL PROPERTY KUBE_PRECOMPILED_${group})
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    set_property(GLOBAL PROPERTY KUBE_PRECOMPILED_${group} ${target})
    target_precompile_headers(
      ${target}
      PRIVATE
      <algorithm>
      <atomic>
      <chrono>
      <deque>
      <functional>
      <map>
      <memory>
      <mutex>
      <optional>
      <span>
      <stop_token>
      <string>
      <string_view>
      <thread>
      <unordered_map>
      <utility>
      <variant>
      <vector>
      ${ARGN})
  endif()
  # Without the time in it, ccache knows Clang's precompiled header again.
  target_compile_options(
    ${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# kube_module(<name> [FUZZED] [INTERNAL] HEADERS ... SOURCES ... [PUBLIC_DEPS ...] [PRIVATE_DEPS ...])
#
# Declares the library kube::<name>. HEADERS live under include/ and are installed; a target sees
# only the include roots of the modules it names in *_DEPS, so an upward include does not compile.
# A module without SOURCES is an interface library. A dependency must be declared before its user: the order of
# add_subdirectory in the root is the order of the layers. FUZZED: the fuzzers of tests/fuzz call it. INTERNAL: parts
# that several modules are made of; its HEADERS are in src/, the modules that name it see them, and none is installed.
function(kube_module name)
  cmake_parse_arguments(ARG "FUZZED;INTERNAL" "" "HEADERS;SOURCES;PUBLIC_DEPS;PRIVATE_DEPS" ${ARGN})
  foreach(dep IN LISTS ARG_PUBLIC_DEPS ARG_PRIVATE_DEPS)
    if(dep MATCHES "^kube::" AND NOT TARGET ${dep})
      message(FATAL_ERROR "module ${name} names ${dep}, which is not a module below it")
    endif()
  endforeach()

  if(ARG_SOURCES)
    add_library(kube_${name} ${ARG_SOURCES})
    set(interface PUBLIC)
    if(ARG_INTERNAL)
      target_include_directories(kube_${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/src>")
    else()
      target_include_directories(kube_${name} PRIVATE src)
    endif()
    # Nothing of a header-only library is left to link, so users of the package don't need it.
    list(TRANSFORM ARG_PRIVATE_DEPS REPLACE "^(Boost::(headers|boost)|CLI11::CLI11)$"
                                            "$<BUILD_INTERFACE:\\1>")
    target_link_libraries(kube_${name} PRIVATE ${ARG_PRIVATE_DEPS}
                                               $<BUILD_INTERFACE:kube_private_flags>)
    set_target_properties(
      kube_${name}
      PROPERTIES CXX_EXTENSIONS OFF
                 DEFINE_SYMBOL "" # shared libraries reuse each other's precompiled headers, too
                 POSITION_INDEPENDENT_CODE ON
                 VERSION ${PROJECT_VERSION}
                 SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    if(ARG_FUZZED)
      target_link_libraries(kube_${name} PRIVATE $<BUILD_INTERFACE:kube_fuzzed_flags>)
      kube_precompile_headers(kube_${name} fuzzed_modules)
    else()
      kube_precompile_headers(kube_${name} modules)
    endif()
  else()
    add_library(kube_${name} INTERFACE)
    set(interface INTERFACE)
  endif()
  add_library(kube::${name} ALIAS kube_${name})
  set(installed ${ARG_HEADERS})
  if(ARG_INTERNAL)
    set(installed "")
  endif()
  target_sources(
    kube_${name} ${interface} FILE_SET public_headers TYPE HEADERS BASE_DIRS include FILES
                              ${installed})
  target_compile_features(kube_${name} ${interface} cxx_std_20)
  target_link_libraries(kube_${name} ${interface} ${ARG_PUBLIC_DEPS})
  set_target_properties(kube_${name} PROPERTIES EXPORT_NAME ${name})

  set_property(GLOBAL APPEND PROPERTY KUBE_MODULES ${name})
  list(TRANSFORM ARG_HEADERS REPLACE "^(include|src)/" "")
  set_property(GLOBAL PROPERTY KUBE_HEADERS_${name} ${ARG_HEADERS})
endfunction()

# kube_test_program(<target> [DEPS ...]): what all programs of GoogleTest cases have in common.
function(kube_test_program target)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main kube_private_flags)
  # A third less time to compile; what is tested stays as the preset has it.
  target_compile_options(${target} PRIVATE -O0)
  kube_precompile_headers(${target} tests <gmock/gmock.h> <gtest/gtest.h>)
endfunction()

# kube_test(<module> [ONE_THREAD] SOURCES ... [DEPS ...])
#
# One GoogleTest program per module, <module>_test, whose cases ctest lists one by one. The tests
# may include the module's private headers. ONE_THREAD: nothing in it runs on a second thread, so
# that ThreadSanitizer has nothing to find.
function(kube_test module)
  cmake_parse_arguments(ARG "ONE_THREAD" "" "SOURCES;DEPS" ${ARGN})
  if(NOT KUBE_BUILD_TESTS OR (ARG_ONE_THREAD AND KUBE_SANITIZE STREQUAL "thread"))
    return()
  endif()
  add_executable(${module}_test ${ARG_SOURCES})
  if(TARGET kube_${module})
    target_link_libraries(${module}_test PRIVATE kube::${module})
    get_target_property(module_dir kube_${module} SOURCE_DIR)
    target_include_directories(${module}_test PRIVATE ${module_dir}/src)
  endif()
  kube_test_program(${module}_test DEPS ${ARG_DEPS})
  kube_discover_tests(${module}_test "${module}.")
endfunction()

# kube_discover_tests(<program> <prefix> [PROPERTIES ...])
#
# Gives ctest each case of a program as a test, PROPERTIES (but ENVIRONMENT) with it. Under a sanitizer a process costs more than most cases: there ctest runs
# the whole program, in four parts.
function(kube_discover_tests program prefix)
  cmake_parse_arguments(ARG "" "" "PROPERTIES" ${ARGN})
  if(NOT KUBE_SANITIZE)
    gtest_discover_tests(
      ${program}
      TEST_PREFIX "${prefix}"
      DISCOVERY_TIMEOUT 600
      PROPERTIES TIMEOUT ${KUBE_TEST_TIMEOUT} ${ARG_PROPERTIES})
    return()
  endif()
  foreach(part RANGE 3)
    add_test(NAME "${prefix}part_${part}" COMMAND ${program})
    set_tests_properties(
      "${prefix}part_${part}"
      PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}" TIMEOUT ${KUBE_TEST_TIMEOUT} ${ARG_PROPERTIES})
  endforeach()
endfunction()

# kube_benchmark(<name> SOURCES ... [DEPS ...]): one Google Benchmark program, which the tests do not wait for.
function(kube_benchmark name)
  if(NOT KUBE_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark_main kube_private_flags)
  set_property(GLOBAL APPEND PROPERTY KUBE_BENCHMARKS ${name})
endfunction()
