#pragma once

// Everything an application needs, in one header.

#include "troupe/actors/agent_builder.hpp"
#include "troupe/actors/execution.hpp"
#include "troupe/actors/runtime.hpp"
#include "troupe/config/settings.hpp"
#include "troupe/runtime/co/failure.hpp"
#include "troupe/runtime/messages/register.hpp"
