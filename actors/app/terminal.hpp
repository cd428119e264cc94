#pragma once

#include "troupe/runtime/messages/permission_messages.hpp"

#include <string>
#include <string_view>

namespace troupe::app {

/// Opens /dev/null in place of standard streams that are closed, so that no
/// file of the store gets their number and is written to. Before anything
/// else is opened.
void open_standard_streams();

/// Whether everything that was printed has reached stdout. A reader that went
/// away (`troupe … | head`) has had what it wanted.
bool was_printed();

/// Whether the file descriptor is a terminal.
bool is_terminal(int descriptor);

/// Whether stderr may have colour: a terminal, and `NO_COLOR` is not set.
bool has_colour();

/// `text` without anything that a terminal would act on but newline and tab:
/// what a model writes never moves the cursor.
std::string printable(std::string_view text);

/// Asks on the terminal: y, n or always. Anything else, and the end of the
/// input, denies.
permission_answer ask_on_terminal(const permission_request& request);

} // namespace troupe::app
