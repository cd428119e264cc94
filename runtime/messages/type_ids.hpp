#pragma once

#include "troupe/runtime/co/cancel_request.hpp"
#include "troupe/runtime/messages/chat_message.hpp"
#include "troupe/runtime/messages/model_messages.hpp"
#include "troupe/runtime/messages/sandbox_messages.hpp"

#include "caf/type_id.hpp"

// Every message type of the project. CAF 0.17 writes names on the wire, later
// releases write the numbers: append, never reorder.
CAF_BEGIN_TYPE_ID_BLOCK(troupe, first_custom_type_id)

  CAF_ADD_TYPE_ID(troupe, (troupe::co::cancel_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::tool_call))
  CAF_ADD_TYPE_ID(troupe, (troupe::chat_message))
  CAF_ADD_TYPE_ID(troupe, (troupe::token_usage))
  CAF_ADD_TYPE_ID(troupe, (troupe::tool_description))
  CAF_ADD_TYPE_ID(troupe, (troupe::model_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::model_event))
  CAF_ADD_TYPE_ID(troupe, (troupe::read_file_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::read_file_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::list_files_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::list_files_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::glob_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::glob_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::grep_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::grep_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::write_file_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::write_file_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::replace_in_file_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::replace_in_file_result))
  CAF_ADD_TYPE_ID(troupe, (troupe::process_request))
  CAF_ADD_TYPE_ID(troupe, (troupe::process_result))

CAF_END_TYPE_ID_BLOCK(troupe)
