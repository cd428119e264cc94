#include "troupe/sandbox/text_replacement.hpp"

#include "troupe/config/errc.hpp"

namespace troupe {

namespace {

uint64_t count_of(std::string_view text, std::string_view what) {
  auto result = uint64_t{0};
  for (auto at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++result;
  return result;
}

std::string replace_all(std::string_view text, std::string_view from,
                        std::string_view to) {
  auto result = std::string{};
  for (auto at = text.find(from); at != std::string_view::npos;
       at = text.find(from)) {
    result.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return result.append(text);
}

// How often to replace: the sentence why not, or the count.
caf::expected<uint64_t> check_replacement(const replace_in_file_request& x,
                                          std::string_view text) {
  if (x.old_text.empty())
    return make_error(errc::tool, "old_text is empty: quote the text to "
                                  "replace");
  if (x.old_text == x.new_text)
    return make_error(errc::tool, "old_text and new_text are the same");
  auto count = count_of(text, x.old_text);
  if (count == 0)
    return make_error(errc::tool, "old_text was not found in " + x.path
                                    + ": it must match exactly");
  if (count > 1 && !x.all)
    return make_error(errc::tool, "old_text occurs " + std::to_string(count)
                                    + " times in " + x.path
                                    + ": quote more of it, or set all");
  return count;
}

} // namespace

caf::expected<replaced_text>
replace_text(const replace_in_file_request& request, std::string_view text,
             uint64_t most) {
  auto count = check_replacement(request, text);
  if (!count)
    return count.error();
  // Before the text is built: it may be many times as long. Nothing overflows,
  // for both factors are sizes of texts in memory that fit 32 bits.
  auto size = text.size() - *count * request.old_text.size()
              + *count * request.new_text.size();
  if (size > most)
    return make_error(errc::tool, request.path + " would exceed the limit of "
                                    + std::to_string(most)
                                    + " bytes for a file");
  return replaced_text{replace_all(text, request.old_text, request.new_text),
                       *count};
}

} // namespace troupe
