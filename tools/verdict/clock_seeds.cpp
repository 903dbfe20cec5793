#include "verdict/clock_seeds.h"

#include "log_reader/open_file.h"
#include "log_reader/source_lines.h"
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

bool is_import(const Statement& statement) {
  return statement.text.starts_with("import ") || statement.text.starts_with("from ");
}

/// Names by which a script of Python calls clocks: "now" of `from time import time as now`.
std::set<std::string> clock_aliases(const std::vector<Statement>& statements) {
  std::set<std::string> aliases;
  for (const Statement& statement : statements)
    for (const char* module : {"from time import ", "from datetime import ", "from os import "})
      if (statement.text.starts_with(module))
        for (std::size_t at = statement.text.find(" as "); at != std::string::npos;
             at = statement.text.find(" as ", at + 1)) {
          const std::size_t start = at + 4;
          aliases.insert(statement.text.substr(start, statement.text.find_first_of(" ,)\n", start) - start));
        }
  return aliases;
}

/// The statements at a line whose words say that they read a clock. The interpreter itself reads some at any
/// line: to wait for its lock, or for a module's.
std::vector<Statement> readers_at(const std::vector<Statement>& statements, std::size_t line,
                                  const Language& language) {
  const std::set<std::string> aliases = clock_aliases(statements);
  std::vector<Statement> readers;
  std::ranges::copy_if(statements, std::back_inserter(readers), [&](const Statement& statement) {
    return statement.holds(line) && !is_import(statement) && reads_clock(statement.text, language, aliases);
  });
  return readers;
}

/// The seed that a reading at a line becomes, in one text of Python.
void add_seed(const std::string& file, const std::string& text, std::size_t line,
              std::vector<ClockSeed>& found) {
  const std::vector<Statement> statements = statements_of(text, python);
  const auto add = [&](const Statement& statement) {
    found.push_back({file, std::to_string(statement.line), statement.text});
  };
  for (const Statement& statement : readers_at(statements, line, python)) {
    if (takes_seed(statement.text) || names_seed_of_clock(statement.text, python, clock_aliases(statements)))
      return add(statement);
    const std::string name = named_by(statement.text);
    if (name.empty()) continue;
    const auto taken = std::ranges::find_if(
        statements, [&](const Statement& other) { return takes_seed(other.text, name); });
    if (taken != statements.end()) return add(*taken);
  }
}

/// The text of a file of Python's frames, if it is still there as it was run.
std::optional<std::string> text_that_ran(const Log& log, const std::string& name) {
  const std::string file = find_script(log, name);
  if (file.empty() || (log.written != 0 && last_written(file) > log.written)) return std::nullopt;
  std::string text = text_of_file(file);
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

void add_reading(const Log& log, const std::string& frame, const std::vector<std::string>& commands,
                 std::vector<ClockSeed>& found) {
  const std::size_t blank = frame.rfind(' '); // "/home/me/train.py:12 main"
  const std::size_t colon = frame.rfind(':', blank);
  if (blank == std::string::npos || colon == std::string::npos) return;
  const std::string file = frame.substr(0, colon);
  const std::string number = frame.substr(colon + 1, blank - colon - 1);
  const std::size_t line = std::strtoul(number.c_str(), nullptr, 10);
  if (file == "<stdin>")
    found.push_back({file, number, {}});
  else if (file == "<string>")
    for (const std::string& command : commands) add_seed(file, command, line, found);
  else if (const std::optional<std::string> text = text_that_ran(log, file))
    add_seed(file, *text, line, found);
  else if (std::ranges::none_of(found, [&](const ClockSeed& other) { return other.file == file; }))
    found.push_back({file, number, {}});
}

/// The seed that a reading by machine code becomes, if its line and that line's text are known.
void add_cxx_seed(const std::string& place, SourceLines& source_lines, std::vector<ClockSeed>& found) {
  const std::optional<UserLine> user = source_lines.find_user(place, {});
  if (!user) return;
  const std::string& file = user->line.file;
  const std::vector<Statement> statements = statements_of(text_of_file(file), cxx);
  for (const Statement& reading : readers_at(statements, static_cast<std::size_t>(user->line.line), cxx))
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
  std::set<std::string> frames;
  for (const SymbolSummary& symbol : summary.symbols)
    if (symbol.library == "libc" && symbol.action == Action::observe &&
        std::ranges::find(readers, symbol.function) != readers.end())
      for (const CallPlace& place : symbol.places)
        if (place.python.user == 0 && !place.python.empty()) frames.insert(place.python.frames.front());
  std::vector<ClockSeed> found;
  const std::vector<std::string> commands = python_command_texts(log);
  for (const std::string& frame : frames) add_reading(log, frame, commands, found);
  std::set<std::string> places;
  for (const Process& process : log.processes)
    for (const UserPlace& place : process.user_places)
      if (place.kind == "clock") places.insert(place.at);
  SourceLines source_lines(changed);
  for (const std::string& place : places) add_cxx_seed(place, source_lines, found);
  return found;
}

} // namespace detshim
