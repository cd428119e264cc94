#pragma once

#include "support/catch.hpp"
#include "support/temp_dir.hpp"

#include "troupe/actors/troupe.hpp"

#include <boost/describe.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::test {

using namespace std::chrono_literals;

/// A runtime with workflows, and an agent "writer" whose model plays
/// `exchanges`.
class flow_bench {
public:
  explicit flow_bench(const std::string& exchanges = "  - reply: {text: hi}\n")
    : file_(
        folder_.write("model.yaml", "cassette: 1\nexchanges:\n" + exchanges)) {
    options_.settings.storage.in_memory = true;
    options_.settings.permissions.mode = permission_mode::auto_allow;
    options_.folder = folder_.path().string();
    writer_.model("cassette:" + file_);
  }

  agent& writer() {
    return writer_;
  }

  runtime_options& options() {
    return options_;
  }

  const temp_dir& folder() const {
    return folder_;
  }

  template <class In, class Out>
  flow_bench&
  add(std::string name, co::task<Out> (*body)(workflow_context, In)) {
    options_.workflows.push_back(make_workflow(std::move(name), body));
    return *this;
  }

  runtime& host() {
    if (!runtime_) {
      options_.agents.push_back(writer_);
      runtime_ = std::make_unique<runtime>(options_);
    }
    return *runtime_;
  }

  run_object ask(const std::string& name, const std::string& input = "in") {
    return host().ask(name, input);
  }

  run_object resume(const std::string& run_id, const std::string& input = {}) {
    auto order = resume_run{};
    order.run_id = run_id;
    order.input_json = input;
    return host().resume(order).wait();
  }

  /// Its stored events, which have no gaps.
  std::vector<run_event> events(const std::string& run_id) {
    auto result = host().run_events(run_id, 0, 10'000);
    REQUIRE(result);
    for (size_t i = 0; i < result->size(); ++i)
      CHECK((*result)[i].seq == i + 1);
    return *result;
  }

  std::vector<run_event> events(const std::string& run_id, event_type type) {
    auto result = events(run_id);
    std::erase_if(result, [type](const auto& x) { return x.type != type; });
    return result;
  }

  /// An artifact's content; "" where there is none.
  std::string artifact(const std::string& run_id, const std::string& name) {
    auto found = host().artifact(run_id, name);
    REQUIRE(found);
    return *found ? (**found).content : std::string{};
  }

private:
  temp_dir folder_;
  std::string file_;
  runtime_options options_;
  agent writer_{"writer"};
  std::unique_ptr<runtime> runtime_;
};

/// Whether `run` failed because the workflow is wrong, and says `what`.
inline bool is_refused(const run_object& run, const std::string& what) {
  INFO(to_string(run.status) << ": " << run.error.message);
  CHECK(run.status == run_status::failed);
  CHECK(run.error.kind == errc::configuration);
  CHECK(run.error.message.find(what) != std::string::npos);
  return run.error.message.find(what) != std::string::npos;
}

} // namespace troupe::test
