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
  auto count = 0U;
  std::printf("static sock_filter code_%s[] = {\n", name);
  auto one = sock_filter{};
  for (; std::fread(&one, sizeof one, 1, file) == 1; ++count)
    std::printf("  {%u, %u, %u, %uU},\n", one.code, one.jt, one.jf, one.k);
  std::printf("};\nconst sock_fprog %s = {%u, code_%s};\n", name, count, name);
  std::fclose(file);
}

} // namespace

int main() {
  std::printf("#include \"troupe/sandbox/init/filter_programs.hpp\"\n"
              "namespace troupe::init {\n");
  print("without_unix_sockets", [](int fd) { return write_filter(fd, false); });
  print("with_unix_sockets", [](int fd) { return write_filter(fd, true); });
  print("without_processes", write_spawn_filter);
  std::printf("}\n");
}
