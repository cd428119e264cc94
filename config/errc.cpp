#include "troupe/config/errc.hpp"

#include "caf/atom.hpp"
#include "caf/exit_reason.hpp"
#include "caf/message_builder.hpp"
#include "caf/sec.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

constexpr auto category = caf::atom("troupe");

struct named_kind {
  errc kind;
  std::string_view name;
};

constexpr auto names = std::array{
  named_kind{errc::auth, "auth"},
  named_kind{errc::rate_limit, "rate_limit"},
  named_kind{errc::overloaded, "overloaded"},
  named_kind{errc::invalid_request, "invalid_request"},
  named_kind{errc::context_length, "context_length"},
  named_kind{errc::timeout, "timeout"},
  named_kind{errc::network, "network"},
  named_kind{errc::protocol, "protocol"},
  named_kind{errc::cassette, "cassette"},
  named_kind{errc::limit, "limit"},
  named_kind{errc::tool, "tool"},
  named_kind{errc::permission, "permission"},
  named_kind{errc::sandbox, "sandbox"},
  named_kind{errc::policy, "policy"},
  named_kind{errc::storage, "storage"},
  named_kind{errc::structured_result, "structured_result"},
  named_kind{errc::routing, "routing"},
  named_kind{errc::configuration, "configuration"},
  named_kind{errc::cancelled, "cancelled"},
  named_kind{errc::internal, "internal"},
};

// The context of an error is built-in types only, so it crosses nodes without
// a registration.
void append(caf::message_builder& context, fault what) {
  context.append(std::move(what.message))
    .append(std::move(what.where))
    .append(std::move(what.hint))
    .append(what.status)
    .append(what.retryable)
    .append(what.retry_after);
}

// The elements of one fault; several follow each other in a context.
constexpr size_t fault_width = 6;

// Nobody reads more, and a hostile file could make any number.
constexpr size_t max_faults = 100;

bool unpack(const caf::message& context, fault& result) {
  if (!context.match_elements<std::string, std::string, std::string, int32_t,
                              bool, caf::timespan>())
    return false;
  result.message = context.get_as<std::string>(0);
  result.where = context.get_as<std::string>(1);
  result.hint = context.get_as<std::string>(2);
  result.status = context.get_as<int32_t>(3);
  result.retryable = context.get_as<bool>(4);
  result.retry_after = context.get_as<caf::timespan>(5);
  return true;
}

errc kind_of_system_error(const caf::error& why) {
  if (why == caf::sec::request_timeout)
    return errc::timeout;
  if (why == caf::exit_reason::user_shutdown || why == caf::exit_reason::kill)
    return errc::cancelled;
  return errc::internal;
}

} // namespace

std::string to_string(errc kind) {
  for (const auto& entry : names)
    if (entry.kind == kind)
      return std::string{entry.name};
  return "internal";
}

errc errc_from_string(std::string_view name) {
  for (const auto& entry : names)
    if (entry.name == name)
      return entry.kind;
  return errc::internal;
}

caf::error make_error(fault what) {
  return make_error(std::vector<fault>{std::move(what)});
}

caf::error make_error(errc kind, std::string message, std::string where,
                      std::string hint) {
  auto what = fault{};
  what.kind = kind;
  what.message = std::move(message);
  what.where = std::move(where);
  what.hint = std::move(hint);
  return make_error(std::move(what));
}

fault to_fault(const caf::error& why) {
  auto result = fault{};
  if (why.category() == category) {
    result.kind = static_cast<errc>(why.code());
    if (!unpack(why.context().take(fault_width), result))
      result.message = to_string(result.kind);
  } else {
    result.kind = kind_of_system_error(why);
    result.message = caf::to_string(why);
  }
  return result;
}

caf::error make_error(const std::vector<fault>& faults) {
  auto context = caf::message_builder{};
  auto shown = std::min(faults.size(), max_faults);
  for (size_t i = 0; i < shown; ++i)
    append(context, faults[i]);
  if (shown < faults.size()) {
    auto rest = fault{};
    rest.message = std::to_string(faults.size() - shown) + " more errors";
    append(context, std::move(rest));
  }
  auto code = static_cast<uint8_t>(faults.front().kind);
  return caf::error{code, category, context.to_message()};
}

std::vector<fault> to_faults(const caf::error& why) {
  auto result = std::vector<fault>{};
  if (!why)
    return result;
  result.push_back(to_fault(why));
  if (why.category() != category)
    return result;
  const auto& context = why.context();
  for (auto pos = fault_width; pos < context.size(); pos += fault_width) {
    auto& next = result.emplace_back();
    next.kind = result.front().kind;
    if (!unpack(context.slice(pos, fault_width), next))
      result.pop_back();
  }
  return result;
}

std::string render(const fault& what) {
  auto result = to_string(what.kind);
  result += ": ";
  result += what.message;
  if (!what.where.empty()) {
    result += " (";
    result += what.where;
    result += ')';
  }
  return result;
}

} // namespace troupe
