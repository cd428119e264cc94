#include "troupe/runtime/run/workflow_names.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/config/text_file.hpp"
#include "troupe/runtime/messages/run_messages.hpp"
#include "troupe/runtime/text/utf8.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr auto most_bytes = size_t{200};

caf::error wrong(std::string_view what, const std::string& name,
                 const std::string& why) {
  return make_error(errc::configuration,
                    "\"" + excerpt(sanitize_utf8(name), 60) + "\" cannot be "
                      + (what == "event" || what == "artifact" ? "an " : "a ")
                      + std::string{what} + ": " + why);
}

caf::error check_text(std::string_view what, const std::string& name) {
  auto is_control = [](char c) {
    auto code = static_cast<unsigned char>(c);
    return code < 0x20 || code == 0x7f;
  };
  if (name.empty() || name.size() > most_bytes)
    return wrong(what, name, "a name has 1 to 200 bytes");
  if (find_bad_utf8(name) || std::any_of(name.begin(), name.end(), is_control))
    return wrong(what, name, "a name is printable UTF-8");
  if (name.starts_with("troupe."))
    return wrong(what, name, "names in \"troupe.\" are reserved");
  return {};
}

} // namespace

caf::error check_name(std::string_view what, const std::string& name) {
  if (auto why = check_text(what, name))
    return why;
  if (name.find_first_of("/#") != std::string::npos)
    return wrong(what, name, "a name has no \"/\" and no \"#\"");
  return {};
}

caf::error check_event_name(const std::string& name) {
  if (auto why = check_name("event", name))
    return why;
  for (auto type = event_type{}; type <= last_event_type;
       type = static_cast<event_type>(static_cast<uint8_t>(type) + 1))
    if (name == to_string(type))
      return wrong("event", name, "runs use this type themselves");
  return {};
}

caf::error check_artifact_name(const std::string& name) {
  if (auto why = check_text("artifact", name))
    return why;
  auto padded = "/" + name + "/";
  for (const auto* part : {"//", "/./", "/../"})
    if (padded.find(part) != std::string::npos)
      return wrong("artifact", name, "a name is a relative path");
  return {};
}

} // namespace troupe
