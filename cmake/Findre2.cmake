# Defines re2::re2: by the package of its own that newer versions bring, else, as on Debian 12, by looking for the
# header and the library.
find_package(re2 CONFIG QUIET)
if(NOT TARGET re2::re2)
  find_path(RE2_INCLUDE_DIR re2/re2.h)
  find_library(RE2_LIBRARY re2)
  mark_as_advanced(RE2_INCLUDE_DIR RE2_LIBRARY)
  if(RE2_INCLUDE_DIR AND RE2_LIBRARY)
    find_package(Threads QUIET)
    add_library(re2::re2 UNKNOWN IMPORTED)
    set_target_properties(
      re2::re2
      PROPERTIES IMPORTED_LOCATION "${RE2_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${RE2_INCLUDE_DIR}"
                 INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endif()
include(FindPackageHandleStandardArgs)
if(TARGET re2::re2)
  set(RE2_TARGET re2::re2)
endif()
find_package_handle_standard_args(re2 REQUIRED_VARS RE2_TARGET)
