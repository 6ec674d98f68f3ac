# Tests that show that a wrong program does not compile. Each file is compiled right, which must
# succeed, and wrong, which must fail for the expected reason, so that the test cannot rot.

# kube_compile_test(<test name> SOURCE <file> OPTIONS <flag>... WRONG <flag>... EXPECT <regex> [PRECOMPILE])
#
# SOURCE must compile with OPTIONS, and must not compile when one of the WRONG flags is added; the
# compiler's output must then match EXPECT, where {header} stands for the <header> that the wrong
# flag names, if it does. OPTIONS may hold generator expressions. PRECOMPILE: no WRONG flag changes which headers SOURCE
# includes, so that they are compiled once, if there are more than four.
function(kube_compile_test name)
  cmake_parse_arguments(ARG "PRECOMPILE" "SOURCE;EXPECT" "OPTIONS;WRONG" ${ARGN})
  set(precompiled "")
  list(LENGTH ARG_WRONG variants)
  if(ARG_PRECOMPILE AND variants GREATER 4)
    set(precompiled "${CMAKE_CURRENT_BINARY_DIR}/${name}.hpp")
  endif()
  string(MAKE_C_IDENTIFIER "${name}" file_name)
  set(options_file "${CMAKE_CURRENT_BINARY_DIR}/${file_name}.options")
  # One option a line, in quotes, as the compilers read it by @file.
  list(JOIN ARG_OPTIONS "\n" lines)
  file(
    GENERATE
    OUTPUT "${options_file}"
    CONTENT "-std=c++20\n-fsyntax-only\n${lines}\n")
  add_test(
    NAME ${name}
    COMMAND
      ${CMAKE_COMMAND} "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DOPTIONS_FILE=${options_file}"
      "-DSOURCE=${ARG_SOURCE}" "-DWRONG=${ARG_WRONG}" "-DEXPECT=${ARG_EXPECT}" "-DPRECOMPILED=${precompiled}" -P
      "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KubeCompileTestRun.cmake")
  # Up to thirty compilations in a row, on a machine that may compile other things too.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()

# The include options of a target: as its own sources see them (property INCLUDE_DIRECTORIES), or as
# its users do (INTERFACE_INCLUDE_DIRECTORIES).
function(kube_include_options out target property)
  set(dirs "$<TARGET_PROPERTY:${target},${property}>")
  set(${out} "$<$<BOOL:${dirs}>:-I\"$<JOIN:${dirs},\"\n-I\">\">" PARENT_SCOPE)
endfunction()

# kube_compile_fail_test(<name> <file> [DEPS <target>...] [OPTIONS <flag>...] [WRONG <flag>...] [EXPECT <regex>])
#
# <file> must compile, and must not with any of the WRONG flags (default: -DWRONG). It sees what users of
# DEPS see.
function(kube_compile_fail_test name file)
  cmake_parse_arguments(ARG "" "EXPECT" "DEPS;OPTIONS;WRONG" ${ARGN})
  if(NOT ARG_WRONG)
    set(ARG_WRONG -DWRONG)
  endif()
  if(NOT ARG_EXPECT)
    set(ARG_EXPECT "error:")
  endif()
  add_library(compile_fail_${name} INTERFACE)
  target_link_libraries(compile_fail_${name} INTERFACE ${ARG_DEPS})
  kube_include_options(includes compile_fail_${name} INTERFACE_INCLUDE_DIRECTORIES)
  kube_compile_test(
    compile_fail.${name}
    SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/${file}"
    OPTIONS "${includes}" ${ARG_OPTIONS}
    WRONG ${ARG_WRONG}
    EXPECT "${ARG_EXPECT}"
    PRECOMPILE)
endfunction()
