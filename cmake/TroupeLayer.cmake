# The kinds of target the project has: layers, the program, tests, benchmarks.
# Fuzz targets are in tests/fuzz.

# Headers that most of a target's files read, compiled once. Off for clang: its
# precompiled headers and ccache do not get along.
option(TROUPE_PCH "Precompile CAF's headers where that saves time" ON)

# The part of CAF that every file with an actor in it reads.
set(TROUPE_CAF_HEADERS
    <caf/actor_system.hpp> <caf/actor_system_config.hpp>
    <caf/event_based_actor.hpp> <caf/scoped_actor.hpp>
    <caf/stateful_actor.hpp> <caf/typed_event_based_actor.hpp>)

function(troupe_precompile target)
  if(TROUPE_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # ccache can only see through a precompiled header with this.
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# A layer is a top-level folder. Its headers are reachable, as
# "troupe/<layer>/...", only by the targets that link it: each layer has an
# include view of its own, so an upward or sideways include is "no such file".
# Headers in a detail/ folder are for the sources beside it: not installed.
#
#   troupe_layer(NAME [USES layer...] [LIBS public...] [PRIVATE_LIBS lib...]
#                [READS_BYTES] SOURCES file...)
#
# READS_BYTES: its sources lay types over bytes that come from elsewhere.
function(troupe_layer name)
  cmake_parse_arguments(arg "READS_BYTES" "" "USES;LIBS;PRIVATE_LIBS;SOURCES"
                        ${ARGN})
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
    PRIVATE ${arg_PRIVATE_LIBS} $<BUILD_INTERFACE:troupe_warnings>)
  target_compile_features(troupe_${name} PUBLIC cxx_std_20)
  set_target_properties(troupe_${name} PROPERTIES EXPORT_NAME ${name})
  if(arg_READS_BYTES AND TROUPE_SANITIZE MATCHES undefined)
    target_compile_options(troupe_${name} PRIVATE -fsanitize=alignment)
  endif()
  install(TARGETS troupe_${name} EXPORT troupeTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${name}/
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/troupe/${name}
          FILES_MATCHING PATTERN "*.hpp"
          PATTERN "app" EXCLUDE
          PATTERN "detail" EXCLUDE)
endfunction()

# The program, build/bin/troupe. Its target cannot have its name: that is the
# library's.
#
#   troupe_program([LIBS lib...] SOURCES file...)
function(troupe_program)
  cmake_parse_arguments(arg "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(troupe_program ${arg_SOURCES})
  target_link_libraries(troupe_program PRIVATE ${arg_LIBS} troupe_warnings)
  set_target_properties(troupe_program PROPERTIES OUTPUT_NAME troupe)
  add_dependencies(program troupe_program)
  install(TARGETS troupe_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# One test executable, usually for one unit; ctest calls it NAME.
#
#   troupe_test(NAME [LIBS lib...] [LABELS label...] [NO_PCH] SOURCES file...)
function(troupe_test name)
  cmake_parse_arguments(arg "NO_PCH" "" "LIBS;LABELS;SOURCES" ${ARGN})
  add_executable(${name}_test ${arg_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${arg_LIBS} troupe_test_support
                                             troupe_warnings)
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                                                ${PROJECT_BINARY_DIR}/tests)
  if(TARGET troupe_test_pch AND NOT arg_NO_PCH)
    target_precompile_headers(${name}_test REUSE_FROM troupe_test_pch)
    target_compile_options(${name}_test PRIVATE -fpch-preprocess)
  endif()
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${arg_LABELS}")
endfunction()

# A Google Benchmark executable; `./dev bench` runs all of them.
#
#   troupe_bench(NAME [LIBS lib...] SOURCES file...)
function(troupe_bench name)
  cmake_parse_arguments(arg "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(${name}_bench ${arg_SOURCES})
  target_link_libraries(${name}_bench PRIVATE ${arg_LIBS} benchmark::benchmark
                                              troupe_warnings)
endfunction()
