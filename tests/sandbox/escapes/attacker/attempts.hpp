#pragma once

#include <span>

namespace troupe::attacker {

/// One thing to try. Returns a negative number and sets errno when it is
/// refused; anything else means that it worked. Runs in a process of its own.
struct attempt {
  const char* name;
  long (*run)();
};

std::span<const attempt> namespace_attempts();
std::span<const attempt> mount_attempts();
std::span<const attempt> kernel_attempts();
std::span<const attempt> process_attempts();
std::span<const attempt> signal_attempts();
std::span<const attempt> file_attempts();
std::span<const attempt> set_id_attempts();
std::span<const attempt> socket_attempts();
std::span<const attempt> terminal_attempts();

/// The value of an environment variable that the case needs; ends the process
/// when it is missing.
const char* needed(const char* name);

/// As `needed`, a number.
long needed_number(const char* name);

} // namespace troupe::attacker
