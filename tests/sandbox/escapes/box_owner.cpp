// Runs commands in bubblewrap sandboxes of its own until it is killed.
//
//   sandbox_box_owner WORKSPACE warm|fresh SCRIPT...

#include "troupe/sandbox/bubblewrap_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <cstdlib>
#include <string>

#include <unistd.h>

int main(int argc, char** argv) {
  using namespace troupe;
  auto host = find_bubblewrap_host();
  if (argc < 4 || !host)
    return EXIT_FAILURE;
  auto settings = workspace_settings{};
  settings.root = argv[1];
  auto where = workspace::open(settings, "/");
  if (!where)
    return EXIT_FAILURE;
  auto policy = sandbox_settings{};
  policy.warm = std::string{argv[2]} == "warm";
  auto runner = make_bubblewrap_runner(nullptr, *host, *where, policy);
  for (auto i = 3; runner && i < argc; ++i) {
    auto request = process_request{};
    request.argv = {"/bin/sh", "-c", argv[i]};
    auto spec = plan_process(request, **where, policy, {},
                             containment::sandbox);
    if (!spec)
      return EXIT_FAILURE;
    (*runner)->start(std::move(*spec), [](auto) {});
  }
  // Bounded, should nobody kill it.
  ::sleep(60);
}
