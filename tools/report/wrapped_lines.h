// Long lines at a terminal: broken at spaces, and carried on under the text that they began with.
#pragma once

#include <cstddef>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>

namespace detshim {

/// The line in pieces of at most `width` columns, joined by line ends; a word that is longer stays whole. The
/// further ones are indented as the first one's text is: behind its blanks and a label that has two blanks or
/// more behind it. A line that holds a command to be copied ("detshim log diff /a /b") is left whole.
/// Escape sequences of colour (ESC [ ... m) have no width.
std::string wrapped_line(std::string_view line, std::size_t width);

/// While it lives, what goes to std::cout is wrapped, if that is a terminal whose width is known.
class WrappedOutput {
public:
  WrappedOutput();
  ~WrappedOutput();
  WrappedOutput(const WrappedOutput&) = delete;
  WrappedOutput& operator=(const WrappedOutput&) = delete;

private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

} // namespace detshim
