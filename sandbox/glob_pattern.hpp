#pragma once

#include "caf/expected.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Whether `*`, `?` and `**` match names that start with a dot.
enum class hidden_names : uint8_t {
  /// Only a part that starts with a dot itself does, and ".git" only ".git":
  /// what a search wants.
  explicit_only,
  /// As any name: what a rule about paths needs, for it must not be dodged.
  included,
};

/// A pattern for paths: `*` and `?` within a part, `[a-z]` and `[!a-z]`, `**`
/// as a part for any number of directories, `{a,b}`, `\` before a character
/// that means itself. Matches in time proportional to name times pattern, and
/// part by part, so that a walk enters no directory in vain. Immutable.
class glob_pattern {
public:
  /// Positions in the pattern that a path so far can have reached.
  using positions = std::vector<uint32_t>;

  /// Errors (kind tool): empty, absolute, "..", too long, an open bracket, too
  /// many alternatives.
  static caf::expected<glob_pattern>
  parse(std::string_view text,
        hidden_names hidden = hidden_names::explicit_only);

  /// Where a walk starts.
  positions start() const;

  /// The positions after a part called `name`; none: nothing can match beneath.
  positions step(const positions& from, std::string_view name) const;

  /// Whether a path that ends here matches.
  bool accepts(const positions& at) const;

  /// Whether a longer path may match.
  bool continues(const positions& at) const;

  /// Whether the pattern ends in '/' and so asks for directories.
  bool wants_directories() const noexcept {
    return wants_directories_;
  }

  /// Whether `path` ("a/b") matches as a whole.
  bool matches(std::string_view path) const;

private:
  struct token {
    enum class kind : uint8_t { character, any, any_run, set };

    kind what = kind::character;
    char32_t character = 0;
    bool negated = false;
    /// First and last character of each range.
    std::vector<std::pair<char32_t, char32_t>> ranges;
  };

  /// One part of one alternative; after the last comes an `end`.
  struct part {
    enum class kind : uint8_t { name, directories, end };

    kind what = kind::name;
    bool hidden = false;
    bool git = false;
    std::vector<token> tokens;
  };

  caf::error add_alternative(const std::u32string& text);
  caf::error add_part(const std::u32string& text);
  static caf::error read_set(const std::u32string& text, size_t& at,
                             token& result);
  static bool matches_token(const token& x, char32_t c);
  static bool matches_part(const part& x, const std::u32string& name);
  bool hides(const part& x, std::string_view name) const;
  void reach(positions& to, uint32_t position) const;

  std::vector<part> parts_;
  /// The first part of each alternative.
  positions starts_;
  bool wants_directories_ = false;
  hidden_names hidden_ = hidden_names::explicit_only;
};

} // namespace troupe
