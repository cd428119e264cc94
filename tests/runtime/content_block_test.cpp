#include "troupe/runtime/content/content_block.hpp"

#include "support/sample_blocks.hpp"
#include "support/temp_dir.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/content/media_type.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

#include <sys/stat.h>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Why something is refused, which it must be before anything runs.
fault refusal(const caf::expected<content_block>& outcome) {
  REQUIRE_FALSE(outcome);
  auto what = to_fault(outcome.error());
  CHECK(what.kind == errc::configuration);
  return what;
}

std::string message_of(const caf::error& why) {
  REQUIRE(why);
  CHECK(to_fault(why).kind == errc::configuration);
  return to_fault(why).message;
}

} // namespace

TEST_CASE("bytes are known by what they begin with", "[content]") {
  CHECK(sniff_media_type(png_bytes()) == "image/png");
  CHECK(sniff_media_type("\xFF\xD8\xFF\xE0rest") == "image/jpeg");
  CHECK(sniff_media_type("GIF89a\1") == "image/gif");
  CHECK(sniff_media_type("RIFF\1\2\3\4WEBPVP8 ") == "image/webp");
  CHECK(sniff_media_type("RIFF\1\2\3\4WAVEfmt ") == "text/plain");
  CHECK(sniff_media_type(pdf_bytes()) == "application/pdf");
  CHECK(sniff_media_type("# Title", "a.md") == "text/markdown");
  CHECK(sniff_media_type("a,b", "a.csv") == "text/csv");
  CHECK(sniff_media_type("na\xC3\xAFve", "a.png") == "text/plain");
  CHECK(sniff_media_type("na\xEFve").empty());
  CHECK(sniff_media_type("a\0b"sv).empty());
  CHECK(sniff_media_type(png_bytes().substr(0, 7)).empty());
}

TEST_CASE("a block says what it is", "[content]") {
  auto block = image_block();
  CHECK(is_image(block));
  CHECK(block.size == png_bytes().size());
  CHECK(*block.bytes == png_bytes());
  CHECK(block.digest.size() == 64);
  CHECK(block.digest == image_block({}, "other.png").digest);
  CHECK(block.digest != image_block("x").digest);
  auto shown = block_json(block);
  CHECK(shown["type"] == "image");
  CHECK(shown["media_type"] == "image/png");
  CHECK(shown["name"] == "dot.png");
  CHECK(shown["size"] == block.size);
  CHECK(shown["digest"] == block.digest);
  CHECK_FALSE(is_image(pdf_block()));
  CHECK_FALSE(is_text(pdf_block()));
  CHECK(is_text(text_block("x")));
  CHECK(describe_block(text_block("xy"))
        == "document \"notes.md\" (text/markdown, 2 bytes)");
}

TEST_CASE("a block is refused where it is not what it is said to be",
          "[content]") {
  refusal(make_block(png_bytes(), "image/jpeg"));
  refusal(make_block("text", "image/png"));
  refusal(make_block("text", "application/pdf"));
  refusal(make_block(png_bytes(), "text/plain"));
  refusal(make_block("\xFF\xFE", "text/plain"));
  refusal(make_block("x", "no media type"));
  refusal(make_block("x", "text/"));
  refusal(make_block("x", "text/a\nb"));
  CHECK(make_block("\1\2", "application/octet-stream"));
  CHECK(make_block("{}", "application/json"));
  CHECK(make_block("x", "text/plain; charset=utf-8"));
}

TEST_CASE("a block is refused where nothing is known of its bytes",
          "[content]") {
  auto why = refusal(make_block(std::string{"\x7F"
                                            "ELF\2\1\0"sv},
                                {}, "a.out"));
  CHECK(why.message.find("no image") != std::string::npos);
  CHECK(why.where == "a.out");
  CHECK_FALSE(why.hint.empty());
}

TEST_CASE("a block is neither empty nor larger than 20 MiB", "[content]") {
  refusal(make_block(""));
  CHECK(make_block(std::string(largest_block, 'x')));
  refusal(make_block(std::string(largest_block + 1, 'x')));
}

TEST_CASE("a block's name is a line of text", "[content]") {
  refusal(make_block("x", {}, std::string(256, 'n')));
  refusal(make_block("x", {}, "a\nb"));
  refusal(make_block("x", {}, "\xFF"));
  CHECK(make_block("x", {}, std::string(255, 'n')));
}

TEST_CASE("a file is read as a block with its name", "[content]") {
  auto folder = temp_dir{};
  auto block = read_block(folder.write("chart.png", png_bytes()));
  REQUIRE(block);
  CHECK(block->name == "chart.png");
  CHECK(block->media_type == "image/png");
}

TEST_CASE("what cannot be read as a block is refused with its path",
          "[content]") {
  auto folder = temp_dir{};
  auto path = (folder.path() / "none.png").string();
  CHECK(refusal(read_block(path)).where == path);
  refusal(read_block(folder.path().string()));
  auto pipe = (folder.path() / "pipe").string();
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  refusal(read_block(pipe)); // and does not wait for a writer
  auto binary = folder.write("a.bin", std::string(3, '\0'));
  CHECK(refusal(read_block(binary)).where == binary);
  refusal(read_block(folder.write("empty.txt", "")));
  std::filesystem::resize_file(binary, largest_block + 1);
  CHECK(refusal(read_block(binary)).message.find("larger")
        != std::string::npos);
}

TEST_CASE("the blocks of a message are checked whoever made them",
          "[content]") {
  CHECK_FALSE(check_blocks({image_block(), pdf_block(), text_block("x")}));
  auto liar = image_block();
  liar.size = 1;
  message_of(check_blocks({liar}));
  liar = image_block();
  liar.bytes = {};
  message_of(check_blocks({liar}));
  liar = image_block();
  liar.media_type = "image/jpeg";
  message_of(check_blocks({liar}));
  liar = image_block();
  liar.media_type = "image/png\",\"x\":\"";
  message_of(check_blocks({liar}));
  auto many = std::vector<content_block>(most_message_blocks, image_block());
  CHECK_FALSE(check_blocks(many));
  many.push_back(image_block());
  message_of(check_blocks(many));
  auto large = text_block(std::string(largest_block, 'x'));
  CHECK_FALSE(check_blocks({large, large}));
  message_of(check_blocks({large, large, large}));
}

TEST_CASE("a model is asked about what it can see only", "[content]") {
  auto can = model_capabilities{};
  auto all = std::vector{image_block(), pdf_block(), text_block("x")};
  CHECK_FALSE(check_blocks(all, can));
  can.images = false;
  CHECK(message_of(check_blocks(all, can)) == "the model takes no images");
  CHECK_FALSE(check_blocks({pdf_block(), text_block("x")}, can));
  can = {};
  can.documents = false;
  CHECK(message_of(check_blocks(all, can))
        == "the model takes no documents but texts");
  CHECK_FALSE(check_blocks({image_block(), text_block("x")}, can));
}
