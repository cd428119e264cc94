#pragma once

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/conformance/backend_case.hpp"

#include <future>
#include <source_location>
#include <string>
#include <utility>

namespace troupe::backend_conformance {

// What the cases are written with.

using where = std::source_location;

[[noreturn]] inline void fail(const std::string& what,
                              const where& at = where::current()) {
  throw failure{std::string{at.function_name()} + ", line "
                + std::to_string(at.line()) + ": " + what};
}

/// Fails unless `holds`, which `what` says in words.
inline void expect(bool holds, const std::string& what,
                   const where& at = where::current()) {
  if (!holds)
    fail("expected that " + what, at);
}

/// Fails unless both texts are equal.
inline void expect_text(const std::string& found, const std::string& wanted,
                        const where& at = where::current()) {
  if (found != wanted)
    fail("\"" + found.substr(0, 200) + "\" instead of \""
           + wanted.substr(0, 200) + "\"",
         at);
}

/// The value of `x`, which must be one.
template <class T>
T value_of(caf::expected<T> x, const where& at = where::current()) {
  if (!x)
    fail("the call failed: " + to_fault(x.error()).message, at);
  return std::move(*x);
}

/// Fails unless `x` is an error that a model may read: of kind tool or policy,
/// with a sentence.
template <class T>
void expect_refusal(const caf::expected<T>& x, const std::string& what,
                    const where& at = where::current()) {
  if (x)
    fail("expected that " + what + " is refused", at);
  auto failed = to_fault(x.error());
  if (failed.kind != errc::tool && failed.kind != errc::policy)
    fail(what + " is refused as " + to_string(failed.kind) + ": "
           + failed.message,
         at);
  if (failed.message.empty())
    fail(what + " is refused without a word", at);
}

inline opened_backend open(const backend_factory& make,
                           const sandbox_settings& policy = {},
                           const where& at = where::current()) {
  auto result = value_of(make(policy), at);
  expect(result.files != nullptr, "it has files", at);
  return result;
}

inline void write(const opened_backend& on, const std::string& path,
                  const std::string& content,
                  const where& at = where::current()) {
  value_of(on.files->write({path, content, {}}), at);
}

inline std::string read(const opened_backend& on, const std::string& path,
                        const where& at = where::current()) {
  return value_of(on.files->read({path, 1, 0}), at).content;
}

inline process_spec plan(const opened_backend& on, process_request request,
                         const where& at = where::current()) {
  return value_of(on.plan(request), at);
}

inline process_spec shell(const opened_backend& on, const std::string& script,
                          const where& at = where::current()) {
  return plan(on, {{"sh", "-c", script}, {}, {}, {}}, at);
}

inline caf::expected<process_result> run(const opened_backend& on,
                                         process_spec spec) {
  auto result = std::promise<caf::expected<process_result>>{};
  on.commands->start(std::move(spec),
                     [&result](auto x) { result.set_value(std::move(x)); });
  return result.get_future().get();
}

/// Runs a script that must come to its end.
inline process_result run(const opened_backend& on, const std::string& script,
                          const where& at = where::current()) {
  return value_of(run(on, shell(on, script, at)), at);
}

inline bool runs_commands(const backend_traits& x) {
  return x.runs_commands;
}

inline bool has_streams(const backend_traits& x) {
  return x.runs_commands && x.has_streams;
}

inline bool is_contained(const backend_traits& x) {
  return x.runs_commands && x.is_contained;
}

inline bool has_named_paths(const backend_traits& x) {
  return x.has_named_paths;
}

inline bool shows_named_paths(const backend_traits& x) {
  return x.runs_commands && x.is_contained && x.has_named_paths;
}

} // namespace troupe::backend_conformance
