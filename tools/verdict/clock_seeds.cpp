#include "verdict/clock_seeds.h"

#include "log_reader/open_file.h"
#include "log_reader/python_files.h"
#include "log_reader/source_lines.h"
#include "verdict/clock_flow.h"
#include "verdict/script_files.h"
#include "verdict/script_seeds.h"
#include "verdict/script_text.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

namespace detshim {
namespace {

constexpr Language python{.program = "python"};
constexpr Language cxx{.program = "c++", .comment = "//", .is_cxx = true};

/// The text of a file of Python's frames, if it is still there as it was run.
std::optional<std::string> text_that_ran(const Log& log, const std::string& name) {
  const std::string file = find_script(log, name);
  if (file.empty() || (log.written != 0 && last_written(file) > log.written)) return std::nullopt;
  std::string text = text_of_file(file);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

/// "/home/me/train.py:12 main"
struct Frame {
  std::string file;
  std::string line;

  explicit Frame(const std::string& text) {
    const std::size_t colon = text.rfind(':', text.rfind(' '));
    file = text.substr(0, colon);
    if (colon != text.npos) line = text.substr(colon + 1, text.find(' ', colon) - colon - 1);
  }
};

/// The user's files of these places that read a clock, as far as they can be read, and the texts of `-c`.
std::vector<PythonText> texts_of(const Log& log, const std::vector<std::string>& commands,
                                 const std::vector<const PythonFrames*>& places) {
  std::vector<PythonText> texts;
  for (const std::string& command : commands) texts.push_back({"<string>", statements_of(command, python)});
  std::set<std::string> files;
  for (const PythonFrames* place : places)
    for (const std::string& frame : place->frames) {
      const std::string file = Frame(frame).file;
      if (file.starts_with('<') || !below_packages(file).empty() || !files.insert(file).second) continue;
      if (const std::optional<std::string> text = text_that_ran(log, file))
        texts.push_back({file, statements_of(*text, python)});
    }
  return texts;
}

void add_python_seeds(const Log& log, const std::vector<const PythonFrames*>& places,
                      std::vector<ClockSeed>& found) {
  const auto add = [&](ClockSeed seed) {
    const bool is_new = std::ranges::none_of(found, [&](const ClockSeed& other) {
      return other.file == seed.file && (other.line == seed.line || seed.text.empty());
    });
    if (is_new) found.push_back(std::move(seed));
  };
  const ClockFlow flow(texts_of(log, python_command_texts(log), places));
  std::set<std::string> frames;
  for (const PythonFrames* place : places) frames.insert(place->frames.front());
  for (const std::string& text : frames) {
    const Frame reading(text);
    if (!flow.has(reading.file) && reading.file != "<string>")
      add({reading.file, reading.line, {}});
    else if (const std::optional<ClockFlow::Seeding> seed =
                 flow.seeding_of(reading.file, std::strtoul(reading.line.c_str(), nullptr, 10)))
      add({seed->file, std::to_string(seed->statement.line), seed->statement.text});
  }
}

/// The statements at a line whose words say that they read a clock. Others do at any line: to wait for a
/// lock.
std::vector<Statement> readers_at(const std::vector<Statement>& statements, std::size_t line) {
  std::vector<Statement> readers;
  std::ranges::copy_if(statements, std::back_inserter(readers), [&](const Statement& statement) {
    return statement.holds(line) && reads_clock(statement.text, cxx);
  });
  return readers;
}

/// The seed that a reading by machine code becomes, if its line and that line's text are known.
void add_cxx_seed(const std::string& place, SourceLines& source_lines, std::vector<ClockSeed>& found) {
  const std::optional<UserLine> user = source_lines.find_user(place, {});
  if (!user) return;
  const std::string& file = user->line.file;
  const std::vector<Statement> statements = statements_of(text_of_file(file), cxx);
  for (const Statement& reading : readers_at(statements, static_cast<std::size_t>(user->line.line)))
    if (const Statement* const seed = cxx_seed_of(statements, reading)) {
      ClockSeed said{file, std::to_string(seed->line), seed->text};
      const bool is_new = std::ranges::none_of(
          found, [&](const ClockSeed& other) { return other.file == said.file && other.line == said.line; });
      if (is_new) found.push_back(std::move(said));
      return;
    }
}

} // namespace

std::vector<ClockSeed> find_clock_seeds(const Log& log, const Summary& summary,
                                        const std::set<std::string>& changed) {
  constexpr auto readers =
      std::to_array<std::string_view>({"time", "gettimeofday", "clock_gettime", "getpid"});
  std::vector<const PythonFrames*> readings;
  for (const SymbolSummary& symbol : summary.symbols)
    if (symbol.library == "libc" && symbol.action == Action::observe &&
        std::ranges::find(readers, symbol.function) != readers.end())
      for (const CallPlace& place : symbol.places)
        if (place.python.user == 0 && !place.python.empty()) readings.push_back(&place.python);
  std::vector<ClockSeed> found;
  for (const Process& process : log.processes)
    for (const UserPlace& place : process.user_places)
      if (place.kind == "clock" && place.python.user == 0 && !place.python.empty())
        readings.push_back(&place.python);
  add_python_seeds(log, readings, found);
  std::set<std::string> places;
  for (const Process& process : log.processes)
    for (const UserPlace& place : process.user_places)
      if (place.kind == "clock" && place.python.empty()) places.insert(place.at);
  SourceLines source_lines(changed);
  for (const std::string& place : places) add_cxx_seed(place, source_lines, found);
  return found;
}

} // namespace detshim
