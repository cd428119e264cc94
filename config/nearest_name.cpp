#include "troupe/config/nearest_name.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

// A hostile file has many names, and comparing two is quadratic: neither
// longer ones nor more are compared.
constexpr size_t max_length = 64;
constexpr size_t max_known = 64;

size_t difference(size_t a, size_t b) {
  return a < b ? b - a : a - b;
}

using row = std::array<size_t, max_length + 1>;

// Optimal string alignment distance.
size_t distance(std::string_view a, std::string_view b) {
  auto before_last = row{};
  auto last = row{};
  auto current = row{};
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      auto changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = current;
  }
  return last[b.size()];
}

} // namespace

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> known) {
  auto result = std::optional<std::string>{};
  if (name.size() > max_length)
    return result;
  auto best = std::max<size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : known.first(std::min(known.size(), max_known))) {
    if (candidate.size() > max_length
        || difference(name.size(), candidate.size()) >= best)
      continue;
    auto found = distance(name, candidate);
    if (found < best) {
      best = found;
      result = candidate;
    }
  }
  return result;
}

} // namespace troupe
