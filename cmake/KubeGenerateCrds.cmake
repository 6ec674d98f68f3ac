# For projects that use kube: C++ types of their CustomResourceDefinitions, made during the build.

# kube_generate(TARGET <target> [CRDS <file>...] [OPENAPI <file>] [NAMESPACE <namespace>])
#
# Makes the types that the CRDs (YAML or JSON, any number of documents and versions each, lists of
# them, other objects beside them) or the OpenAPI v3 document describe part of a library or program.
# Kind Widget of version v1 in NAMESPACE acme is acme::v1::Widget in <acme/v1/widget.hpp>;
# <acme/v1.hpp> has all kinds of the version, <acme/v1/resources.hpp> the facts of their resources.
# Without a NAMESPACE it is the first part of the group. Call it once for each group.
#
# The target links to kube::api (a component of find_package) from then on, in public. What changes
# is generated and compiled again. kube-gen's errors name file, document and path.
function(kube_generate)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "TARGET;NAMESPACE;OPENAPI" "CRDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "kube_generate: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET "${ARG_TARGET}")
    message(FATAL_ERROR "kube_generate: TARGET \"${ARG_TARGET}\" is no target")
  endif()
  if((ARG_CRDS AND ARG_OPENAPI) OR (NOT ARG_CRDS AND NOT ARG_OPENAPI))
    message(FATAL_ERROR "kube_generate: expected either CRDS or OPENAPI")
  endif()
  if(NOT TARGET kube::api)
    message(FATAL_ERROR "kube_generate needs kube::api: find_package(kube COMPONENTS api ...)")
  endif()

  # Calls for one target have names of their own.
  get_target_property(calls ${ARG_TARGET} KUBE_GENERATE_CALLS)
  if(NOT calls)
    set(calls 0)
  endif()
  math(EXPR calls "${calls} + 1")
  set_target_properties(${ARG_TARGET} PROPERTIES KUBE_GENERATE_CALLS ${calls})
  string(MAKE_C_IDENTIFIER "${ARG_TARGET}_${calls}" name)

  set(arguments crd)
  set(files ${ARG_CRDS})
  if(ARG_OPENAPI)
    set(arguments openapi)
    set(files "${ARG_OPENAPI}")
  endif()
  set(inputs "")
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    list(APPEND inputs "${file}")
  endforeach()
  list(APPEND arguments ${inputs})
  if(ARG_NAMESPACE)
    list(APPEND arguments --namespace "${ARG_NAMESPACE}")
  endif()

  set(output "${CMAKE_CURRENT_BINARY_DIR}/kube_gen/${name}")
  # All headers include <kube_gen/${name}.hpp>, which changes with any of them: through it the build
  # knows what to compile again without knowing their names.
  add_custom_command(
    OUTPUT "${output}/include/kube_gen/${name}.hpp" "${output}/src/${name}.cpp"
    COMMAND
      kube::kube-gen ${arguments} --name ${name} --include-dir "${output}/include" --source-dir
      "${output}/src" --schema "${KUBE_SCHEMA_DIR}" --choices "${KUBE_GEN_CHOICES}"
    DEPENDS kube::kube-gen ${inputs}
    COMMENT "Generating API types of ${ARG_TARGET}"
    VERBATIM)
  target_sources(
    ${ARG_TARGET} PRIVATE "${output}/src/${name}.cpp" "${output}/include/kube_gen/${name}.hpp")
  target_include_directories(${ARG_TARGET} PUBLIC "$<BUILD_INTERFACE:${output}/include>")
  target_link_libraries(${ARG_TARGET} PUBLIC kube::api)
endfunction()
