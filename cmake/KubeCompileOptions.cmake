# For tests that call the compiler themselves.

# kube_compile_options(<file> <target> <property> [<flag>...])
#
# Writes a file that the compiler reads by @<file>, one option a line: the flags, and the include roots of the target, as
# its own sources see them (property INCLUDE_DIRECTORIES) or as its users do (INTERFACE_INCLUDE_DIRECTORIES).
function(kube_compile_options file target property)
  set(dirs "$<TARGET_PROPERTY:${target},${property}>")
  list(JOIN ARGN "\n" flags)
  file(GENERATE OUTPUT "${file}"
       CONTENT "-std=c++20\n${flags}\n$<$<BOOL:${dirs}>:-I\"$<JOIN:${dirs},\"\n-I\">\">\n")
endfunction()
