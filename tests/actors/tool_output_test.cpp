#include "support/sample_blocks.hpp"

#include "actors/agent_bench.hpp"
#include "actors/scripted_model.hpp"
#include <nlohmann/json.hpp>

#include <filesystem>
#include <future>

using namespace troupe;
using namespace troupe::test;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr auto one_call = R"(
exchanges:
  - reply: {tool_calls: [{id: c1, name: make}]}
  - reply: {text: "done"}
)";

/// An agent whose tool "make" does what a test wants of it, in a workspace with
/// a folder for artifacts.
struct maker {
  explicit maker(tool::function body, const std::string& cassette = one_call)
    : maker(spec_of(), std::move(body), cassette) {
    // nop
  }

  maker(tool_spec spec, tool::function body,
        const std::string& cassette = one_call)
    : on(cassette) {
    on.calc().use(tool{std::move(spec), std::move(body)});
    on.options().settings.sandbox.provider = "unrestricted";
    on.options().settings.workspace.root = folder.path().string();
    on.options().settings.workspace.paths = {{"artifacts", "artifacts"}};
    on.options().on_log = [](log_level, const std::string&) {};
  }

  static tool_spec spec_of() {
    auto result = tool_spec{};
    result.name = "make";
    return result;
  }

  /// The result of the call as its model sees it.
  json result() {
    auto run = on.ask("go");
    CHECK(run.status == run_status::completed);
    return json::parse(result_message().text);
  }

  chat_message result_message() {
    for (const auto& one : on.messages())
      if (one->role == message_role::tool)
        return *one;
    FAIL("no result");
    return {};
  }

  /// Files that lie under the path `artifacts`, by their names.
  std::map<std::string, std::string> stored() {
    auto result = std::map<std::string, std::string>{};
    auto root = folder.path() / "artifacts";
    if (fs::exists(root))
      for (const auto& one : fs::recursive_directory_iterator{root})
        if (one.is_regular_file())
          result[one.path().filename().string()]
            = folder.read(fs::relative(one.path(), folder.path()).string());
    return result;
  }

  temp_dir folder;
  bench on;
};

std::string error_of(const json& result) {
  REQUIRE(result.contains("error"));
  return result["error"];
}

} // namespace

TEST_CASE("a tool gives files beside its value", "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("sum.csv", "a,b\n1,2\n");
    context.artifact("raw.bin", std::string(3, '\0'));
    context.artifact("late.txt", "text/plain", [] { return "made later"; });
    return R"({"rows":1})";
  }};
  auto result = it.result();
  CHECK(result["rows"] == 1);
  REQUIRE(result["artifacts"].size() == 3);
  const auto& first = result["artifacts"][0];
  CHECK(first["name"] == "sum.csv");
  CHECK(first["media_type"] == "text/csv");
  CHECK(first["bytes"] == 8);
  CHECK(first["path"].get<std::string>().starts_with("workspace://artifacts/"));
  CHECK(result["artifacts"][1]["media_type"] == "application/octet-stream");
  CHECK(it.stored()
        == std::map<std::string, std::string>{{"sum.csv", "a,b\n1,2\n"},
                                              {"raw.bin", std::string(3, '\0')},
                                              {"late.txt", "made later"}});
  CHECK(it.result_message().blocks.empty());
}

TEST_CASE("a value that is no object stands beside its files", "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("a.txt", "x");
    return "plain";
  }};
  auto result = it.result();
  CHECK(result["result"] == "plain");
  CHECK(result["artifacts"][0]["name"] == "a.txt");
}

TEST_CASE("files of a call are told as events", "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("a.txt", "x");
    return "1";
  }};
  auto request = scripted_host::request("go");
  request.with_events = true;
  auto run = it.on.start().start(request);
  auto seen = std::vector<json>{};
  for (const auto& event : read_all(run))
    if (event.type == event_type::artifact)
      seen.push_back(json::parse(event.data_json));
    else if (event.type == event_type::tool_result)
      CHECK(seen.size() == 1); // before the result that names it
  REQUIRE(seen.size() == 1);
  CHECK(seen[0]["name"] == "a.txt");
  CHECK(seen[0]["call_id"] == "c1");
  CHECK(seen[0]["bytes"] == 1);
}

TEST_CASE("all files of a call are stored or none, and the call with them",
          "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("good.txt", "x");
    context.set_state("made", "true");
    context.artifact("folder/bad.txt", "y");
    return "1";
  }};
  CHECK(error_of(it.result()).find("cannot name an artifact")
        != std::string::npos);
  CHECK(it.result_message().is_error);
  CHECK(it.stored().empty());

  maker late{[](tool_context context, std::string) {
    context.artifact("good.txt", "x");
    context.artifact("late.txt", "text/plain", []() -> std::string {
      throw tool_error{"the printer is on fire"};
    });
    return "1";
  }};
  CHECK(error_of(late.result()) == "the printer is on fire");
  CHECK(late.stored().empty());
}

TEST_CASE("what a resolver throws by accident is hidden from the model",
          "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("late.txt", "", []() -> std::string {
      throw std::runtime_error{"password=hunter2"};
    });
    return "1";
  }};
  CHECK(error_of(it.result()) == "the tool failed");
}

TEST_CASE("the limits of artifacts hold for what tools give", "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("a.txt", std::string(100, 'x'));
    return "1";
  }};
  it.on.options().settings.sandbox.artifacts.file = 99;
  CHECK(error_of(it.result()).find("sandbox.artifacts.file")
        != std::string::npos);
  CHECK(it.stored().empty());
}

TEST_CASE("a call that fails gives no files", "[artifacts]") {
  maker it{[](tool_context context, std::string) -> std::string {
    context.artifact("a.txt", "x");
    throw tool_error{"no"};
  }};
  CHECK(error_of(it.result()) == "no");
  CHECK(it.stored().empty());
}

TEST_CASE("where there is no place for artifacts the model is told",
          "[artifacts]") {
  maker it{[](tool_context context, std::string) {
    context.artifact("a.txt", "x");
    return "1";
  }};
  it.on.options().settings.workspace.paths.clear();
  CHECK(error_of(it.result()).find("no place for artifacts")
        != std::string::npos);
}

TEST_CASE("a model that sees images is shown those that tools give",
          "[artifacts]") {
  auto draw = [](tool_context context, nothing) {
    context.artifact("dot.png", png_bytes());
    context.artifact("fake.png", "no image", "image/png");
    context.artifact("notes.txt", "text");
    return std::string{"drawn"};
  };
  scripted_host it;
  it.calc.use(
    make_tool("draw", "Draws.",
              static_cast<std::string (*)(tool_context, nothing)>(draw)));
  it.told->main = [](const model_request&, size_t number) {
    return caf::expected<model_batch>{number == 1 ? calls("draw")
                                                  : says("nice")};
  };
  CHECK(it.ask("Draw.").status == run_status::completed); // in memory
  auto shown = it.told->requests_to("main").back().messages.back();
  CHECK(shown->role == message_role::tool);
  REQUIRE(shown->blocks.size() == 1);
  CHECK(shown->blocks[0].name == "dot.png");
  CHECK(*shown->blocks[0].bytes == png_bytes());
  it.start(); // the next process still has it
  CHECK(it.ask("And?").status == run_status::completed);
  auto messages = it.told->requests_to("main").back().messages;
  for (const auto& one : messages)
    if (one->role == message_role::tool)
      CHECK(*one->blocks.at(0).bytes == png_bytes());
}

TEST_CASE("a model that sees no images is given the reference alone",
          "[artifacts]") {
  maker it{[](tool_context context, std::string) {
             context.artifact("dot.png", png_bytes());
             return "1";
           },
           std::string{"model: {images: false}"} + one_call};
  CHECK(it.result()["artifacts"][0]["media_type"] == "image/png");
  CHECK(it.result_message().blocks.empty());
}

TEST_CASE("a value that is too long is stored and shown in part",
          "[artifacts]") {
  auto text = std::string{};
  for (auto i = 0; text.size() < 300'000; ++i)
    text += "line " + std::to_string(i) + "\n";
  maker it{[text](tool_context, std::string) { return text; }};
  auto result = it.result();
  CHECK(result["preview"].get<std::string>().starts_with("line 0\nline 1\n"));
  CHECK(result["preview"].get<std::string>().size() < 3000);
  CHECK(result["bytes"] == text.size());
  CHECK(result["stored"].get<std::string>().ends_with("/result.txt"));
  CHECK_FALSE(result.contains("artifacts"));
  CHECK(it.stored()["result.txt"] == text);
}

TEST_CASE("a long value is stored with the files of its call", "[artifacts]") {
  auto list = json::array();
  for (auto i = 0; i < 100'000; ++i)
    list.push_back(i);
  maker it{[text = list.dump()](tool_context context, std::string) {
    context.artifact("result.json", "mine");
    return text;
  }};
  auto result = it.result();
  CHECK(result["stored"].get<std::string>().ends_with("/result_2.json"));
  REQUIRE(result["artifacts"].size() == 1);
  CHECK(result["artifacts"][0]["name"] == "result.json");
  CHECK(it.stored()["result_2.json"] == list.dump());
}

TEST_CASE("a long value that cannot be stored is an error that says why",
          "[artifacts]") {
  maker it{[](tool_context, std::string) { return std::string(300'000, 'x'); }};
  it.on.options().settings.workspace.paths.clear();
  auto error = error_of(it.result());
  CHECK(error.find("300002 bytes, more than the 262144") != std::string::npos);
  CHECK(error.find("no place for artifacts") != std::string::npos);
}

TEST_CASE("files of calls at once are stored apart", "[artifacts]") {
  maker it{[](tool_context context, std::string) {
             context.artifact("same.txt", context.call_id());
             return "1";
           },
           R"(
exchanges:
  - reply: {tool_calls: [{id: c1, name: make}, {id: c2, name: make}]}
  - reply: {text: "done"}
)"};
  CHECK(it.on.ask("go").status == run_status::completed);
  auto contents = std::set<std::string>{};
  auto root = it.folder.path() / "artifacts";
  for (const auto& one : fs::recursive_directory_iterator{root})
    if (one.is_regular_file())
      contents.insert(
        it.folder.read(fs::relative(one.path(), it.folder.path()).string()));
  CHECK(contents == std::set<std::string>{"c1", "c2"});
}

TEST_CASE("a run that is cancelled while files are made ends at once",
          "[artifacts]") {
  auto begun = std::promise<void>{};
  auto may_end = std::promise<void>{};
  maker it{[&](tool_context context, std::string) {
    context.artifact("late.txt", "", [&] {
      begun.set_value();
      may_end.get_future().wait();
      return std::string{"x"};
    });
    return std::string{"1"};
  }};
  auto request = scripted_host::request("go");
  auto run = it.on.start().start(request);
  begun.get_future().wait();
  run.cancel();
  may_end.set_value();
  CHECK(run.wait().status == run_status::cancelled);
  CHECK(it.stored().empty());
  check_pairing(it.on.messages());
}
