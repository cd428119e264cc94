#include "troupe/runtime/content/shown_blocks.hpp"

#include "support/sample_blocks.hpp"

#include "troupe/runtime/model/context_plan.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

chat_message_ptr said(std::string text, std::vector<content_block> blocks,
                      message_role role = message_role::user) {
  auto result = chat_message{};
  result.role = role;
  result.text = std::move(text);
  result.blocks = std::move(blocks);
  return chat_message_ptr{std::move(result)};
}

content_block large_block(char fill) {
  return text_block(std::string(largest_block, fill), "large.txt");
}

} // namespace

TEST_CASE("a model that sees everything is shown everything", "[content]") {
  auto messages = std::vector{said("look", {image_block(), pdf_block()}),
                              said("so", {}, message_role::assistant)};
  auto shown = show_blocks(messages, {});
  REQUIRE(shown.size() == 2);
  CHECK(shown[0].pointer() == messages[0].pointer()); // not even copied
  CHECK(shown[1].pointer() == messages[1].pointer());
}

TEST_CASE("a model is told in a line what it cannot see", "[content]") {
  auto can = model_capabilities{};
  can.images = false;
  auto blocks = std::vector{image_block(), text_block("x"), image_block("2")};
  auto shown = show_blocks({said("look", blocks)}, can);
  CHECK(shown[0]->text
        == "look\n[image \"dot.png\" (image/png, "
             + std::to_string(blocks[0].size)
             + " bytes) is not shown: this model takes no images]\n"
               "[image \"dot.png\" (image/png, "
             + std::to_string(blocks[2].size)
             + " bytes) is not shown: this model takes no images]");
  REQUIRE(shown[0]->blocks.size() == 1);
  CHECK(is_text(shown[0]->blocks[0]));
  can = {};
  can.documents = false;
  shown = show_blocks({said("", {pdf_block()})}, can);
  CHECK(shown[0]->blocks.empty());
  CHECK(shown[0]->text.starts_with("[document \"paper.pdf\""));
}

TEST_CASE("the result of a tool stays JSON when its image is not shown",
          "[content]") {
  auto can = model_capabilities{};
  can.images = false;
  auto shown = show_blocks({said("{}", {image_block()}, message_role::tool)},
                           can);
  CHECK(shown[0]->text == "{}");
  CHECK(shown[0]->blocks.empty());
}

TEST_CASE("a request has the newest blocks that fit, without holes",
          "[content]") {
  auto messages
    = std::vector{said("oldest", {image_block()}),
                  said("old", {large_block('a')}),
                  said("new", {large_block('b'), large_block('c')})};
  auto shown = show_blocks(messages, {});
  CHECK(shown[2]->blocks.size() == 2);
  CHECK(shown[1]->blocks.empty());
  CHECK(shown[1]->text.find("newer ones leave no room") != std::string::npos);
  CHECK(shown[0]->blocks.empty()); // small, but behind one that did not fit
}

TEST_CASE("a block whose bytes are in the store alone is not shown",
          "[content]") {
  auto block = image_block();
  block.bytes = {};
  CHECK(show_blocks({said("x", {block})}, {})[0]->blocks.empty());
}

TEST_CASE("a context counts what is attached", "[content]") {
  auto tokens = [](std::vector<content_block> blocks) {
    return estimate_tokens({said("x", std::move(blocks))}, {});
  };
  auto bare = tokens({});
  CHECK(tokens({image_block()}) == bare + 1500);
  CHECK(tokens({text_block(std::string(40'000, 'x'))}) >= bare + 10'000);
  CHECK(tokens({pdf_block()}) == bare + 1500);
}

TEST_CASE("a transcript names what was attached", "[content]") {
  auto text = transcript_of({said("look", {image_block()})}, 1, 0);
  CHECK(text.find("user shows the image \"dot.png\"") != std::string::npos);
}
