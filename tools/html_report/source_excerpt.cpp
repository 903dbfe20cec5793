#include "html_report/source_excerpt.h"

#include "log_reader/open_file.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t lines_around = 2;
constexpr std::size_t longest_line = 200;
constexpr std::uintmax_t largest_file = 8u << 20;
constexpr std::string_view endings[] = {".py", ".pyx", ".c",   ".cc",  ".cpp", ".cxx", ".cu", ".cuh",
                                        ".h",  ".hh",  ".hpp", ".hxx", ".f90", ".jl",  ".rs", ".go"};

struct SourcePosition {
  std::string file;
  std::size_t number = 0;
};

/// Of "train.py:12 main".
std::optional<SourcePosition> line_of_frame(const std::string& frame) {
  const std::string line = frame.substr(0, frame.rfind(' '));
  const std::size_t colon = std::min(line.rfind(':'), line.size());
  const auto number = number_in<std::size_t>(std::string_view(line).substr(std::min(colon + 1, line.size())));
  return number ? std::optional(SourcePosition{line.substr(0, colon), *number}) : std::nullopt;
}

std::optional<SourcePosition> user_line(const Call& call, SourceLines& source_lines) {
  if (!call.python.empty())
    return line_of_frame(
        call.python.frames[std::min(call.python.user.value_or(0), call.python.frames.size() - 1)]);
  const std::optional<UserLine> user = source_lines.find_user(call.at, call.frames);
  if (!user || user->line.file.empty() || user->line.line <= 0) return std::nullopt;
  return SourcePosition{user->line.file, static_cast<std::size_t>(user->line.line)};
}

bool may_be_shown(const std::string& file, std::int64_t log_written) {
  std::error_code error;
  return std::ranges::find(endings, fs::path(file).extension().string()) != std::end(endings) &&
         fs::is_regular_file(file, error) && fs::file_size(file, error) <= largest_file &&
         (log_written == 0 || last_written(file) <= log_written);
}

} // namespace

std::optional<SourceExcerpt> source_excerpt(const Call& call, SourceLines& source_lines,
                                            std::int64_t log_written) {
  const std::optional<SourcePosition> line = user_line(call, source_lines);
  if (!line || line->number == 0 || !may_be_shown(line->file, log_written)) return std::nullopt;
  SourceExcerpt excerpt{
      line->file, line->number, line->number - std::min(line->number - 1, lines_around), {}};
  std::ifstream in(line->file);
  std::string text;
  for (std::size_t number = 1; number <= line->number + lines_around && std::getline(in, text); ++number)
    if (number >= excerpt.first) excerpt.lines.push_back(text.substr(0, longest_line));
  if (excerpt.lines.size() <= line->number - excerpt.first) return std::nullopt; // the file is shorter
  return excerpt;
}

} // namespace detshim
