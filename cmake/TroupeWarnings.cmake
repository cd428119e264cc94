# Warnings and sanitizers of the project's own code; never exported to users.
add_library(troupe_warnings INTERFACE)
target_compile_options(
  troupe_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor
            -Woverloaded-virtual $<$<BOOL:${TROUPE_WERROR}>:-Werror>
            # Paths of the building machine stay out of __FILE__ and of the
            # debug information.
            -ffile-prefix-map=${PROJECT_BINARY_DIR}/view/=
            -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

if(TROUPE_SANITIZE)
  # g++ sees through std::function differently under sanitizers, and warns of
  # the standard library's own <regex>.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(troupe_warnings
                           INTERFACE -Wno-maybe-uninitialized)
  endif()
  # CAF 0.17 binds null references in init_fun_factory.hpp on every spawn.
  add_compile_options(-fsanitize=${TROUPE_SANITIZE} -fno-sanitize=null
                      -fno-omit-frame-pointer)
  if(TROUPE_SANITIZE MATCHES undefined)
    # Two checks that guard every member access would take a third of the time
    # to compile. AddressSanitizer sees what `vptr` looks for; `alignment` is
    # looked for where stored and received bytes are read, see TroupeLayer.
    add_compile_options(-fno-sanitize-recover=undefined
                        -fno-sanitize=vptr,alignment)
  endif()
  if(TROUPE_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Boost uses fences, which ThreadSanitizer does not model.
    add_compile_options(-Wno-tsan)
  endif()
  add_link_options(-fsanitize=${TROUPE_SANITIZE})
endif()
if(TROUPE_FUZZ)
  # Coverage in the layers too, or the fuzzer is blind to what it reaches.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
