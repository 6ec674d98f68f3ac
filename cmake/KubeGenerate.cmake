# kube_gen_command(PACKAGES <package>... OUTPUT <dir> HEADERS <dir> [SCHEMA dirs...]
#                  [SHARDS <package> <n> ...] [TABLES_OF <package>...]
#                  OUT_HEADERS <var> OUT_SOURCES <var>)
#
# Runs kube-gen once during the build, which reads the schema once: C++ types and descriptors of
# packages of the schema go below <dir>/include and <dir>/src. HEADERS is a folder of lists,
# <package>.txt, of the headers that come out, one a line: the build has to know them before they
# are there. kube-gen fails when it makes others and says which; `kube-gen --list-headers` prints the
# list. SCHEMA names directories to look in before modules/api/schema. SHARDS gives the descriptors
# of a package more than one source. TABLES_OF adds two tables: the kinds of these packages, for
# look-ups (of two kinds with one name the first package's counts), and the facts of all resources.
#
# A file that comes out as it was keeps its age, so that nothing is compiled again for it.
function(kube_gen_command)
  cmake_parse_arguments(
    PARSE_ARGV 0 ARG "" "OUTPUT;HEADERS;OUT_HEADERS;OUT_SOURCES" "PACKAGES;SCHEMA;SHARDS;TABLES_OF")
  cmake_path(ABSOLUTE_PATH ARG_HEADERS NORMALIZE)
  set(headers "")
  set(sources "")
  set(lists "")
  set(schema_files ${KUBE_SCHEMA_FILES})
  foreach(package IN LISTS ARG_PACKAGES)
    set(list "${ARG_HEADERS}/${package}.txt")
    list(APPEND lists "${list}")
    file(STRINGS "${list}" package_headers REGEX "^[^#]")
    list(APPEND headers ${package_headers})
    string(REPLACE "." "_" base "${package}")
    set(shards 1)
    list(FIND ARG_SHARDS "${package}" at)
    if(NOT at EQUAL -1)
      math(EXPR at "${at} + 1")
      list(GET ARG_SHARDS ${at} shards)
    endif()
    if(shards EQUAL 1)
      list(APPEND sources "${base}.cpp")
    else()
      foreach(shard RANGE 1 ${shards})
        list(APPEND sources "${base}_${shard}.cpp")
      endforeach()
    endif()
    foreach(directory IN LISTS ARG_SCHEMA)
      list(APPEND schema_files "${directory}/${package}.json" "${directory}/resources.json")
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lists})

  set(arguments "")
  if(ARG_SHARDS)
    list(APPEND arguments --shards ${ARG_SHARDS})
  endif()
  if(ARG_TABLES_OF)
    list(APPEND arguments --kinds ${ARG_TABLES_OF} --resources "${KUBE_SCHEMA_DIR}/resources.json")
    list(APPEND sources types.cpp resources.cpp)
  endif()
  list(TRANSFORM headers PREPEND "${ARG_OUTPUT}/include/")
  list(TRANSFORM sources PREPEND "${ARG_OUTPUT}/src/")
  list(LENGTH ARG_PACKAGES number)
  set(what "${number} packages")
  if(number EQUAL 1)
    set(what "${ARG_PACKAGES}")
  endif()
  add_custom_command(
    OUTPUT ${headers} ${sources}
    COMMAND
      kube-gen --schema ${ARG_SCHEMA} "${KUBE_SCHEMA_DIR}" --choices "${KUBE_GEN_CHOICES}" --package
      ${ARG_PACKAGES} ${arguments} --include-dir "${ARG_OUTPUT}/include" --source-dir
      "${ARG_OUTPUT}/src" --expect-headers "${ARG_HEADERS}"
    DEPENDS kube-gen ${lists} ${schema_files}
    COMMENT "Generating the types of ${what}"
    VERBATIM)
  set(${ARG_OUT_HEADERS} ${headers} PARENT_SCOPE)
  set(${ARG_OUT_SOURCES} ${sources} PARENT_SCOPE)
endfunction()

# kube_generate_packages(<module> PACKAGES <package>... HEADERS <dir> [SHARDS <package> <n> ...]
#                        [TABLES_OF <package>...])
#
# Makes the types of packages part of kube::<module>, their headers included and installed as those
# that people wrote. The rest is as above.
function(kube_generate_packages module)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  kube_gen_command(${ARGN} OUTPUT "${generated}" OUT_HEADERS headers OUT_SOURCES sources)
  target_sources(
    kube_${module}
    PRIVATE ${sources}
    PUBLIC FILE_SET public_headers BASE_DIRS "${generated}/include" FILES ${headers})
  list(TRANSFORM headers REPLACE "^${generated}/include/" "")
  set_property(GLOBAL APPEND PROPERTY KUBE_HEADERS_${module} ${headers})
endfunction()
