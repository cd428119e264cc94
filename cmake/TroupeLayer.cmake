# A layer is a top-level folder. Its headers are reachable, as
# "troupe/<layer>/...", only by the targets that link it: each layer has an
# include view of its own, so an upward or sideways include is "no such file".
#
#   troupe_layer(NAME [USES layer...] [LIBS public...] [PRIVATE_LIBS lib...]
#                SOURCES file...)
function(troupe_layer name)
  cmake_parse_arguments(arg "" "" "USES;LIBS;PRIVATE_LIBS;SOURCES" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/view/${name})
  file(MAKE_DIRECTORY ${view}/troupe)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${view}/troupe/${name}
       SYMBOLIC)
  add_library(troupe_${name} STATIC)
  add_library(troupe::${name} ALIAS troupe_${name})
  list(TRANSFORM arg_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${name}/)
  target_sources(troupe_${name} PRIVATE ${arg_SOURCES})
  target_include_directories(
    troupe_${name} PUBLIC $<BUILD_INTERFACE:${view}>
                          $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  list(TRANSFORM arg_USES PREPEND troupe_)
  target_link_libraries(
    troupe_${name}
    PUBLIC ${arg_USES} ${arg_LIBS}
    PRIVATE ${arg_PRIVATE_LIBS} troupe_warnings)
  set_target_properties(troupe_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS troupe_${name} EXPORT troupeTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe/${name}
          FILES_MATCHING PATTERN "*.hpp")
endfunction()

# One test executable for each layer.
#
#   troupe_test(NAME [LIBS lib...] SOURCES file...)
function(troupe_test name)
  cmake_parse_arguments(arg "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${arg_LIBS} troupe_test_support
                                             troupe_warnings)
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()
