// Runs one command and waits to be killed.
//
//   sandbox_owner FOLDER SCRIPT

#include "troupe/sandbox/process_runner.hpp"

#include <cstdlib>

#include <unistd.h>

int main(int argc, char** argv) {
  auto runner = troupe::make_host_runner();
  if (argc != 3 || !runner)
    return EXIT_FAILURE;
  auto spec = troupe::process_spec{};
  spec.argv = {"/bin/sh", "-c", argv[2]};
  spec.directory = argv[1];
  spec.environment = {{"PATH", "/usr/bin:/bin"}};
  (*runner)->start(std::move(spec), [](auto) { std::abort(); });
  // Bounded, should nobody kill it.
  ::sleep(100);
}
