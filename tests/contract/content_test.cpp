#include "support/catch.hpp"
#include "support/sample_blocks.hpp"

#include "contract/place.hpp"

#include <filesystem>

#include <unistd.h>

using namespace troupe;
using nlohmann::json;
using test::lines_of;
using test::pdf_bytes;
using test::place;
using test::png_bytes;

namespace {

constexpr auto seeing = R"(
  - expect: {attachments: [{name: dot.png, media_type: image/png}, {name: notes.txt}]}
    reply: {text: "A dot."}
  - reply: {text: "Still a dot."}
)";

/// The folder with an image and a document beside its notes.
struct files : place {
  files() : place(seeing, "") {
    folder().write("dot.png", png_bytes());
    folder().write("paper.pdf", pdf_bytes());
  }
};

json content_of(const place& here, const std::string& session) {
  auto shown = here.run({"sessions", "show", session, "--json"});
  REQUIRE(shown.code == 0);
  return json::parse(shown.out)["messages"][0]["content"];
}

} // namespace

TEST_CASE("troupe run attaches files, and sessions show names them",
          "[contract]") {
  files here;
  auto run = here.run({"run", "guide.yaml", "What?", "--session", "s",
                       "--attach", "dot.png", "--attach", "notes.txt"});
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK(run.out == "A dot.\n");
  auto content = content_of(here, "s");
  REQUIRE(content.size() == 3);
  CHECK(content[0]["text"] == "What?");
  CHECK(content[1]["type"] == "image");
  CHECK(content[1]["media_type"] == "image/png");
  CHECK(content[1]["name"] == "dot.png");
  CHECK(content[1]["size"] == png_bytes().size());
  CHECK(content[1]["digest"].get<std::string>().size() == 64);
  CHECK(content[1].size() == 5); // and no bytes
  CHECK(content[2]["type"] == "document");
  CHECK(content[2]["media_type"] == "text/plain");
  auto text = here.run({"sessions", "show", "s"});
  CHECK(text.out.find("user: [image dot.png, image/png") != std::string::npos);
  CHECK(here.run({"run", "guide.yaml", "Sure?", "--session", "s"}).out
        == "Still a dot.\n");
}

TEST_CASE("an exported session with images can be imported and gone on with",
          "[contract]") {
  files here;
  REQUIRE(here
            .run({"run", "guide.yaml", "What?", "--session", "s", "--attach",
                  "dot.png", "--attach", "notes.txt"})
            .code
          == 0);
  auto text = here.run({"sessions", "export", "s"}).out;
  REQUIRE(here.run({"sessions", "import", "--store", "other"}, text).code == 0);
  CHECK(here.run({"sessions", "export", "s", "--store", "other"}).out == text);
  CHECK(
    here
      .run({"run", "guide.yaml", "Sure?", "--session", "s", "--store", "other"})
      .out
    == "Still a dot.\n");
}

TEST_CASE("what cannot be attached is exit code 2, and nothing runs",
          "[contract]") {
  files here;
  here.folder().write("bad.bin", std::string(10, '\0'));
  here.folder().write("empty.txt", "");
  here.folder().write("large.bin", "");
  std::filesystem::resize_file(here.folder().path() / "large.bin",
                               (20u << 20) + 1);
  std::filesystem::create_directory(here.folder().path() / "folder");
  for (auto name :
       {"none.png", "folder", "bad.bin", "empty.txt", "large.bin"}) {
    CAPTURE(name);
    auto done = here.run({"run", "guide.yaml", "What?", "--attach", name});
    CHECK(done.code == 2);
    CHECK(done.err.starts_with("troupe: configuration: "));
    CHECK(done.err.find(name) != std::string::npos);
    CHECK(done.out.empty());
  }
  auto many = std::vector<std::string>{"run", "guide.yaml", "What?"};
  for (auto i = 0; i < 33; ++i)
    many.insert(many.end(), {"--attach", "dot.png"});
  CHECK(here.run(many).code == 2);
  auto runs = here.run({"runs", "list", "--json"});
  CHECK(json::parse(runs.out).empty());
}

TEST_CASE("a model that takes no images is refused before it is asked",
          "[contract]") {
  files here;
  here.folder().write("model.yaml",
                      "cassette: 1\nmodel: {images: false, documents: false}\n"
                      "exchanges:\n  - reply: {text: read}\n");
  for (auto name : {"dot.png", "paper.pdf"}) {
    auto done = here.run(
      {"run", "guide.yaml", "What?", "--session", "s", "--attach", name});
    CHECK(done.code == 2);
    CHECK(done.err.find("the model takes no") != std::string::npos);
    CHECK(done.err.find(name) != std::string::npos);
  }
  CHECK(here.run({"sessions", "show", "s"}).code == 2); // there is none
  auto text = here.run({"run", "guide.yaml", "What?", "--attach", "notes.txt"});
  CHECK(text.out == "read\n");
}

TEST_CASE("a run that is put off keeps what was attached", "[contract]") {
  files here;
  auto queued
    = here.run({"run", "guide.yaml", "What?", "--session", "s", "--attach",
                "dot.png", "--attach", "notes.txt", "--later"});
  REQUIRE(queued.code == 0);
  std::filesystem::remove(here.folder().path() / "dot.png"); // it has its own
  auto worked = here.run({"work", "--once", "--json"});
  INFO(worked.err);
  CHECK(worked.code == 0);
  CHECK(lines_of(worked.out).at(0)["response"] == "A dot.");
  CHECK(content_of(here, "s").size() == 3);
}

TEST_CASE("a recording names attachments and holds none of their bytes",
          "[contract]") {
  files here;
  auto attach = std::vector<std::string>{"run",      "guide.yaml", "What?",
                                         "--attach", "dot.png",    "--attach",
                                         "notes.txt"};
  auto record = attach;
  record.insert(record.end(), {"--record", "tape.yaml"});
  REQUIRE(here.run(record).code == 0);
  auto tape = here.folder().read("tape.yaml");
  CHECK(tape.find("dot.png") != std::string::npos);
  CHECK(tape.find("IHDR") == std::string::npos);
  CHECK(tape.find("base64") == std::string::npos);
  attach.insert(attach.end(), {"--model", "cassette:tape.yaml"});
  CHECK(here.run(attach).out == "A dot.\n");
  here.folder().write("dot.png", png_bytes("another"));
  CHECK(here.run(attach).code == 1);
}

TEST_CASE("every participant of an assembly has what the run was asked about",
          "[contract]") {
  files here;
  here.folder().write("blind.yaml",
                      "agent: blind\nmodel: cassette:blind.model.yaml\n");
  here.folder().write("blind.model.yaml",
                      "cassette: 1\nmodel: {images: false}\nexchanges:\n"
                      "  - expect: {last_user: this model takes no images}\n"
                      "    reply: {text: I see nothing.}\n");
  here.folder().write("flow.yaml", "workflow: flow\nsteps:\n"
                                   "  - {invoke: blind.yaml, as: blind}\n"
                                   "  - {invoke: guide.yaml, as: guide}\n");
  auto done = here.run({"run", "flow.yaml", "What?", "--attach", "dot.png",
                        "--attach", "notes.txt"});
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK(done.out.find("A dot.") != std::string::npos);
}
