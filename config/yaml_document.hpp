#pragma once

#include "caf/expected.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Where a text came from.
struct yaml_source {
  /// What messages call it: a path, "environment NAME", "flag --set".
  std::string name;
  /// The folder that relative paths in it count from; empty: the working
  /// directory.
  std::string folder;
  /// Whether `${NAME}` stays as it is, as in a value that came from the
  /// environment itself.
  bool is_literal = false;
};

enum class yaml_kind : uint8_t { null, scalar, sequence, mapping };

struct yaml_member;

/// A value of a YAML text with its place. Aliases are already copies of what
/// they name, so a tree has no links. Plain data.
struct yaml_node {
  yaml_kind kind = yaml_kind::null;
  /// Whether a scalar was written in quotes, as a block or as `!!str`, and so
  /// is text whatever it looks like.
  bool quoted = false;
  /// Counted from 1, columns in bytes; 0 for what has no place.
  uint32_t line = 0;
  uint32_t column = 0;
  std::shared_ptr<const yaml_source> source;
  /// Of a scalar, as written: no variable is expanded yet.
  std::string text;
  /// Of a sequence.
  std::vector<yaml_node> items;
  /// Of a mapping, in the order of the text; no key occurs twice.
  std::vector<yaml_member> members;
};

/// A key and its value. A key is always a scalar.
struct yaml_member {
  yaml_node key;
  yaml_node value;
};

/// The member of a mapping called `key`, or null.
const yaml_node* find_member(const yaml_node& mapping, std::string_view key);

/// "FILE:LINE:COLUMN", or the name of the source alone for what has no place.
std::string where(const yaml_node& node);

/// What a hostile text may cost.
struct yaml_limits {
  size_t bytes = 1u << 20;
  size_t depth = 64;
  /// Nodes after aliases are copied; their text may add up to four times
  /// `bytes`.
  size_t nodes = 100'000;
};

/// Parses one YAML document; an empty text is a null node. `name` is what
/// messages call the text, usually its path. A syntax error, text that is not
/// UTF-8 or holds control characters, a key twice, a key that is not a scalar,
/// a second document, an application tag and a text beyond `limits` are
/// `errc::configuration` with the place.
caf::expected<yaml_node> parse_yaml(std::string_view text, yaml_source source,
                                    const yaml_limits& limits = {});

/// As above for a file, which must be a regular one. Its folder becomes the
/// source's folder.
caf::expected<yaml_node> parse_yaml_file(const std::string& path,
                                         const yaml_limits& limits = {});

} // namespace troupe
