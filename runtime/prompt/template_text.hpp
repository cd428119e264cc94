#pragma once

#include "caf/expected.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What a tag stands for that names nothing.
enum class missing_name : uint8_t {
  /// The text cannot be filled in.
  fault,
  /// Nothing, as long as its first part is known: `{{last_tool.error}}` of a
  /// result without an error. A misspelt first part is a fault.
  empty,
};

/// A variable or a section, by the name that the template has for it.
struct template_name {
  std::string name;
  /// The sections `{{#x}}` around it, whose values are looked into first.
  std::vector<std::string> inside;
};

/// A compiled Mustache template. Immutable; any thread.
///
/// Values are data: what is put in is never read as a template again, and
/// nothing is HTML-escaped, so `{{x}}`, `{{{x}}}` and `{{&x}}` are one.
/// Strings go in as they are, null as nothing, numbers as in JSON, objects and
/// arrays as compact JSON. `a.b.0` walks into objects and arrays. A section
/// `{{#x}}…{{/x}}` shows its content for each item of an array, or once for
/// anything but a missing name, null, false, "" and []; `{{^x}}` is its
/// opposite. Comments and changed delimiters work; partials do not exist.
class template_text {
public:
  /// The empty text.
  template_text() = default;

  /// A text that renders as itself, whatever it looks like.
  static template_text literal(std::string text);

  /// Compiles `text`. A tag or section that is not closed, one that closes
  /// another, a partial, and nesting deeper than 32 are `errc::configuration`
  /// with "NAME:LINE:COLUMN"; `name` is what messages call the template.
  static caf::expected<template_text> compile(std::string_view text,
                                              std::string name = {});

  /// Fills in `values`, an object. A tag that names nothing is
  /// `errc::configuration` and says which name, unless `missing` says
  /// otherwise; a result of more than 4 MiB
  /// and sections that repeat out of all proportion are refused too.
  caf::expected<std::string>
  render(const nlohmann::json& values,
         missing_name missing = missing_name::fault) const;

  /// What the tags name, in the order of the text.
  const std::vector<template_name>& names() const noexcept {
    return names_;
  }

  /// Whether the text has no tags and renders as itself.
  bool is_literal() const noexcept {
    return is_literal_;
  }

  /// The text that was compiled.
  const std::string& text() const noexcept {
    return text_;
  }

private:
  std::string text_;
  std::string name_;
  /// With each variable marked, so that it is told from a section's name.
  std::string marked_;
  std::vector<template_name> names_;
  bool is_literal_ = true;
};

/// Compiles and renders in one go.
caf::expected<std::string>
render_template(std::string_view text, const nlohmann::json& values,
                missing_name missing = missing_name::fault);

} // namespace troupe
