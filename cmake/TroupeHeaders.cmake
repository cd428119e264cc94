# check_headers compiles every header alone, without precompiled ones: a header
# that leans on what its users include first is an error. `./dev lint` builds
# it, other builds do not pay for it.
add_library(check_headers OBJECT EXCLUDE_FROM_ALL)
foreach(layer IN ITEMS config storage sandbox runtime actors)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
       ${PROJECT_SOURCE_DIR}/${layer}/*.hpp)
  list(FILTER headers EXCLUDE REGEX "/(app|detail)/")
  foreach(header IN LISTS headers)
    set(file ${PROJECT_BINARY_DIR}/check_headers/${header}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"troupe/${header}\"\n")
    target_sources(check_headers PRIVATE ${file})
  endforeach()
endforeach()
target_link_libraries(check_headers PRIVATE troupe_actors troupe_warnings)
target_compile_options(check_headers PRIVATE -O0 -g0)
