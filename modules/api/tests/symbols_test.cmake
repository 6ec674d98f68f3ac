# cmake -DNM=nm -DPROGRAM=file -P symbols_test.cmake: the program holds the tables of Pod and not
# those of kinds that it doesn't use, of the same package and of others.
execute_process(COMMAND "${NM}" -C "${PROGRAM}" OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${NM} ${PROGRAM} failed: ${failed}")
endif()
if(NOT symbols MATCHES "kube::core::v1::descriptors::pod\n")
  message(FATAL_ERROR "${PROGRAM} has no descriptor of Pod, so this test shows nothing")
endif()
string(REGEX MATCHALL "kube::[a-z0-9_:]+::descriptors::[a-z0-9_]+" descriptors "${symbols}")
list(LENGTH descriptors count)
file(SIZE "${PROGRAM}" size)
message(STATUS "${count} descriptors, ${size} bytes with symbols")
foreach(unwanted flowcontrol::v1::descriptors::flow_schema core::v1::descriptors::node
                 core::v1::descriptors::service apps::v1::descriptors::deployment api::all_types)
  if(symbols MATCHES "kube::${unwanted}[\n(]")
    message(FATAL_ERROR "${PROGRAM} holds kube::${unwanted}, which it doesn't use")
  endif()
endforeach()
