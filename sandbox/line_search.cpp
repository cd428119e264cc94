#include "troupe/sandbox/line_search.hpp"

#include "troupe/config/errc.hpp"
#include "troupe/sandbox/utf8.hpp"
#include "troupe/sandbox/workspace_path.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

constexpr auto max_pattern = size_t{4096};
constexpr auto max_memory = int64_t{2} << 20;
constexpr auto shown_characters = size_t{500};

// The most that is matched at once, so that the time is looked at often enough
// even where RE2 falls back to its slow way. A match across the border of two
// such windows of one huge line is missed.
constexpr auto window = size_t{64} << 10;

std::string_view take_line(std::string_view& text) {
  auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

std::string shorten(std::string_view line) {
  // Four bytes are the longest character.
  auto text = repair_utf8(line.substr(0, shown_characters * 4));
  text.resize(cut_characters(text, shown_characters).size());
  return text;
}

class re2_search : public line_search {
public:
  re2_search(const std::string& pattern, const re2::RE2::Options& options)
    : expression_(pattern, options) {
    // nop
  }

  const re2::RE2& expression() const {
    return expression_;
  }

  bool run(const std::string& path, std::string_view text, size_t most,
           const time_budget& time, std::vector<grep_match>& result) override {
    auto number = uint64_t{0};
    while (!text.empty()) {
      auto line = take_line(text);
      if (number++ % 1024 == 0 && time.is_spent())
        return false;
      if (!matches(line, time))
        continue;
      if (result.size() == most)
        return false;
      result.push_back(grep_match{path, number, shorten(line)});
    }
    return true;
  }

private:
  bool matches(std::string_view line, const time_budget& time) const {
    do {
      auto piece = line.substr(0, window);
      if (re2::RE2::PartialMatch({piece.data(), piece.size()}, expression_))
        return true;
      line.remove_prefix(piece.size());
    } while (!line.empty() && !time.is_spent());
    return false;
  }

  re2::RE2 expression_;
};

} // namespace

caf::expected<std::shared_ptr<line_search>>
line_search::make(const std::string& pattern) {
  if (pattern.size() > max_pattern)
    return make_error(errc::tool,
                      "the pattern is too long: at most 4096 bytes");
  auto options = re2::RE2::Options{};
  options.set_log_errors(false);
  options.set_max_mem(max_memory);
  auto result = std::make_shared<re2_search>(pattern, options);
  if (!result->expression().ok())
    return make_error(
      errc::tool, "the pattern " + in_quotes(pattern) + " is not valid RE2: "
                    + repair_utf8(result->expression().error()));
  return std::static_pointer_cast<line_search>(std::move(result));
}

line_search::~line_search() {
  // nop
}

} // namespace troupe
