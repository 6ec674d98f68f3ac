# kube_gen_command(<package> OUTPUT <dir> HEADERS <file> [SCHEMA dirs...] [SHARDS n]
#                  OUT_HEADERS <var> OUT_SOURCES <var>)
#
# Runs kube-gen during the build: C++ types and descriptors of a package of the schema go below
# <dir>/include and <dir>/src. HEADERS lists the headers that come out, one a line: the build has to
# know them before they are there. kube-gen fails when it makes others and says which;
# `kube-gen --list-headers` prints the list. SCHEMA names directories to look in before
# modules/api/schema.
#
# A file that comes out as it was keeps its age, so that nothing is compiled again for it.
function(kube_gen_command package)
  cmake_parse_arguments(ARG "" "OUTPUT;HEADERS;SHARDS;OUT_HEADERS;OUT_SOURCES" "SCHEMA" ${ARGN})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  cmake_path(ABSOLUTE_PATH ARG_HEADERS NORMALIZE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${ARG_HEADERS}")
  file(STRINGS "${ARG_HEADERS}" headers REGEX "^[^#]")
  list(TRANSFORM headers PREPEND "${ARG_OUTPUT}/include/")
  string(REPLACE "." "_" base "${package}")
  if(ARG_SHARDS EQUAL 1)
    set(sources "${ARG_OUTPUT}/src/${base}.cpp")
  else()
    foreach(shard RANGE 1 ${ARG_SHARDS})
      list(APPEND sources "${ARG_OUTPUT}/src/${base}_${shard}.cpp")
    endforeach()
  endif()
  set(schema_files ${KUBE_SCHEMA_FILES})
  foreach(directory IN LISTS ARG_SCHEMA)
    list(APPEND schema_files "${directory}/${package}.json" "${directory}/resources.json")
  endforeach()

  add_custom_command(
    OUTPUT ${headers} ${sources}
    COMMAND
      kube-gen --schema ${ARG_SCHEMA} "${KUBE_SCHEMA_DIR}" --package ${package} --include-dir
      "${ARG_OUTPUT}/include" --source-dir "${ARG_OUTPUT}/src" --shards ${ARG_SHARDS}
      --expect-headers "${ARG_HEADERS}" --choices "${KUBE_GEN_CHOICES}"
    DEPENDS kube-gen "${ARG_HEADERS}" ${schema_files}
    COMMENT "Generating the types of ${package}"
    VERBATIM)
  set(${ARG_OUT_HEADERS} ${headers} PARENT_SCOPE)
  set(${ARG_OUT_SOURCES} ${sources} PARENT_SCOPE)
endfunction()

# kube_generate_tables(<module> PACKAGES packages...)
#
# Makes two tables part of kube::<module>: the kinds of all these packages, for look-ups (of two
# kinds with one name the first package's counts), and the facts of all resources.
function(kube_generate_tables module)
  cmake_parse_arguments(ARG "" "" "PACKAGES" ${ARGN})
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/src")
  add_custom_command(
    OUTPUT "${generated}/types.cpp"
    COMMAND
      kube-gen --kinds --schema "${KUBE_SCHEMA_DIR}" --package ${ARG_PACKAGES} --source-dir
      "${generated}" --choices "${KUBE_GEN_CHOICES}"
    DEPENDS kube-gen ${KUBE_SCHEMA_FILES}
    COMMENT "Generating the table of all kinds"
    VERBATIM)
  add_custom_command(
    OUTPUT "${generated}/resources.cpp"
    COMMAND kube-gen --resources "${KUBE_SCHEMA_DIR}/resources.json" --source-dir "${generated}"
    DEPENDS kube-gen "${KUBE_SCHEMA_DIR}/resources.json"
    COMMENT "Generating the facts of all resources"
    VERBATIM)
  target_sources(kube_${module} PRIVATE "${generated}/types.cpp" "${generated}/resources.cpp")
endfunction()

# kube_generate_package(<module> PACKAGE <package> HEADERS <file> [SHARDS n])
#
# Makes the types of a package part of kube::<module>, its headers included and installed as those
# that people wrote.
function(kube_generate_package module)
  cmake_parse_arguments(ARG "" "PACKAGE;HEADERS;SHARDS" "" ${ARGN})
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  kube_gen_command(
    ${ARG_PACKAGE} OUTPUT "${generated}" HEADERS "${ARG_HEADERS}" SHARDS "${ARG_SHARDS}"
    OUT_HEADERS headers OUT_SOURCES sources)
  target_sources(
    kube_${module}
    PRIVATE ${sources}
    PUBLIC FILE_SET public_headers BASE_DIRS "${generated}/include" FILES ${headers})
  list(TRANSFORM headers REPLACE "^${generated}/include/" "")
  set_property(GLOBAL APPEND PROPERTY KUBE_HEADERS_${module} ${headers})
endfunction()
