// Starts a command in a container that tells its host's name, and waits to be
// killed:  container_owner ENGINE IMAGE FOLDER

#include "troupe/sandbox/container/container_runner.hpp"
#include "troupe/sandbox/process_plan.hpp"
#include "troupe/sandbox/workspace.hpp"

#include <cstdlib>

#include <unistd.h>

int main(int, char** argv) {
  using namespace troupe;
  auto policy = sandbox_settings{};
  policy.provider = "container";
  policy.container = container_settings{};
  policy.container->engine = argv[1];
  policy.container->image = argv[2];
  auto where = workspace::open({"directory", ".", {}}, argv[3]);
  auto host = find_container_host(policy);
  if (!where || !host)
    return EXIT_FAILURE;
  auto runner = make_container_runner(nullptr, *host, *where, policy);
  auto request = process_request{
    {"/bin/sh", "-c", "echo $HOSTNAME > part; mv part host; sleep 1000"},
    {},
    {},
    {}};
  auto spec = plan_process(request, **where, policy, {},
                           containment::container);
  if (!runner || !spec)
    return EXIT_FAILURE;
  (*runner)->start(*spec, [](const auto&) { ::_exit(EXIT_FAILURE); });
  for (;;)
    ::pause();
}
