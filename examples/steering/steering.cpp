// A run under way: read by two, spoken to, waited for, ended.
#include <troupe/actors/troupe.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace troupe;
using namespace std::chrono_literals;

int main(int, char** argv) {
  auto writer = agent{"writer"};
  writer.model("cassette:" + std::string{argv[1]});
  auto options = runtime_options{};
  options.agents = {writer};
  options.settings.storage.in_memory = true;
  runtime host{options};

  auto request = run_request{"writer", "Write about bees."};
  auto run = host.stream(request); // `start` with events to be read
  while (auto event = run.next())  // a slow reader pauses the run
    if (event->type == event_type::message_start)
      break; // its model was asked
  if (!run.wait(1ms))
    std::cout << "it is still at work\n";
  auto ticket = run.interject("Make it short.");
  if (ticket.wait() == interjection_outcome::delivered)
    std::cout << "the model was told\n";
  while (auto event = run.next())
    if (event->type == event_type::message_stop)
      std::cout << "writer: " << event->text << "\n";

  auto late = run.follow(); // reads the same from the store
  auto count = 0;
  while (auto event = late.next())
    count += event->type == event_type::interjection ? 1 : 0;
  std::cout << "interjections: " << count << "\n";
  std::cout << to_string(run.close().status) << "\n"; // it had ended already
}
