#pragma once

#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/runtime/co/task.hpp"

#include <string>
#include <vector>

namespace troupe {

// What a workflow does with the files and the artifacts of its run.

/// The run's sandbox, made when it is first needed: whether it can be opened
/// shows when it is used.
const sandbox_actor& need_sandbox(const workflow_context& flow);

/// The same, open. Throws why it cannot be opened.
co::task<sandbox_actor> sandbox_of(workflow_context flow);

/// Keeps an artifact; when it is there from an earlier leg just so, nothing
/// happens.
co::task<void> keep_artifact(workflow_context flow, std::string name,
                             std::string content, std::string media_type);

co::task<void> keep_file(workflow_context flow, std::string name,
                         std::string path, std::string media_type);

co::task<void> keep_rendered(workflow_context flow, std::string name,
                             std::string text, std::string values,
                             std::string media_type);

co::task<void> stage_files(workflow_context flow,
                           std::vector<staged_file> files);

co::task<std::vector<std::string>> write_artifacts(workflow_context flow);

} // namespace troupe
