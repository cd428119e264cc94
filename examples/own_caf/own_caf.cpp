// A service with an actor system of its own: troupe's actors live in it.
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <troupe/actors/troupe.hpp>

#include <iostream>

int main(int, char** argv) {
  auto config = caf::actor_system_config{};
  troupe::register_messages(config);
  auto system = caf::actor_system{config};
  auto options = troupe::runtime_options{};
  options.settings.storage.in_memory = true;
  auto echo = troupe::agent{"echo"};
  echo.model("cassette:" + std::string{argv[1]});
  options.agents = {echo};
  auto host = troupe::runtime{system, options};
  std::cout << host.ask("echo", "hello").response << "\n";
}
