// Decides by the frames of Python where the call has some, else by debug information. Of Python the
// frame counts that the library marked as the user's. Two exceptions: PyTorch's data loader among
// the frames, and a marked line of a package that has no word of seeding in it. Of machine code the
// innermost line counts whose source is no library's.
//
// It cannot know whose code is that has no debug information (`unknown`), and it reads a line of a
// package as the file is now.
#include "log_reader/call_owner.h"

#include "log_reader/library_code.h"
#include "log_reader/python_files.h"
#include "support/files.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace detshim {
namespace {

constexpr std::string_view packages_folder = "-packages/";
constexpr std::string_view data_loader_folder = "/torch/utils/data/";
constexpr std::string_view text_without_file = "<string>";

/// What the line of a package has in it where it takes a clock for a seed. Of the functions of
/// packages that seed something, most only take the time.
constexpr std::string_view words_of_seeding[] = {"seed", "Random", "rng", "Key"};

bool is_packages_own_time(const std::string& frame) {
  if (!is_frame_of_package(frame))
    return false;
  const std::string line = text_of_line(frame);
  return !line.empty() && std::ranges::none_of(words_of_seeding, [&](std::string_view word) {
    return line.find(word) != std::string::npos;
  });
}

bool is_of_data_loader(const PythonFrames& python) {
  return std::ranges::any_of(python.frames, [](const std::string& frame) {
    return frame.find(data_loader_folder) != std::string::npos;
  });
}

OwnedCall owner_of_python(const PythonFrames& python) {
  if (is_of_data_loader(python))
    return {CallOwner::data_loader, "", ""};
  if (!python.user)
    return {CallOwner::package, "", ""};
  const std::string& frame = python.frames[*python.user];
  if (is_packages_own_time(frame))
    return {CallOwner::package, "", ""};
  const bool is_text = frame.starts_with(text_without_file);
  return {is_text ? CallOwner::text : CallOwner::user, line_of_frame(frame), ""};
}

} // namespace

OwnedCall owner_of_call(const std::string& at, const std::vector<std::string>& frames,
                        const PythonFrames& python, SourceLines& lines) {
  if (!python.empty())
    return owner_of_python(python);
  if (const std::optional<UserLine> user = lines.find_user(at, frames))
    return {CallOwner::user, user->text(), user->place};
  const std::optional<SourceLine> source = lines.find(at);
  const bool has_source = source && !source->file.empty();
  return {has_source ? CallOwner::library : CallOwner::unknown, "", at};
}

FileOwner owner_of_file(std::string_view path) {
  if (path.find(packages_folder) != path.npos)
    return FileOwner::package;
  const bool is_pythons_own = !below_packages(path).empty();
  return is_pythons_own || is_library_source(path) ? FileOwner::library : FileOwner::user;
}

bool is_frame_of_package(const std::string& frame) {
  return frame.find(packages_folder) != std::string::npos;
}

std::optional<FrameParts> parts_of_frame(const std::string& frame) {
  const std::size_t space = frame.rfind(' ');
  const std::size_t colon = space == frame.npos ? frame.npos : frame.rfind(':', space);
  if (colon == frame.npos)
    return std::nullopt;
  const auto line = number_in<int>(std::string_view(frame).substr(colon + 1, space - colon - 1));
  if (!line)
    return std::nullopt;
  return FrameParts{frame.substr(0, colon), *line, frame.substr(space + 1)};
}

std::string line_of_frame(const std::string& frame) {
  return base_name(frame.substr(0, frame.rfind(' ')));
}

std::string text_of_line(const std::string& frame) {
  const std::string place = frame.substr(0, frame.rfind(' '));
  const std::size_t colon = place.rfind(':');
  const std::string file = place.substr(0, colon);
  const OwnedDescriptor held = open_regular(file); // a pipe would wait for ever
  std::ifstream input(held ? file : "");
  std::string line;
  for (unsigned long i = std::strtoul(place.c_str() + colon + 1, nullptr, 10); i > 0 && input; --i)
    std::getline(input, line);
  return input ? line : "";
}

} // namespace detshim
