#include "troupe/config/errc.hpp"

#include "caf/atom.hpp"
#include "caf/exit_reason.hpp"
#include "caf/sec.hpp"

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
caf::message pack(fault what) {
  return caf::make_message(std::move(what.message), std::move(what.where),
                           std::move(what.hint), what.status, what.retryable,
                           what.retry_after);
}

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
  auto code = static_cast<uint8_t>(what.kind);
  return caf::error{code, category, pack(std::move(what))};
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
    if (!unpack(why.context(), result))
      result.message = to_string(result.kind);
  } else {
    result.kind = kind_of_system_error(why);
    result.message = caf::to_string(why);
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
