// A durable workflow: what was done is never done again, also not by the
// process that goes on with it days later.
#include <boost/describe.hpp>
#include <troupe/actors/troupe.hpp>

#include <iostream>
#include <string>
#include <vector>

using namespace troupe;

struct order {
  std::string topic;
  std::vector<std::string> sources;
};

BOOST_DESCRIBE_STRUCT(order, (), (topic, sources))

struct note {
  std::string source;
  std::string text;
};

BOOST_DESCRIBE_STRUCT(note, (), (source, text))

struct report {
  std::string text;
  std::string decision;
};

BOOST_DESCRIBE_STRUCT(report, (), (text, decision))

struct decision {
  bool publish = false;
};

BOOST_DESCRIBE_STRUCT(decision, (), (publish))

// A plain function may block: it runs on the pool, beside the other step.
note fetch_note(std::string source) {
  std::cout << "fetching " + source + "\n";
  return {source, "what " + source + " says"};
}

// A coroutine gets a context of its own.
co::task<std::string> write_draft(workflow_context flow, std::string topic) {
  auto text = co_await flow.run_agent("writer", "Write about " + topic + ".");
  co_return text;
}

co::task<report> publish(workflow_context flow, order x) {
  // Several at once; each is stored as soon as it is there.
  auto steps = std::vector<checkpoint_step<note>>{};
  for (const auto& source : x.sources)
    steps.emplace_back("note." + source,
                       [source] { return fetch_note(source); });
  auto notes = co_await flow.checkpoint_all(std::move(steps), 2);

  auto files = std::vector<staged_file>{};
  for (const auto& one : notes)
    files.push_back({one.source + ".txt", one.text});
  co_await flow.stage(std::move(files));

  auto draft = [topic = x.topic](workflow_context inner) {
    return write_draft(inner, topic);
  };
  auto text = co_await flow.checkpoint("draft", draft);
  auto values = to_json_text(note{x.topic, text});
  co_await flow.artifact_from_template("report.md", "# {{source}}\n{{text}}\n",
                                       std::move(values));

  // Ends this run here, for as long as it takes; no thread waits.
  auto answer = co_await flow.suspend("is this fit to print?", "review");
  auto said = from_json_text<decision>(answer);
  if (!said || !said->publish)
    co_return report{text, "kept back"};
  flow.emit("published", to_json_text(x));
  co_return report{text, "published"};
}

int main(int, char** argv) {
  auto writer = agent{"writer"};
  writer.model("cassette:" + std::string{argv[1]});
  writer.use("read_file");

  auto options = runtime_options{};
  options.agents = {writer};
  options.workflows = {make_workflow("publish", publish)};
  options.settings.storage.in_memory = true;
  runtime host{options};

  auto request = run_request{};
  request.agent = "publish";
  request.input = R"({"topic": "bees", "sources": ["a", "b"]})";
  auto first = host.ask(request);
  std::cout << to_string(first.status) << ": " << first.suspension.reason
            << "\n";

  // Days later; with a store on disk also in another process.
  auto next = resume_run{};
  next.run_id = first.run_id;
  next.input_json = R"({"publish": true})";
  auto second = host.resume(next).wait();
  std::cout << to_string(second.status) << ": " << second.response << "\n";
  auto text = host.artifact(first.run_id, "report.md");
  if (text && *text)
    std::cout << (*text)->content;
}
