#pragma once

// Everything an application needs, in one header.

#include "troupe/actors/agent_builder.hpp"
#include "troupe/actors/assembly_builder.hpp"
#include "troupe/actors/execution.hpp"
#include "troupe/actors/result_of.hpp"
#include "troupe/actors/runtime.hpp"
#include "troupe/actors/workflow/make_workflow.hpp"
#include "troupe/actors/workflow/workflow_context.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/content/content_block.hpp"
#include "troupe/runtime/messages/register.hpp"
