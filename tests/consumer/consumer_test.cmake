# Installs the build in BUILD to a folder of its own, then configures, builds
# and runs `project` against it as a user would.
set(place ${BUILD}/consumer)
set(prefix ${place}/installed)
file(REMOVE_RECURSE ${place})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out
                  ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/project -B ${place}/build -G
    Ninja -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${COMPILER} -D
    CMAKE_BUILD_TYPE=${CONFIG})
run(${CMAKE_COMMAND} --build ${place}/build)
run(${place}/build/consumer)

# `every_header` includes all that is installed; what it read must be within
# what a user has to have.
run(ninja -C ${place}/build -t deps)
string(REGEX MATCHALL
             "[^\n ]*/(valijson|kainjow|CLI|catch2|yaml-cpp|spdlog|re2|curl)/[^\n]*|[^\n ]*/(lmdb|histedit)\\.h"
             unwanted "${out}")
if(NOT out MATCHES "troupe/config/errc.hpp")
  message(FATAL_ERROR "the consumer read no header of troupe:\n${out}")
endif()
if(unwanted)
  list(JOIN unwanted "\n" unwanted)
  message(FATAL_ERROR "public headers must not need:\n${unwanted}")
endif()
