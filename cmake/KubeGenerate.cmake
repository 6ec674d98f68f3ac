# kube_generate(<module> PACKAGE <package> HEADERS <file> [SHARDS n])
#
# Makes the C++ types of a package of the schema (modules/api/schema/<package>.json) during the
# build, as part of kube::<module>. HEADERS lists the headers that come out, one a line: the build
# has to know them before they are there. kube-gen fails when it makes others and says which;
# `kube-gen --list-headers` prints the list. Headers and sources land below generated/ in the
# module's build directory.
#
# A file that comes out as it was keeps its age, so that nothing is compiled again for it.
function(kube_generate module)
  cmake_parse_arguments(ARG "" "PACKAGE;HEADERS;SHARDS" "" ${ARGN})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  cmake_path(ABSOLUTE_PATH ARG_HEADERS NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ARG_HEADERS}")
  file(STRINGS "${ARG_HEADERS}" names REGEX "^[^#]")
  list(TRANSFORM names PREPEND "${generated}/include/" OUTPUT_VARIABLE headers)
  string(REPLACE "." "_" base "${ARG_PACKAGE}")
  if(ARG_SHARDS EQUAL 1)
    set(sources "${generated}/src/${base}.cpp")
  else()
    foreach(shard RANGE 1 ${ARG_SHARDS})
      list(APPEND sources "${generated}/src/${base}_${shard}.cpp")
    endforeach()
  endif()

  add_custom_command(
    OUTPUT ${headers} ${sources}
    COMMAND
      kube-gen --schema "${KUBE_SCHEMA_DIR}" --package ${ARG_PACKAGE} --include-dir
      "${generated}/include" --source-dir "${generated}/src" --shards ${ARG_SHARDS}
      --expect-headers "${ARG_HEADERS}" --choices "${KUBE_GEN_CHOICES}"
    DEPENDS kube-gen "${ARG_HEADERS}" ${KUBE_SCHEMA_FILES}
    COMMENT "Generating the types of ${ARG_PACKAGE}"
    VERBATIM)
  target_sources(
    kube_${module}
    PRIVATE ${sources}
    PUBLIC FILE_SET public_headers BASE_DIRS "${generated}/include" FILES ${headers})
  set_property(GLOBAL APPEND PROPERTY KUBE_HEADERS_${module} ${names})
endfunction()
