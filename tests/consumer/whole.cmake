# The program of all modules, as it is and as projects build it that have neither exceptions nor RTTI.
add_executable(whole_consumer "${CMAKE_CURRENT_LIST_DIR}/whole_consumer.cpp")
add_executable(whole_consumer_without_exceptions "${CMAKE_CURRENT_LIST_DIR}/whole_consumer.cpp")
target_compile_options(whole_consumer_without_exceptions PRIVATE -fno-exceptions -fno-rtti)
foreach(program whole_consumer whole_consumer_without_exceptions)
  target_link_libraries(
    ${program}
    PRIVATE
      kube::kube
      kube::apiserver
      kube::cacheserver
      kube::fake
      kube::simulation
      kube::testing)
endforeach()
