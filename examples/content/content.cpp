// What the user attaches, and a tool that shows its model an image.
#include <boost/describe.hpp>
#include <troupe/actors/troupe.hpp>

#include <iostream>

using namespace troupe;

struct nothing {};

BOOST_DESCRIBE_STRUCT(nothing, (), ())

// The smallest file that says that it is a PNG.
std::string picture() {
  return "\x89PNG\r\n\x1a\n";
}

std::string take_picture(tool_context context, nothing) {
  context.artifact("photo.png", picture());
  return "click";
}

int main(int, char** argv) {
  auto options = runtime_options{};
  options.agents
    = {agent{"viewer"}
         .model("cassette:" + std::string{argv[1]})
         .use(make_tool("take_picture", "Takes a photo.", take_picture))};
  options.settings.storage.in_memory = true;
  runtime host{options};

  auto dot = make_block(picture(), {}, "dot.png");
  auto notes = read_block(argv[2]);
  if (!dot || !notes)
    return 1;
  auto request = run_request{"viewer", "What is this?", "look"};
  request.attachments = {*dot, *notes};
  auto run = host.ask(std::move(request));
  std::cout << run.response << "\n";
  auto messages = host.messages({"viewer", "look", ""});
  if (!messages)
    return 1;
  for (const auto& message : *messages)
    for (const auto& block : message->blocks)
      std::cout << describe_block(block) << "\n";
}
