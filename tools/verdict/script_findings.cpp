// Scripts of shells, which no hook sees into.
//
// Decides by the script's text, as it stands now or as the command line had it, which words of it
// can give another result in each run: a table. It cannot know which of them are reached, nor what
// becomes of them, nor what a script that is gone had in it.
#include "common/cryptography.h"
#include "scanner/elf_file.h"
#include "support/lists.h"
#include "support/wording.h"
#include "verdict/finders.h"
#include "verdict/shell_tokens.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

/// Tokens from one on, to the end of the script.
using Rest = std::span<const ShellToken>;

/// True if the name stands in the word as a variable's: "${RANDOM}" is cut into "$" and "RANDOM",
/// and arithmetic needs no `$`.
bool has_variable(Rest rest, std::string_view name) {
  const std::string_view word = rest.front().text;
  const auto is_of_name = [&](std::size_t i) {
    return i < word.size() && (std::isalnum(static_cast<unsigned char>(word[i])) || word[i] == '_');
  };
  for (std::size_t at = word.find(name); at != word.npos; at = word.find(name, at + 1))
    if ((at == 0 || !is_of_name(at - 1)) && !is_of_name(at + name.size()))
      return true;
  return false;
}

bool has_text(Rest rest, std::string_view text) {
  return rest.front().text.find(text) != std::string::npos;
}

/// True of "date" and "/bin/date".
bool is_program(Rest rest, std::string_view name) { return base_name(rest.front().text) == name; }

bool is_in_folder(Rest rest, std::string_view folder) {
  return (rest.front().text + '/').find(std::string(folder) + '/') != std::string::npos;
}

bool is_background(Rest rest, std::string_view name) {
  return rest.front().kind == ShellToken::background && name.find(rest.front().text) != name.npos;
}

/// True for a word that is no program's name elsewhere.
bool is_command(Rest rest, std::string_view name) {
  return rest.front().begins_command && rest.front().text == name;
}

/// True for `printf '%(…)T'`, which a bracket cuts.
bool is_time_format(Rest rest, std::string_view /*name*/) {
  if (!is_program(rest, "printf"))
    return false;
  for (std::size_t i = 1; i + 1 < rest.size() && rest[i].line == rest.front().line; ++i)
    if (rest[i].kind == ShellToken::word && rest[i].text.ends_with('%') && rest[i + 1].text == "(")
      return true;
  return false;
}

/// True for a program with an option: `name` is "xargs -P", and `xargs -0P4` has it.
bool is_program_with_option(Rest rest, std::string_view name) {
  const std::size_t blank = name.find(' ');
  const char option = name.back();
  if (!is_program(rest, name.substr(0, blank)))
    return false;
  for (const ShellToken& token : rest.subspan(1)) {
    if (token.kind != ShellToken::word)
      return false;
    if (token.text.starts_with('-') && !token.text.starts_with("--") &&
        token.text.find(option) != std::string::npos)
      return true;
  }
  return false;
}

struct ScriptRow {
  std::string_view name; ///< as the reason has it
  bool (*begins_at)(Rest rest, std::string_view name);
};
constexpr ScriptRow script_rows[] = {
    {"$$", has_text},
    {"RANDOM", has_variable},
    {"SRANDOM", has_variable},
    {"SECONDS", has_variable},
    {"EPOCHSECONDS", has_variable},
    {"EPOCHREALTIME", has_variable},
    {"BASHPID", has_variable},
    {"PPID", has_variable},
    {"date", is_program},
    {"uptime", is_program},
    {"hostname", is_program},
    {"/proc", is_in_folder},
    {"ls -t", is_program_with_option},
    {"xargs -P", is_program_with_option},
    {" & ", is_background},
    {">(", is_background},
    {"coproc", is_command},
    {"time", is_command},
    {"times", is_command},
    {"printf %(…)T", is_time_format},
    {"wait -n", is_program_with_option},
    {"read -t", is_program_with_option},
};

/// What bash makes random numbers of by itself. Its function that seeds them is one that the
/// library answers, where bash exports it (shim/hooks/runtimes/seeding_functions.cpp).
constexpr std::string_view numbers_of_bash[] = {"RANDOM", "SRANDOM"};

bool pins_own_numbers(const Start& start) {
  constexpr const char* seeding[] = {"seedrand"};
  if (base_name(start.program) != "bash" || start.mode == "observe")
    return false;
  try {
    return ElfFile(start.program).exports_one_of(seeding);
  } catch (const ElfError&) {
    return false;
  }
}

/// A script's first megabyte, as it stands now; empty for what is no text.
std::string beginning_of_file(const std::filesystem::path& name) {
  constexpr std::streamsize most = 1 << 20;
  std::ifstream input(name, std::ios::binary);
  std::string text(most, '\0');
  input.read(text.data(), most);
  text.resize(static_cast<std::size_t>(input.gcount()));
  return text.find('\0') == std::string::npos ? text : "";
}

/// A shell's own options, as far as they say where its script is.
struct ShellOptions {
  bool has_command = false; ///< `-c`: the next word is the script
  bool takes_value = false; ///< `-o`: the next word is the option's
  bool is_long = false;     ///< `--version`, after which it may read no script

  void take(std::string_view option) {
    is_long |= option.starts_with("--");
    if (option.starts_with("--"))
      return;
    has_command |= option.find('c') != option.npos;
    takes_value = option.ends_with('o') || option.ends_with('O');
  }
};

/// The words of one shell's scripts.
class ScriptWords {
public:
  explicit ScriptWords(std::set<std::string>& words) : words_(words) {}

  /// Adds those of what the shell read, by its command line. What follows a script's name are its
  /// arguments; what follows the text of `-c` may be evaluated by it.
  void add_script_of(const Start& start) {
    ShellOptions options;
    std::size_t at = 1;
    for (; at < start.args.size(); ++at) {
      const std::string& word = start.args[at];
      const bool is_value = std::exchange(options.takes_value, false);
      if (word.starts_with('-') || word.starts_with('+'))
        options.take(word);
      else if (!is_value)
        break;
    }
    if (at >= start.args.size()) {
      if (!options.is_long)
        words_.emplace("a text from its input");
      return;
    }
    if (!options.has_command)
      return add_file(start, start.args[at]);
    for (; at < start.args.size(); ++at)
      add(start, start.args[at], "");
  }

private:
  void add_file(const Start& start, const std::string& name) {
    const std::string script =
        beginning_of_file(std::filesystem::path(start.working_directory) / name);
    if (script.empty())
      words_.emplace("a text that is gone");
    add(start, script, base_name(name) + ':');
  }

  /// `file`: stands in front of a word's line; empty for a text that is in none.
  void add(const Start& start, const std::string& text, const std::string& file) {
    const std::vector<ShellToken> tokens = shell_tokens(text);
    const bool has_pinned = pins_own_numbers(start);
    for (Rest rest = tokens; !rest.empty(); rest = rest.subspan(1)) {
      const std::string place = file.empty() ? "" : file + std::to_string(rest.front().line) + ' ';
      for (const ScriptRow& row : script_rows)
        if (row.begins_at(rest, row.name) && !(has_pinned && contains(numbers_of_bash, row.name)))
          words_.insert(place + std::string(row.name));
    }
  }

  std::set<std::string>& words_;
};

} // namespace

void find_shell_words(const VerdictInputs& inputs, Findings& findings) {
  std::map<std::string, std::set<std::string>> words;
  for (const Process& process : inputs.log.processes)
    for (const Start& start : process.starts)
      if (const std::string shell = base_name(start.program); is_shell(shell.c_str()))
        ScriptWords(words[shell]).add_script_of(start);
  for (const auto& [shell, of_shell] : words)
    if (!of_shell.empty())
      findings.add({.finding = Finding::script_words,
                    .file = shell,
                    .names = {of_shell.begin(), of_shell.end()}});
}

} // namespace detshim
