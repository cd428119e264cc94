#include "troupe/runtime/messages/model_messages.hpp"
