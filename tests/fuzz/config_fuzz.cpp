#include "troupe/config/load_agent.hpp"
#include "troupe/config/load_settings.hpp"
#include "troupe/config/show_settings.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

using namespace troupe;

namespace {

const auto environment
  = environment_map{{"A", "1"}, {"B", ""}, {"LANG", "two words: [x]"}};

// Every refusal says what is wrong and where.
void check_refusal(const caf::error& why) {
  for (const auto& fault : to_faults(why))
    if (fault.kind != errc::configuration || fault.message.empty()
        || fault.where.empty())
      std::abort();
}

// Without comments, so that places do not count.
std::string values_of(const loaded_settings& x) {
  auto lines = std::istringstream{show_settings(x)};
  auto result = std::string{};
  for (auto line = std::string{}; std::getline(lines, line);)
    result += line.substr(0, line.rfind("# ")) + '\n';
  return result;
}

void check_settings(std::string_view text) {
  auto x = parse_settings(text, "fuzz.yaml", environment);
  if (!x)
    return check_refusal(x.error());
  show_settings_json(*x);
  auto shown = show_settings(*x);
  // A mask is not what it hides.
  if (shown.find("***") != std::string::npos)
    return;
  auto again = parse_settings(shown, "shown.yaml");
  if (!again || values_of(*again) != values_of(*x))
    std::abort();
}

void check_agent(std::string_view text) {
  auto x = parse_agent(text, "fuzz.yaml", "/nonexistent", environment);
  if (!x)
    check_refusal(x.error());
}

} // namespace

// Whatever a configuration's text is, it is read or refused with a place, and
// what was read can be shown and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto text = std::string_view{reinterpret_cast<const char*>(data), size};
  check_settings(text);
  check_agent(text);
  return 0;
}
