#pragma once

#include "troupe/config/assembly_settings.hpp"

#include <string>

namespace troupe {

/// An assembly as a Mermaid flowchart, the assemblies in it as subgraphs. What
/// users called things is text in it, whatever it looks like.
std::string to_mermaid(const assembly_settings& x);

} // namespace troupe
