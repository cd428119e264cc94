#pragma once

#include "troupe/config/secret.hpp"
#include "troupe/runtime/messages/model_messages.hpp"

#include "caf/error.hpp"
#include "caf/expected.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

struct recorded_turn;

/// The file that a recording to `path` is written to: `path`, or what it leads
/// to where it is a link. It is replaced as a whole, so it must be a regular
/// file or not there, in a folder that this process may write to:
/// `errc::configuration` where not.
caf::expected<std::string> recording_file(const std::string& path);

/// Writes the exchanges of one conversation with any model down as a cassette
/// that plays the same events: `--record`. The file is replaced as a whole
/// after each exchange, so a crash keeps what was recorded. Credentials never
/// reach it: bearer tokens, "sk-…" keys and the secrets that it was given
/// become "***". One owner; each call writes to the disk, so not on a thread
/// that must not wait.
class cassette_writer {
public:
  /// Records to `path`; its folder must exist. Nothing is written yet.
  cassette_writer(std::string path, std::vector<secret> secrets);

  /// Adds a whole turn: `events` as the model gave them, `retry` included,
  /// `stop` at last. What the conversation already held and was not recorded
  /// here comes first, so that the count of replies agrees. A request with
  /// fewer replies than were recorded belongs to another conversation:
  /// `errc::cassette`. A file that cannot be written is `errc::configuration`.
  caf::error add(const model_request& request,
                 const std::vector<model_event>& events);

  /// Adds a turn that ended with `failure` after `events`. Errors that no
  /// provider reports, such as a cancel, leave no trace.
  caf::error add(const model_request& request,
                 const std::vector<model_event>& events,
                 const caf::error& failure);

private:
  caf::error catch_up(const model_request& request);
  void add_retries(const std::vector<model_event>& events);
  void write(recorded_turn x);
  caf::error save() const;
  std::string hide(std::string text) const;

  std::string path_;
  std::vector<secret> secrets_;
  std::string text_;
  size_t replies_ = 0;
};

} // namespace troupe
