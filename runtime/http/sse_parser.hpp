#pragma once

#include "caf/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// One server-sent event. The views are valid until the next call of the
/// parser that gave it.
struct sse_event {
  /// The `event` field; empty when none was sent.
  std::string_view event;
  /// The `data` lines, joined by newlines; bytes as they came.
  std::string_view data;
  /// The last `id` seen in the stream, this event's or an earlier one's.
  std::string_view id;
};

/// Cuts a stream of bytes into server-sent events, wherever the network cut
/// the stream itself. Time is linear in the bytes; buffers are reused, so an
/// event costs no allocation once they have grown. A value for one stream and
/// one thread.
///
///     parser.feed(bytes);
///     while (auto event = parser.next())
///       use(*event);
///     if (auto err = parser.error())
///       ...
class sse_parser {
public:
  /// The most bytes one event may have, its field names included.
  static constexpr size_t default_limit = size_t{8} << 20;

  explicit sse_parser(size_t event_limit = default_limit);

  /// Gives the next bytes of the stream, which must stay where they are until
  /// `next` has returned nothing.
  void feed(std::string_view bytes);

  /// Says that the stream has ended: an event without its final blank line is
  /// complete now.
  void finish();

  /// The next complete event, or nothing until there are more bytes.
  std::optional<sse_event> next();

  /// `errc::protocol` once an event went beyond the limit; nothing follows.
  caf::error error() const;

private:
  // The next whole line without its end; false when the input holds none.
  bool read_line(std::string_view& line);

  // Where the line at the start of the input ends, or npos.
  size_t find_line_end();

  // Whether the event may grow by `bytes`.
  bool fits(size_t bytes);

  // What `line` says goes into the event; true when it completes one.
  bool take_line(std::string_view line);

  void take_field(std::string_view name, std::string_view value);

  // Whether there was an event to hand out; its type ends in either case.
  bool complete();

  size_t limit_;
  std::string_view input_;
  // Where the next line feed of the input is, so that a stream of bare
  // carriage returns does not search for one again at each line.
  const char* line_feed_ = nullptr;
  // The beginning of a line whose end has not come.
  std::string line_;
  std::string data_;
  std::string event_;
  std::string id_;
  size_t data_lines_ = 0;
  size_t event_bytes_ = 0;
  bool started_ = false;
  bool line_taken_ = false;
  bool event_taken_ = false;
  bool skip_line_feed_ = false;
  bool finished_ = false;
  bool overflow_ = false;
};

} // namespace troupe
