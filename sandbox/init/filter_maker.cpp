// Writes the filters of system calls as C++, for the init to be built with.

#include "troupe/sandbox/init/filter_rules.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include <linux/filter.h>
#include <unistd.h>

namespace {

using namespace troupe::init;

void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

template <class Write>
void print(const char* name, Write write) {
  auto* file = std::tmpfile();
  if (file == nullptr)
    fail("a temporary file");
  if (write(::fileno(file)) != 0 || std::fseek(file, 0, SEEK_SET) != 0)
    fail("a filter");
  std::printf("constexpr sock_filter %s[] = {\n", name);
  auto one = sock_filter{};
  while (std::fread(&one, sizeof one, 1, file) == 1)
    std::printf("  {%u, %u, %u, %uU},\n", one.code, one.jt, one.jf, one.k);
  std::printf("};\n");
  std::fclose(file);
}

} // namespace

int main() {
  std::printf("#pragma once\n#include <linux/filter.h>\n");
  print("without_unix_sockets", [](int fd) { return write_filter(fd, false); });
  print("with_unix_sockets", [](int fd) { return write_filter(fd, true); });
  print("without_processes", write_spawn_filter);
}
