// Which readings of a clock go nowhere but to somebody who looks at them.
//
// Decides by the files' own code, which Python itself reads best: tools/shown_times follows each
// reading through names, functions and formats, and takes all that it does not know for a use. It
// cannot know what a logger's methods do besides logging. A file counts as it stands now, so one
// that was written to after the run began counts for nothing.
#include "verdict/shown_times.h"

#include "shown_times/modules.h"
#include "support/files.h"
#include "support/python_program.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace detshim {
namespace {

/// True for a regular file that is as it was when the run began.
bool is_as_it_ran(const std::string& file, std::uint64_t begun) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  const auto micros = [](const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
           static_cast<std::uint64_t>(time.tv_nsec) / 1'000;
  };
  return micros(status.st_mtim) < begun && micros(status.st_ctim) < begun;
}

/// The files that processes were started with: no other file imports what they bind.
std::set<std::string> scripts_of(const Log& log) {
  std::set<std::string> scripts;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts)
      for (const std::string& word : start.args)
        scripts.insert((fs::path(start.working_directory) / word).lexically_normal().string());
  return scripts;
}

using LinesByFile = std::map<std::string, std::set<std::string>>;

LinesByFile by_file(const std::set<std::string>& lines, std::uint64_t begun) {
  LinesByFile files;
  for (const std::string& line : lines) {
    const std::size_t colon = line.rfind(':');
    if (colon != line.npos && is_as_it_ran(line.substr(0, colon), begun))
      files[line.substr(0, colon)].insert(line.substr(colon + 1));
  }
  return files;
}

/// tools/shown_times/answer.py says what it is asked, and how it answers.
std::vector<std::string> question(const char* what, const std::set<std::string>& scripts,
                                  const LinesByFile& files) {
  std::vector<std::string> words = {what};
  for (const auto& [file, lines] : files) {
    words.push_back(file);
    words.emplace_back(scripts.contains(fs::path(file).lexically_normal()) ? "script" : "module");
    words.push_back(joined(lines, ","));
  }
  return words;
}

} // namespace

TimeLines find_time_lines(const Log& log, const std::set<std::string>& lines) {
  TimeLines result;
  LinesByFile files = by_file(lines, log.begun());
  const std::set<std::string> scripts = scripts_of(log);
  for (const std::string& script : scripts)
    if (script.ends_with(".py") && is_as_it_ran(script, log.begun()))
      files[script];
  if (files.empty())
    return result;
  const Reply reply = ask_python(shown_times_modules, question("lines", scripts, files));
  if (!reply.problem.empty())
    return result;
  std::istringstream answers(reply.text.value_or(""));
  std::string what;
  for (std::size_t file = 0, line = 0; answers >> what >> file >> line;)
    if (file < files.size())
      (what == "kept" ? result.kept : result.shown)
          .insert(std::next(files.begin(), static_cast<std::ptrdiff_t>(file))->first + ':' +
                  std::to_string(line));
  return result;
}

std::vector<std::string> find_shown_formats(const Log& log) {
  std::set<std::string> lines;
  for (const Process& process : log.processes)
    for (const UserPlace& place : process.user_places)
      if (place.kind == RecordType::clock && place.python.user) {
        const std::string& frame = place.python.frames[*place.python.user];
        lines.insert(frame.substr(0, frame.rfind(' ')));
      }
  const LinesByFile files = by_file(lines, log.begun());
  if (files.empty())
    return {};
  const Reply reply = ask_python(shown_times_modules, question("formats", {}, files));
  return reply.problem.empty() ? split(reply.text.value_or(""), '\n') : std::vector<std::string>();
}

} // namespace detshim
