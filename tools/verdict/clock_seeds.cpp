#include "verdict/clock_seeds.h"

#include "verdict/script_seeds.h"
#include "verdict/script_text.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

namespace detshim {
namespace {

constexpr Language python{.program = "python"};

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_import(const Statement& statement) {
  return statement.text.starts_with("import ") || statement.text.starts_with("from ");
}

/// The statements at a line that may have read a clock: of several, those whose words say so.
std::vector<Statement> readers_at(const std::vector<Statement>& statements, std::size_t line) {
  std::vector<Statement> readers;
  std::ranges::copy_if(statements, std::back_inserter(readers), [line](const Statement& statement) {
    return statement.holds(line) && !is_import(statement); // what an import reads is not the line's
  });
  if (readers.size() > 1)
    std::erase_if(readers, [](const Statement& statement) { return !reads_clock(statement.text, python); });
  return readers;
}

/// The seed that a reading at a line becomes, in one text of Python.
void add_seed(const std::string& file, const std::string& text, std::size_t line,
              std::vector<ClockSeed>& found) {
  const std::vector<Statement> statements = statements_of(text, python);
  const auto add = [&](const Statement& statement) {
    found.push_back({file, std::to_string(statement.line), statement.text});
  };
  for (const Statement& statement : readers_at(statements, line)) {
    if (takes_seed(statement.text)) return add(statement);
    const std::string name = named_by(statement.text);
    if (name.empty()) continue;
    const auto taken = std::ranges::find_if(
        statements, [&](const Statement& other) { return takes_seed(other.text, name); });
    if (taken != statements.end()) return add(*taken);
  }
}

void add_reading(const std::string& frame, const std::vector<std::string>& commands,
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
  else
    add_seed(file, text_of(file), line, found);
}

} // namespace

std::vector<ClockSeed> find_clock_seeds(const Log& log, const Summary& summary) {
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
  for (const std::string& frame : frames) add_reading(frame, commands, found);
  return found;
}

} // namespace detshim
