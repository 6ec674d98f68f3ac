# Runs one test of KubeCompileTest.cmake; see there.

function(compile out_ok out_output)
  execute_process(
    COMMAND "${COMPILER}" "@${OPTIONS_FILE}" ${ARGN} "${SOURCE}"
    RESULT_VARIABLE status
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  set(ok OFF)
  if(status EQUAL 0)
    set(ok ON)
  endif()
  set(${out_ok} ${ok} PARENT_SCOPE)
  set(${out_output} "${output}" PARENT_SCOPE)
endfunction()

compile(ok output)
if(NOT ok)
  message(FATAL_ERROR "${SOURCE} should compile, but:\n${output}")
endif()
# What the source includes is compiled once for all wrong variants: it is most of what each would cost.
set(precompiled "")
if(PRECOMPILED)
  file(STRINGS "${SOURCE}" includes REGEX "^#include <")
  list(JOIN includes "\n" includes)
  file(WRITE "${PRECOMPILED}" "${includes}\n")
  file(STRINGS "${OPTIONS_FILE}" options)
  list(REMOVE_ITEM options -fsyntax-only)
  list(JOIN options "\n" options)
  file(WRITE "${PRECOMPILED}.options" "${options}\n")
  execute_process(
    COMMAND "${COMPILER}" "@${PRECOMPILED}.options" -x c++-header -o "${PRECOMPILED}.gch" "${PRECOMPILED}"
    COMMAND_ERROR_IS_FATAL ANY)
  set(precompiled -include "${PRECOMPILED}")
endif()
foreach(wrong IN LISTS WRONG)
  compile(ok output ${precompiled} "${wrong}")
  if(ok)
    message(FATAL_ERROR "${SOURCE} should not compile with ${wrong}, but does")
  endif()
  set(expect "${EXPECT}")
  if(wrong MATCHES "<(.+)>")
    string(REPLACE "{header}" "${CMAKE_MATCH_1}" expect "${expect}")
  endif()
  if(NOT output MATCHES "${expect}")
    message(FATAL_ERROR "${SOURCE} fails with ${wrong} for another reason than ${expect}:\n${output}")
  endif()
endforeach()
