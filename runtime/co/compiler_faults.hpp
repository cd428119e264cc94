#pragma once

// Compilers that translate some uses of co_await wrongly, without a word. What
// each gets wrong is in docs/coroutines.md; tests/compilers finds out. Every
// compiler is right about the forms that the page calls safe, so who keeps to
// them defines TROUPE_ACCEPT_COMPILER_FAULTS and hears no more of it.
#if defined(__clang__)
#  if __clang_major__ < 19
#    define TROUPE_COMPILER_FAULT                                              \
      "clang before 19 leaks an aggregate that is built around a co_await"
#  endif
#elif defined(__GNUC__)
#  if __GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4)
#    define TROUPE_COMPILER_FAULT                                              \
      "this g++ skips coroutines with a co_await in a condition, and destroys" \
      " twice what stands beside a co_await"
#  elif __GNUC__ < 13
#    define TROUPE_COMPILER_FAULT                                              \
      "g++ 12 destroys twice what stands beside a co_await"
#  elif __GNUC__ < 15
#    define TROUPE_COMPILER_FAULT                                              \
      "g++ before 15 runs a co_await in the arm of ?:, && or || that is not"   \
      " taken"
#  endif
#endif

#if defined(TROUPE_COMPILER_FAULT) && !defined(TROUPE_ACCEPT_COMPILER_FAULTS)
#  pragma message(TROUPE_COMPILER_FAULT                                        \
                  ": name it, await it, then test it (docs/coroutines.md). "   \
                  "-DTROUPE_ACCEPT_COMPILER_FAULTS turns this message off.")
#endif
