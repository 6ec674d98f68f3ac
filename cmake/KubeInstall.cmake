# Install rules and package files: find_package(kube COMPONENTS ...) and one .pc file per module.
#
# Each module has an export set of its own, so that a user who asks for kube::workqueue needs
# neither libcurl nor OpenSSL. Everything is derived from the link interfaces of the modules; a new
# module needs no line here, a new third-party package needs one in the table below.

# kube::kube: all that a program needs that talks to clusters. cacheserver is for servers, apiserver,
# testing, fake and simulation for tests; they are asked for by name.
get_property(modules GLOBAL PROPERTY KUBE_MODULES)
set(core_modules ${modules})
list(REMOVE_ITEM core_modules serving cacheserver apiserver testing fake simulation)
list(TRANSFORM core_modules PREPEND "kube::" OUTPUT_VARIABLE core_targets)
add_library(kube_kube INTERFACE)
add_library(kube::kube ALIAS kube_kube)
target_link_libraries(kube_kube INTERFACE ${core_targets})
set_target_properties(kube_kube PROPERTIES EXPORT_NAME kube)
list(APPEND modules kube)

if(NOT KUBE_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/kube")

# Target of another project, the find_package call that brings it, and its pkg-config name (a name
# that begins with '-' is a linker flag).
set(external_targets
    "Threads::Threads|Threads|-pthread"
    "CURL::libcurl|CURL 7.88|libcurl"
    "OpenSSL::SSL|OpenSSL 3.0|libssl"
    "OpenSSL::Crypto|OpenSSL 3.0|libcrypto"
    "simdjson::simdjson|simdjson|simdjson"
    "yaml-cpp|yaml-cpp 0.7|yaml-cpp"
    "re2::re2|re2|re2"
    "wslay|wslay|-lwslay"
    "ZLIB::ZLIB|ZLIB 1.2|zlib")

# Sets in the caller: <out_modules> (names), <out_packages> and <out_pc> (from the table above) of
# what linking to kube::<module> needs directly.
function(kube_link_needs module out_modules out_packages out_pc)
  get_target_property(links kube_${module} INTERFACE_LINK_LIBRARIES)
  set(needed_modules "")
  set(needed_packages "")
  set(needed_pc "")
  foreach(link IN LISTS links)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    if(NOT link OR link MATCHES "^\\$<BUILD_INTERFACE:")
      continue()
    endif()
    if(link MATCHES "^kube(::|_)(.*)$")
      list(APPEND needed_modules ${CMAKE_MATCH_2})
      continue()
    endif()
    set(known OFF)
    foreach(row IN LISTS external_targets)
      string(REPLACE "|" ";" row "${row}")
      list(GET row 0 target)
      if(link STREQUAL target)
        list(GET row 1 package)
        list(GET row 2 pc)
        list(APPEND needed_packages "${package}")
        list(APPEND needed_pc ${pc})
        set(known ON)
      endif()
    endforeach()
    if(NOT known)
      message(FATAL_ERROR "kube::${module} links to ${link}: say in cmake/KubeInstall.cmake which "
                          "package offers it")
    endif()
  endforeach()
  foreach(list needed_modules needed_packages needed_pc)
    list(REMOVE_DUPLICATES ${list})
  endforeach()
  set(${out_modules} "${needed_modules}" PARENT_SCOPE)
  set(${out_packages} "${needed_packages}" PARENT_SCOPE)
  set(${out_pc} "${needed_pc}" PARENT_SCOPE)
endfunction()

# Writes and installs kube-<module>.pc (kube.pc for the umbrella).
function(kube_install_pc module needed_modules needed_pc)
  set(pc_name kube-${module})
  set(libs "-L\${libdir} -lkube_${module}")
  get_target_property(type kube_${module} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(libs "")
  endif()
  if(module STREQUAL "kube")
    set(pc_name kube)
  endif()
  list(TRANSFORM needed_modules PREPEND "kube-")
  set(requires ${needed_modules})
  foreach(item IN LISTS needed_pc)
    if(item MATCHES "^-")
      string(APPEND libs " ${item}")
    else()
      list(APPEND requires ${item})
    endif()
  endforeach()
  list(JOIN requires " " requires)
  # Relative to the file itself, so that the installed tree can be moved. Static archives need
  # everything they call on every link line, so nothing is Requires.private.
  file(RELATIVE_PATH prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" prefix "${prefix}")
  file(
    CONFIGURE
    OUTPUT "${PROJECT_BINARY_DIR}/package/${pc_name}.pc"
    CONTENT
      [[prefix=${pcfiledir}/@prefix@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @pc_name@
Description: @PROJECT_DESCRIPTION@ (@module@)
Version: @PROJECT_VERSION@
Requires: @requires@
Libs: @libs@
Cflags: -I${includedir}
]]
    @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${pc_name}.pc"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

# The facts that kube-config.cmake works from, one group of lines per module.
set(module_facts "")
foreach(module IN LISTS modules)
  kube_link_needs(${module} needed_modules needed_packages needed_pc)
  string(APPEND module_facts "set(_kube_modules_of_${module} ${needed_modules})\n")
  list(TRANSFORM needed_packages REPLACE "(.+)" "\"\\1\"" OUTPUT_VARIABLE quoted_packages)
  list(JOIN quoted_packages " " quoted_packages)
  string(APPEND module_facts "set(_kube_packages_of_${module} ${quoted_packages})\n")

  set(file_set FILE_SET public_headers DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  if(module STREQUAL "kube")
    set(file_set "")
  endif()
  install(
    TARGETS kube_${module}
    EXPORT kube_${module}_targets
    ${file_set}
    INCLUDES
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(
    EXPORT kube_${module}_targets
    NAMESPACE kube::
    FILE kube-${module}-targets.cmake
    DESTINATION "${package_dir}")
  kube_install_pc(${module} "${needed_modules}" "${needed_pc}")
endforeach()
string(REPLACE ";" " " module_facts "${module_facts}")
list(JOIN modules " " module_names)

set(KUBE_INSTALL_SCHEMA_DIR "${CMAKE_INSTALL_DATADIR}/kube/schema")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/kube-config.cmake.in" "${PROJECT_BINARY_DIR}/package/kube-config.cmake"
  INSTALL_DESTINATION "${package_dir}"
  PATH_VARS KUBE_INSTALL_SCHEMA_DIR)
# Before 1.0 a minor version may break users.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/kube-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)

# kube-gen and what kube_generate() takes: users generate types of their CRDs.
set_target_properties(kube-gen PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS kube-gen EXPORT kube_gen_targets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(
  EXPORT kube_gen_targets
  NAMESPACE kube::
  FILE kube-gen-targets.cmake
  DESTINATION "${package_dir}")
install(FILES ${KUBE_SCHEMA_FILES} DESTINATION "${KUBE_INSTALL_SCHEMA_DIR}")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/KubeGenerateCrds.cmake" DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/package/kube-config.cmake"
              "${PROJECT_BINARY_DIR}/package/kube-config-version.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/Findre2.cmake"
        DESTINATION "${package_dir}")
