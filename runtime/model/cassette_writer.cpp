#include "troupe/runtime/model/cassette_writer.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/runtime/model/cassette_text.hpp"
#include "troupe/runtime/model/hide_secrets.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

// Of the last user message; the rest of a long one proves nothing more.
constexpr size_t max_expected = 200;

void take(recorded_turn& into, const model_event& event) {
  switch (event.kind) {
    case model_event_kind::text_delta:
      into.text += event.text;
      break;
    case model_event_kind::reasoning_delta:
      into.reasoning += event.text;
      break;
    case model_event_kind::tool_call:
      into.calls.push_back(event.call);
      break;
    case model_event_kind::usage:
      into.usage = event.usage;
      break;
    case model_event_kind::stop:
      into.stop = event.stop;
      break;
    case model_event_kind::retry:
      break;
  }
}

chat_message_ptr last_user_of(const model_request& request) {
  for (auto i = request.messages.rbegin(); i != request.messages.rend(); ++i)
    if ((*i)->role == message_role::user)
      return *i;
  return {};
}

// A piece of the message that is there with and without its secrets.
std::string expected_piece(const std::string& text, const std::string& hidden) {
  auto [end, other] = std::mismatch(text.begin(), text.end(), hidden.begin(),
                                    hidden.end());
  auto piece = std::string{text.begin(), end};
  piece.resize(code_point_offset(piece, max_expected));
  return sanitize_utf8(piece) == piece ? piece : std::string{};
}

caf::error write_error(const std::string& path) {
  return make_error(errc::configuration, "cannot write the cassette", path,
                    "record to a file in a folder that exists");
}

// As many links as the kernel follows.
constexpr auto most_links = 40;

} // namespace

caf::expected<std::string> recording_file(const std::string& path) {
  auto failed = std::error_code{};
  auto file = fs::absolute(path, failed);
  // By hand: the last link may lead to a file that is still to be made.
  for (auto left = most_links; left > 0 && fs::is_symlink(file, failed); --left)
    file = file.parent_path() / fs::read_symlink(file, failed);
  auto what = fs::symlink_status(file, failed);
  if (fs::exists(what) && !fs::is_regular_file(what))
    return make_error(errc::configuration,
                      "cannot write the cassette: it is no regular file", path,
                      "record to a file, which is replaced");
  auto is_there = what.type() == fs::file_type::regular
                  || what.type() == fs::file_type::not_found;
  if (!is_there || !file.has_filename()
      || ::access(file.parent_path().c_str(), W_OK) != 0)
    return write_error(path);
  return file.string();
}

cassette_writer::cassette_writer(std::string path, std::vector<secret> secrets)
  : path_(std::move(path)),
    secrets_(std::move(secrets)),
    text_(cassette_head) {
  // nop
}

std::string cassette_writer::hide(std::string text) const {
  text = hide_secrets(text, secret{});
  for (const auto& known : secrets_)
    text = hide_secrets(text, known);
  return text;
}

caf::error cassette_writer::add(const model_request& request,
                                const std::vector<model_event>& events) {
  if (auto why = catch_up(request))
    return why;
  add_retries(events);
  auto result = recorded_turn{};
  for (const auto& event : events)
    take(result, event);
  auto user = last_user_of(request);
  result.last_user = expected_piece(user->text, hide(user->text));
  result.attachments = user->blocks;
  for (auto& block : result.attachments)
    if (hide(block.name) != block.name)
      block.name.clear();
  write(std::move(result));
  return save();
}

caf::error cassette_writer::add(const model_request& request,
                                const std::vector<model_event>& events,
                                const caf::error& failure) {
  auto what = to_fault(failure);
  if (!is_provider_error(what.kind))
    return {};
  if (auto why = catch_up(request))
    return why;
  add_retries(events);
  auto pieces = std::count_if(events.begin(), events.end(),
                              [](const auto& x) { return is_piece(x.kind); });
  what.message = hide(what.message);
  text_ += to_cassette_text(what, static_cast<size_t>(pieces));
  return save();
}

caf::error cassette_writer::catch_up(const model_request& request) {
  auto count = size_t{0};
  for (const auto& message : request.messages) {
    if (message->role != message_role::assistant || count++ < replies_)
      continue;
    auto known = recorded_turn{};
    known.text = message->text;
    known.calls = message->calls;
    write(std::move(known));
  }
  if (count < replies_)
    return make_error(errc::cassette,
                      "a cassette holds one conversation, and this request "
                      "belongs to another one",
                      path_);
  return {};
}

// The failures that a layer below has already retried.
void cassette_writer::add_retries(const std::vector<model_event>& events) {
  for (const auto& event : events) {
    if (event.kind != model_event_kind::retry)
      continue;
    auto what = fault{};
    what.kind = static_cast<errc>(event.error_kind);
    what.message = hide(event.text);
    what.status = event.status;
    if (is_provider_error(what.kind))
      text_ += to_cassette_text(what, 0);
  }
}

void cassette_writer::write(recorded_turn x) {
  x.text = hide(std::move(x.text));
  x.reasoning = hide(std::move(x.reasoning));
  for (auto& call : x.calls) {
    call.arguments = hide(std::move(call.arguments));
    call.raw = hide(std::move(call.raw));
  }
  text_ += to_cassette_text(x);
  ++replies_;
}

// A reader sees the old file or the new one.
caf::error cassette_writer::save() const {
  auto file = recording_file(path_);
  if (!file)
    return std::move(file.error());
  auto draft = *file + ".tmp" + std::to_string(::getpid());
  auto out = std::ofstream{draft, std::ios::binary | std::ios::trunc};
  out << text_;
  out.close();
  auto failed = std::error_code{};
  if (out)
    fs::rename(draft, *file, failed);
  if (out && !failed)
    return {};
  fs::remove(draft, failed);
  return write_error(path_);
}

} // namespace troupe
