#include "troupe/config/allow_list.hpp"

#include "troupe/config/errc.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr auto npos = std::string_view::npos;

caf::error not_an_entry(std::string_view text, std::string_view why,
                        std::string hint) {
  auto message = '`' + std::string{text} + "` " + std::string{why};
  return make_error(errc::configuration, std::move(message), {},
                    std::move(hint));
}

std::string forms() {
  return "write " + std::string{allow_entry_forms};
}

// The entry that was probably meant by an URL or a path.
std::string host_of(std::string_view text) {
  auto scheme = text.find("://");
  auto port = text.starts_with("http://") ? ":80" : ":443";
  if (scheme != npos)
    text.remove_prefix(scheme + 3);
  text = text.substr(0, text.find_first_of("/?#"));
  text.remove_prefix(text.rfind('@') + 1);
  auto host = std::string{text} + (text.find(':') == npos ? port : "");
  auto found = read_destination(host);
  return found ? to_string(*found) : host;
}

// Names the mistake in `text`, which is no entry.
caf::error explain(std::string_view text) {
  if (text.empty())
    return not_an_entry(text, "is empty", forms());
  if (text.find_first_of("/?#") != npos)
    return not_an_entry(text, "is not a host with a port",
                        "write " + host_of(text));
  if (text.find('@') != npos)
    return not_an_entry(text, "has a user name in it",
                        "write " + host_of(text));
  if (std::any_of(text.begin(), text.end(),
                  [](char x) { return x <= ' ' || x >= 0x7f; }))
    return not_an_entry(text, "has a character in it that no host name has",
                        "write a name that is not in ASCII in its form xn--…");
  auto bracket = text.rfind(']');
  auto colon = text.find(':', bracket == npos ? 0 : bracket);
  auto host = text.substr(0, colon);
  if (host.substr(host.starts_with("*.") ? 2 : 0).find('*') != npos)
    return not_an_entry(text, "has a `*` that is not its whole first label",
                        "write *.domain:port for every name below a domain");
  if (colon == npos)
    return not_an_entry(text, "has no port",
                        "write " + std::string{host} + ":443");
  if (text.find(':', colon + 1) != npos)
    return not_an_entry(text, "has too many colons",
                        "write an IPv6 address in brackets: [2001:db8::1]:443");
  if (!read_port(text.substr(colon + 1)))
    return not_an_entry(text, "has no port from 1 to 65535 after its colon",
                        "write " + std::string{host} + ":443");
  if (host.ends_with('.'))
    return not_an_entry(text, "has a dot after its host",
                        "write " + std::string{host.substr(0, host.size() - 1)}
                          + std::string{text.substr(colon)});
  return not_an_entry(text, "is not a host with a port", forms());
}

bool is_below(std::string_view name, std::string_view domain) {
  return name.size() > domain.size() + 1 && name.ends_with(domain)
         && name[name.size() - domain.size() - 1] == '.';
}

bool is_about(const allow_entry& entry, std::string_view host) {
  return entry.is_wildcard ? is_below(host, entry.host.text)
                           : host == entry.host.text;
}

} // namespace

caf::expected<allow_entry> parse_allow_entry(std::string_view text) {
  auto rest = text;
  auto result = allow_entry{};
  if (rest.starts_with("*.")) {
    result.is_wildcard = true;
    rest.remove_prefix(2);
  }
  auto found = read_destination(rest);
  if (!found)
    return explain(text);
  auto prefix = std::string{result.is_wildcard ? "*." : ""};
  if (found->host.kind == host_kind::number)
    return not_an_entry(text, "has a host that is only a number",
                        "write an IPv4 address as four numbers: "
                        "203.0.113.7:443");
  if (result.is_wildcard && found->host.kind == host_kind::address)
    return not_an_entry(text, "has a `*` before an address",
                        "write " + to_string(*found));
  if (to_string(*found) != rest)
    return not_an_entry(text, "is not in the spelling that is matched",
                        "write " + prefix + to_string(*found));
  result.host = std::move(found->host);
  result.port = found->port;
  return result;
}

caf::expected<allow_list>
allow_list::make(const std::vector<std::string>& entries) {
  auto result = allow_list{};
  for (const auto& text : entries) {
    auto entry = parse_allow_entry(text);
    if (!entry)
      return entry.error();
    result.entries_.push_back(std::move(*entry));
  }
  return result;
}

bool allow_list::allows(const network_destination& x) const {
  if (x.host.kind == host_kind::number)
    return false;
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
    // A wildcard is about names: it never matches the end of an address.
    auto is_kind = entry.host.kind == x.host.kind;
    return is_kind && entry.port == x.port && is_about(entry, x.host.text);
  });
}

bool allow_list::covers(std::string_view name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
    return entry.host.kind == host_kind::name && is_about(entry, name);
  });
}

} // namespace troupe
