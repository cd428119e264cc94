#pragma once

#include "rules/code_text.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::test {

/// Something that a rule forbids, and where it begins.
struct offence {
  std::size_t offset = 0;
  std::string rule;
};

/// g++ 12 miscompiles an await in a condition, beside a braced list or a
/// lambda, or in one arm of an expression. What it compiles right, and all
/// that is allowed, is one await a statement, written
///
///     co_await e;    x = co_await e;    auto x = co_await e;
///     co_return co_await e;
///
/// `code` is `code_text::code`.
std::vector<offence> check_awaits(std::string_view code);

/// A coroutine that is a lambda loses its captures, and one that takes a
/// reference may outlive what it refers to: a coroutine is a named function
/// with parameters by value.
std::vector<offence> check_coroutine_functions(std::string_view code);

} // namespace troupe::test
