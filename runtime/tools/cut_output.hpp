#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// How much of an output a model is shown.
struct output_limits {
  /// The last lines that are kept.
  size_t lines = 200;
  /// Unicode code points of the whole result, the marker included.
  size_t characters = 16'000;
};

/// An output as a model sees it.
struct cut_text {
  std::string text;
  /// Lines that are missing or incomplete: the N of the marker; 0 when all of
  /// the output is there.
  uint64_t lost_lines = 0;
};

/// The one rule for text that goes to a model. ANSI escape sequences are
/// removed, terminated or not, and ill-formed UTF-8 is replaced. Of what is
/// left the end is kept: at most the last `limits.lines` lines, and of these
/// the last characters that fit. Where anything is missing the first line is
/// `…[truncated N lines]`. Linear in `text`; any thread.
cut_text cut_output(std::string_view text, const output_limits& limits = {});

/// The beginning of a text that is read in pages, as a model sees it: whole
/// lines while they fit into `characters` code points, of a longer first line
/// what fits. `text` is UTF-8. Any thread.
std::string_view cut_page(std::string_view text,
                          size_t characters = output_limits{}.characters);

/// `text` without ANSI escape sequences: CSI, OSC and the other strings up to
/// ST or BEL, and ESC with what belongs to it. A string that nobody ended
/// stops at the end of its line, so that it cannot swallow the rest.
std::string strip_ansi(std::string_view text);

} // namespace troupe
