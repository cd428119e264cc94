#include "troupe/sandbox/remote/remote_protocol.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/remote/base64.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

using nlohmann::json;

constexpr auto names = std::array<std::pair<remote_call, const char*>, 5>{{
  {remote_call::read, "read"},
  {remote_call::write, "write"},
  {remote_call::exec, "exec"},
  {remote_call::close, "close"},
  {remote_call::cancel, "cancel"},
}};

constexpr auto deepest = 8;

// A message that is not what it should be; ends in this file.
class wrong_shape : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

json parse(std::string_view text) {
  if (text.size() > max_remote_message)
    throw wrong_shape{"it is too long"};
  auto depth_ok = [](int depth, json::parse_event_t, json&) {
    if (depth > deepest)
      throw wrong_shape{"it is too deep"};
    return true;
  };
  auto result = json::parse(text.begin(), text.end(), depth_ok);
  if (!result.is_object())
    throw wrong_shape{"it is no object"};
  return result;
}

std::string bytes_of(const json& from, const char* name) {
  auto bytes = from_base64(from.at(name).get_ref<const std::string&>());
  if (!bytes)
    throw wrong_shape{std::string{name} + " is no base64"};
  return std::move(*bytes);
}

int64_t number_of(const json& from, const char* name, int64_t most) {
  const auto& x = from.at(name);
  if (!x.is_number_integer() && !x.is_number_unsigned())
    throw wrong_shape{std::string{name} + " is no whole number"};
  auto result = x.is_number_unsigned() && x.get<uint64_t>() > INT64_MAX
                  ? INT64_MAX
                  : x.get<int64_t>();
  if (result < 0 || result > most)
    throw wrong_shape{std::string{name} + " is out of its range"};
  return result;
}

uint64_t identity_of(const json& from) {
  return static_cast<uint64_t>(number_of(from, "id", INT64_MAX));
}

json to_json(const remote_command& x) {
  using std::chrono::milliseconds;
  return {{"argv", x.argv},
          {"directory", x.directory},
          {"environment", x.environment},
          {"stdin", to_base64(x.stdin_text)},
          {"timeout",
           std::chrono::duration_cast<milliseconds>(x.timeout).count()},
          {"output", x.output}};
}

remote_command command_in(const json& x) {
  constexpr auto longest = int64_t{1000} * 3600 * 24 * 365;
  auto result = remote_command{};
  result.argv = x.at("argv").get<std::vector<std::string>>();
  result.directory = x.at("directory").get<std::string>();
  result.environment
    = x.at("environment").get<std::map<std::string, std::string>>();
  result.stdin_text = bytes_of(x, "stdin");
  result.timeout = std::chrono::milliseconds{number_of(x, "timeout", longest)};
  result.output
    = static_cast<uint64_t>(number_of(x, "output", max_remote_message));
  return result;
}

remote_outcome outcome_in(const json& x) {
  auto result = remote_outcome{};
  result.stdout_text = bytes_of(x, "stdout");
  result.stderr_text = bytes_of(x, "stderr");
  result.status = static_cast<int32_t>(number_of(x, "status", 255));
  result.signal = static_cast<int32_t>(number_of(x, "signal", 64));
  result.timed_out = x.at("timed_out").get<bool>();
  result.truncated = x.at("truncated").get<bool>();
  return result;
}

json result_json(const remote_answer& x, remote_call call) {
  if (call == remote_call::read)
    return {{"content", to_base64(x.content)}};
  if (call != remote_call::exec)
    return json::object();
  return {{"stdout", to_base64(x.outcome.stdout_text)},
          {"stderr", to_base64(x.outcome.stderr_text)},
          {"status", x.outcome.status},
          {"signal", x.outcome.signal},
          {"timed_out", x.outcome.timed_out},
          {"truncated", x.outcome.truncated}};
}

// What a server did not say is troupe's to doubt, not a model's to mend.
caf::error error_in(const json& x) {
  auto kind = x.at("kind").get<std::string>();
  auto message = x.at("message").get<std::string>();
  if (kind == "tool")
    return make_error(errc::tool, std::move(message));
  if (kind == "cancelled")
    return make_error(errc::cancelled, std::move(message));
  return make_error(errc::sandbox, std::move(message));
}

// UTF-8 that is none is replaced: JSON has no other text.
std::string dump(const json& x) {
  return x.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Runs what may throw because of a message.
template <class T, class F>
caf::expected<T> read_message(F f) {
  try {
    return f();
  } catch (const std::exception& wrong) {
    return make_error(errc::sandbox,
                      std::string{"a message of a remote sandbox is wrong: "}
                        + wrong.what());
  }
}

} // namespace

std::string encode(const remote_request& x) {
  auto result = x.call == remote_call::exec ? to_json(x.command)
                                            : json::object();
  result["id"] = x.id;
  for (const auto& [call, name] : names)
    if (call == x.call)
      result["call"] = name;
  if (x.call == remote_call::read || x.call == remote_call::write)
    result["path"] = x.path;
  if (x.call == remote_call::write)
    result["content"] = to_base64(x.content);
  return dump(result);
}

caf::expected<remote_request> decode_request(std::string_view text) {
  return read_message<remote_request>([text] {
    auto x = parse(text);
    auto result = remote_request{};
    result.id = identity_of(x);
    auto name = x.at("call").get<std::string>();
    const auto* known
      = std::find_if(names.begin(), names.end(),
                     [&name](const auto& one) { return one.second == name; });
    if (known == names.end())
      throw wrong_shape{"there is no such call"};
    result.call = known->first;
    if (result.call == remote_call::read || result.call == remote_call::write)
      result.path = x.at("path").get<std::string>();
    if (result.call == remote_call::write)
      result.content = bytes_of(x, "content");
    if (result.call == remote_call::exec)
      result.command = command_in(x);
    return result;
  });
}

std::string encode(const remote_answer& x, remote_call call) {
  auto result = json{{"id", x.id}};
  if (x.failed) {
    auto failed = to_fault(x.failed);
    result["error"] = {{"kind", to_string(failed.kind)},
                       {"message", failed.message}};
  } else {
    result["result"] = result_json(x, call);
  }
  return dump(result);
}

caf::expected<remote_answer> decode_answer(std::string_view text,
                                           remote_call call) {
  return read_message<remote_answer>([text, call] {
    auto x = parse(text);
    auto result = remote_answer{};
    result.id = identity_of(x);
    if (x.contains("error")) {
      result.failed = error_in(x.at("error"));
      return result;
    }
    const auto& inner = x.at("result");
    if (!inner.is_object())
      throw wrong_shape{"its result is no object"};
    if (call == remote_call::read)
      result.content = bytes_of(inner, "content");
    if (call == remote_call::exec)
      result.outcome = outcome_in(inner);
    return result;
  });
}

caf::expected<uint64_t> id_in(std::string_view text) {
  return read_message<uint64_t>([text] { return identity_of(parse(text)); });
}

} // namespace troupe
