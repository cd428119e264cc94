#pragma once

#include "troupe/actors/workflow/helper_host.hpp"

#include <string>

namespace troupe {

/// The word for it, for models and in the store.
std::string to_string(helper_status x);

/// What is stored of a helper beside its answer, as JSON.
std::string helper_json(const helper& x);

/// A helper as it was stored, without its id and its definition. Throws
/// `co::failure` where it cannot be read.
helper helper_from(const std::string& json_text);

} // namespace troupe
