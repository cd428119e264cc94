#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// C++ source with its parts blanked out: every character is replaced by a
/// space and every line break kept, so that offsets and lines still hold.
struct code_text {
  /// Comments kept, the contents of string and character literals blank.
  std::string without_literals;
  /// Literals kept, comments blank.
  std::string without_comments;
  /// Comments, literals and preprocessor lines blank: what a compiler runs.
  std::string code;
};

code_text read_code(std::string_view source);

/// The ```cpp blocks of a Markdown page; its other lines are blank.
std::string cpp_blocks(std::string_view page);

/// The line, counted from 1, of the character at `offset`.
std::size_t line_at(std::string_view text, std::size_t offset);

/// Where `word` stands as a whole word in `code`.
std::vector<std::size_t> find_words(std::string_view code,
                                    std::string_view word);

/// Whether `x` can be part of a name.
bool is_name_char(char x) noexcept;

/// The offset of the next character that is no white space, at or after
/// `offset`; the size of `code` when there is none.
std::size_t skip_space(std::string_view code, std::size_t offset);

/// The offset of the bracket that closes the one at `open`, which is one of
/// ( [ { <; `npos` when none does.
std::size_t closing(std::string_view code, std::size_t open);

/// `text` without white space at its ends.
std::string_view trim(std::string_view text);

} // namespace troupe::test
