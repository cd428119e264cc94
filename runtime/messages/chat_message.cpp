#include "troupe/runtime/messages/model_messages.hpp"
#include "troupe/runtime/messages/sandbox_messages.hpp"
