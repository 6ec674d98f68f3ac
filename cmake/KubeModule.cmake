# Functions that declare the project's targets. Every file is named, none is globbed.

# Flags for all our own code; never part of an installed interface.
add_library(kube_private_flags INTERFACE)
target_compile_options(
  kube_private_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                               $<$<BOOL:${KUBE_WERROR}>:-Werror>
                               $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
if(KUBE_SANITIZE)
  target_compile_options(kube_private_flags INTERFACE -fsanitize=${KUBE_SANITIZE}
                                                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KUBE_SANITIZE})
endif()

# kube_module(<name> HEADERS ... SOURCES ... [PUBLIC_DEPS ...] [PRIVATE_DEPS ...])
#
# Declares the library kube::<name>. HEADERS live under include/ and are installed; a target sees
# only the include roots of the modules it names in *_DEPS, so an upward include does not compile.
# Every header is compiled alone by the target all_verify_interface_header_sets.
function(kube_module name)
  cmake_parse_arguments(ARG "" "" "HEADERS;SOURCES;PUBLIC_DEPS;PRIVATE_DEPS" ${ARGN})
  add_library(kube_${name} ${ARG_SOURCES})
  add_library(kube::${name} ALIAS kube_${name})
  target_sources(
    kube_${name} PUBLIC FILE_SET public_headers TYPE HEADERS BASE_DIRS include FILES
                        ${ARG_HEADERS})
  target_include_directories(kube_${name} PRIVATE src)
  target_compile_features(kube_${name} PUBLIC cxx_std_20)
  target_link_libraries(
    kube_${name}
    PUBLIC ${ARG_PUBLIC_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS} $<BUILD_INTERFACE:kube_private_flags>)
  set_target_properties(
    kube_${name}
    PROPERTIES EXPORT_NAME ${name}
               CXX_EXTENSIONS OFF
               POSITION_INDEPENDENT_CODE ON
               VERIFY_INTERFACE_HEADER_SETS ON)
  set_property(GLOBAL APPEND PROPERTY KUBE_MODULES ${name})
endfunction()

# kube_test(<module> SOURCES ... [DEPS ...])
#
# One GoogleTest program per module, <module>_test, whose cases ctest lists one by one. The tests
# may include the module's private headers.
function(kube_test module)
  if(NOT KUBE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${module}_test ${ARG_SOURCES})
  target_compile_features(${module}_test PRIVATE cxx_std_20)
  set_target_properties(${module}_test PROPERTIES CXX_EXTENSIONS OFF)
  if(TARGET kube_${module})
    target_link_libraries(${module}_test PRIVATE kube::${module})
    target_include_directories(${module}_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  endif()
  target_link_libraries(${module}_test PRIVATE ${ARG_DEPS} GTest::gmock GTest::gtest_main
                                               kube_private_flags)
  gtest_discover_tests(
    ${module}_test
    TEST_PREFIX "${module}."
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120)
endfunction()

# kube_benchmark(<name> SOURCES ... [DEPS ...]): one Google Benchmark program.
function(kube_benchmark name)
  if(NOT KUBE_BUILD_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} benchmark::benchmark_main kube_private_flags)
endfunction()
