#pragma once

#include "troupe/actors/agent/agent.hpp"
#include "troupe/actors/assembly_builder.hpp"
#include "troupe/actors/model/model_catalog.hpp"
#include "troupe/actors/run/run_catalog.hpp"
#include "troupe/config/environment_layer.hpp"

#include "caf/expected.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// What definitions are checked against.
struct catalog_sources {
  model_catalog_spec models;
  /// Tools of the application, found by name before the built-in ones.
  std::vector<tool> tools;
  environment_map environment;
};

/// What an application defines.
struct own_definitions {
  std::vector<agent> agents;
  std::vector<workflow> workflows;
  std::vector<assembly> assemblies;
};

/// All that a runtime can run, by name: what the application defines and what
/// is in the files that the settings name. Everything that could fail in the
/// middle of a run fails here: a model that is not configured, a tool or a
/// participant that does not exist, a schema or a graph that is not valid, a
/// sandbox that cannot be had. `errc::configuration` says all of it.
caf::expected<run_catalog> load_catalog(const own_definitions& own,
                                        const catalog_sources& sources);

/// An assembly that was made at run time, checked as above, beside what is
/// known already.
caf::expected<run_definition> make_definition(const assembly& one,
                                              const run_catalog& known,
                                              const catalog_sources& sources);

/// What one file defines, checked as a whole; its participants may be of
/// `known`.
caf::expected<run_definition> load_definition(const std::string& file,
                                              const run_catalog& known,
                                              const catalog_sources& sources);

} // namespace troupe
