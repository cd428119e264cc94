#include "support/sample_blocks.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

run_request about(std::vector<content_block> blocks,
                  const std::string& prompt = "What is it?") {
  auto result = scripted_host::request(prompt);
  result.attachments = std::move(blocks);
  return result;
}

/// An agent that answers and remembers what it was asked.
struct talk : scripted_host {
  talk() {
    told->main = [](const model_request&, size_t number) {
      return caf::expected<model_batch>{says(std::to_string(number))};
    };
  }

  /// The last message of the user in the last request.
  chat_message last_user() {
    auto all = told->requests_to("main");
    REQUIRE_FALSE(all.empty());
    const auto& messages = all.back().messages;
    for (auto i = messages.rbegin(); i != messages.rend(); ++i)
      if ((*i)->role == message_role::user)
        return **i;
    FAIL("no user");
    return {};
  }
};

} // namespace

TEST_CASE("a model is shown what the user attaches, in this run and the next",
          "[content]") {
  talk it;
  auto run = it.host().ask(about({image_block(), text_block("# T")}));
  CHECK(run.status == run_status::completed);
  auto first = it.last_user();
  CHECK(first.text == "What is it?");
  REQUIRE(first.blocks.size() == 2);
  CHECK(*first.blocks[0].bytes == png_bytes());
  it.start(); // a later process
  CHECK(it.ask("And now?").status == run_status::completed);
  auto messages = it.told->requests_to("main").back().messages;
  REQUIRE(messages.size() == 4); // system, user, answer, user
  REQUIRE(messages[1]->blocks.size() == 2);
  CHECK(messages[1]->blocks[0].name == "dot.png");
  CHECK(*messages[1]->blocks[0].bytes == png_bytes());
  CHECK(*messages[1]->blocks[1].bytes == "# T");
}

TEST_CASE("the same image is stored once, however often it is shown",
          "[content]") {
  talk it;
  auto file = it.folder.path() / "store" / "store.mdb";
  auto image = image_block(std::string(1 << 20, 'x'));
  CHECK(it.host().ask(about({image, image})).status == run_status::completed);
  auto size = std::filesystem::file_size(file);
  CHECK(size < 2 * image.size);
  for (auto i = 0; i < 5; ++i)
    CHECK(it.host().ask(about({image})).status == run_status::completed);
  CHECK(std::filesystem::file_size(file) < size + image.size / 2);
  it.start();
  auto messages = it.messages();
  REQUIRE(messages.front()->blocks.size() == 2);
  CHECK(messages.front()->blocks[0].digest == image.digest);
  CHECK(messages.front()->blocks[0].size == image.size);
}

TEST_CASE("attachments that are not what they say start no run", "[content]") {
  talk it;
  auto liar = image_block();
  liar.media_type = "image/jpeg";
  auto many = std::vector<content_block>(33, image_block());
  for (auto blocks : {std::vector{liar}, many}) {
    auto failed = caf::error{};
    try {
      it.host().ask(about(std::move(blocks)));
    } catch (const co::failure& why) {
      failed = why.reason();
    }
    REQUIRE(failed);
    CHECK(to_fault(failed).kind == errc::configuration);
  }
  CHECK(it.told->requests_to("main").empty());
}

TEST_CASE("a model that cannot see what is attached is not asked",
          "[content]") {
  constexpr auto exchanges = "exchanges:\n  - reply: {text: seen}\n";
  bench blind{std::string{"model: {images: false}\n"} + exchanges};
  blind.start();
  auto order = scripted_host::request("What is it?");
  order.attachments = {image_block()};
  auto run = blind.host().ask(order);
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::configuration);
  CHECK(run.error.message == "the model takes no images");
  CHECK(run.error.where.find("dot.png") != std::string::npos);
  CHECK(run.usage.model_requests == 0);
  CHECK(blind.messages().empty()); // nothing is stored as if it was asked
  order.attachments = {text_block("text")};
  CHECK(blind.host().ask(order).status == run_status::completed);

  bench simple{std::string{"model: {documents: false}\n"} + exchanges};
  simple.start();
  order.attachments = {pdf_block()};
  CHECK(simple.host().ask(order).error.kind == errc::configuration);
  order.attachments = {image_block()};
  CHECK(simple.host().ask(order).status == run_status::completed);
}

TEST_CASE("a conversation with images goes on with a model that takes none",
          "[content]") {
  bench it{"exchanges:\n  - reply: {text: seen}\n"};
  test::temp_dir folder;
  auto file = folder.write("blind.yaml",
                           "cassette: 1\nmodel: {images: false}\nexchanges:\n"
                           "  - reply: {text: unused}\n"
                           "  - reply: {text: \"{{input}}\"}\n");
  it.start();
  auto order = scripted_host::request("What is it?");
  order.attachments = {image_block()};
  CHECK(it.host().ask(order).status == run_status::completed);
  order.attachments.clear();
  order.input = "Sure?";
  order.model = "cassette:" + file;
  auto run = it.host().ask(order);
  CHECK(run.status == run_status::completed);
  CHECK(run.response == "Sure?");
  CHECK(it.messages().front()->blocks.size() == 1); // it stays in the log
}

TEST_CASE("a run that was put off has what was attached", "[content]") {
  talk it;
  auto order = queue_run{};
  order.request = about({image_block(), image_block()});
  auto object = it.host().run_later(order);
  CHECK(object.status == run_status::queued);
  it.start(); // another process
  auto resumption = resume_run{};
  resumption.run_id = object.run_id;
  auto run = it.host().resume(resumption);
  CHECK(run.wait().status == run_status::completed);
  auto user = it.last_user();
  REQUIRE(user.blocks.size() == 2);
  CHECK(*user.blocks[1].bytes == png_bytes());
}
