#pragma once

#include "caf/error.hpp"

#include <string_view>

namespace troupe {

/// The `errc::storage` error for `code`, an errno or one of LMDB's, which came
/// while `doing` something ("cannot write"). Its `where` is empty: whoever
/// knows the path adds it, see `add_where`.
caf::error lmdb_error(int code, std::string_view doing);

/// `why` with `where`, unless it says where already.
caf::error add_where(const caf::error& why, std::string_view where);

} // namespace troupe
