#include "report/wrapped_lines.h"

#include <algorithm>
#include <iostream>

#include <sys/ioctl.h>
#include <unistd.h>

namespace detshim {
namespace {

/// Where the escape sequence that begins at `i` ends.
std::size_t end_of_escape(std::string_view text, std::size_t i) {
  while (i < text.size() && text[i] != 'm') ++i;
  return std::min(i + 1, text.size());
}

/// A character for each column: wide ones, which names of files seldom have, count once.
std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\033') {
      i = end_of_escape(text, i);
      continue;
    }
    count += (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    ++i;
  }
  return count;
}

/// Where the text begins, in columns, behind blanks and a short label.
std::size_t indent_of(std::string_view line) {
  constexpr std::size_t longest_label = 24;
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos) return 0;
  const std::size_t gap = line.find("  ", begin);
  if (gap == std::string_view::npos) return columns(line.substr(0, begin));
  std::size_t text = gap;
  while (text < line.size() && (line[text] == ' ' || line[text] == '\033'))
    text = line[text] == ' ' ? text + 1 : end_of_escape(line, text);
  const std::size_t behind_label = columns(line.substr(0, text));
  return behind_label <= longest_label ? behind_label : columns(line.substr(0, begin));
}

/// To be taken as it is: a verb with its words, or a variable with its value.
bool is_command(std::string_view line) {
  for (const char* command : {"detshim log", "detshim run"})
    if (line.find(command) != std::string_view::npos) return true;
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const std::size_t variable = line.find("DETSHIM_");
  const std::size_t behind = line.find_first_not_of(letters, std::min(variable, line.size()));
  return behind != std::string_view::npos && line[behind] == '=';
}

} // namespace

std::string wrapped_line(std::string_view line, std::size_t width) {
  constexpr std::size_t narrowest = 20; // for what is left beside the indent
  constexpr std::size_t small_indent = 4;
  const std::size_t wide_indent = indent_of(line);
  const std::size_t indent =
      wide_indent + narrowest > width ? std::min(wide_indent, small_indent) : wide_indent;
  if (columns(line) <= width || indent + narrowest > width || is_command(line)) return std::string(line);
  std::string result;
  std::size_t used = 0;
  std::size_t i = 0;
  bool begins = true; // the indent is a word's own blanks here
  while (i < line.size()) {
    const std::size_t word = line.find_first_not_of(' ', i);
    if (word == std::string_view::npos) break;
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::string_view blanks = line.substr(i, word - i), text = line.substr(word, end - word);
    if (!begins && used + blanks.size() + columns(text) > width && used > indent) {
      result += '\n' + std::string(indent, ' ');
      used = indent;
    } else {
      result += blanks;
      used += blanks.size();
    }
    result += text;
    used += columns(text);
    begins = false;
    i = end;
  }
  return result;
}

class WrappedOutput::Buffer : public std::streambuf {
public:
  Buffer(std::streambuf* to, std::size_t width) : to_(to), width_(width) {}
  std::streambuf* target() const { return to_; }

  void finish() {
    to_->sputn(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
    to_->pubsync();
  }

protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    if (c != '\n') {
      line_ += static_cast<char>(c);
      return c;
    }
    line_ = wrapped_line(line_, width_) + '\n';
    const bool is_written = to_->sputn(line_.data(), static_cast<std::streamsize>(line_.size())) ==
                            static_cast<std::streamsize>(line_.size());
    line_.clear();
    return is_written ? c : traits_type::eof();
  }
  int sync() override { return to_->pubsync(); }

private:
  std::streambuf* to_;
  std::size_t width_;
  std::string line_;
};

WrappedOutput::WrappedOutput() {
  struct winsize size {};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return;
  buffer_ = std::make_unique<Buffer>(std::cout.rdbuf(), size.ws_col);
  std::cout.rdbuf(buffer_.get());
}

WrappedOutput::~WrappedOutput() {
  if (!buffer_) return;
  buffer_->finish();
  std::cout.rdbuf(buffer_->target());
}

} // namespace detshim
