#include "verdict/script_seeds.h"

#include "common/arguments.h"
#include "common/run_name.h"
#include "support/wording.h"
#include "verdict/script_files.h"
#include "verdict/script_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

namespace detshim {
namespace {

constexpr auto languages = std::to_array<Language>({
    {.program = "perl", .has_parentheses = false},
    {.program = "ruby", .has_parentheses = false},
    {.program = "luajit", .comment = "--"},
    {.program = "lua", .comment = "--", .has_libc_random = true},
    {.program = "php", .comment = "//"},
    {.program = "octave", .comment = "%", .has_parentheses = false},
    {.program = "gawk", .has_parentheses = false, .has_libc_random = true},
    {.program = "mawk", .has_parentheses = false, .has_libc_random = true},
    {.program = "original-awk", .has_parentheses = false, .has_libc_random = true},
    {.program = "busybox", .has_parentheses = false, .is_shell = true},
    {.program = "tclsh", .has_parentheses = false},
    {.program = "guile", .comment = ";", .has_parentheses = false},
    {.program = "swipl", .comment = "%", .has_parentheses = false},
    {.program = "julia"},
    {.program = "bash", .has_parentheses = false, .is_shell = true},
    {.program = "dash", .has_parentheses = false, .is_shell = true},
    {.program = "zsh", .has_parentheses = false, .is_shell = true},
    {.program = "ksh", .has_parentheses = false, .is_shell = true},
    {.program = "R"},
});

const Language* language_of(const std::string& program) {
  const std::string name = base_name(program);
  const auto found = std::ranges::find_if(languages, [&](const Language& language) {
    return language.program == "R" ? name == "R" : name.starts_with(language.program);
  });
  return found != languages.end() ? found : nullptr;
}

bool is_python(const std::string& program) { return base_name(program).starts_with("python"); }

/// True if the interpreter, or its library, seeds libc's generators: Lua 5.1, mawk.
bool seeds_libc(const Language& language, const Summary& summary) {
  if (!language.has_libc_random) return false;
  constexpr auto seeders = std::to_array<std::string_view>({"srand", "srandom", "srand48"});
  return std::ranges::any_of(summary.symbols, [&](const SymbolSummary& symbol) {
    return symbol.library == "libc" && std::ranges::find(seeders, symbol.function) != seeders.end() &&
           std::ranges::any_of(symbol.places, [&](const CallPlace& place) {
             const std::string name = base_name(place.at);
             return name.starts_with(language.program) ||
                    name.starts_with("lib" + std::string(language.program));
           });
  });
}

/// Rscript hands blanks on as `~+~`.
std::string with_blanks(std::string text) {
  for (std::size_t at = text.find("~+~"); at != std::string::npos; at = text.find("~+~", at + 1))
    text.replace(at, 3, " ");
  return text;
}

/// The file that an argument names: `train.pl`, R's `--file=train.R`. Empty for what cannot be a file's name.
std::string named_file(std::string argument) {
  constexpr std::string_view file_option = "--file=";
  if (argument.starts_with(file_option)) argument.erase(0, file_option.size());
  const bool is_name = !argument.empty() && argument != hidden_argument && !argument.starts_with("-") &&
                       argument.find('\n') == std::string::npos;
  return is_name ? argument : std::string();
}

/// `-e TEXT`, `-ne TEXT`, `--eval TEXT`: what follows is the program.
bool announces_text(const std::string& argument) {
  if (argument.starts_with("--")) return argument.starts_with("--eval") || argument.starts_with("--exec");
  return argument.size() > 1 && argument[0] == '-' &&
         argument.find_first_of("eErcf", argument.size() - 1) != std::string::npos;
}

/// awk's first argument is its program.
bool looks_like_a_script(const std::string& name) {
  return name.find_first_of(" \t{}()'\"") == std::string::npos &&
         !std::filesystem::path(name).extension().empty();
}

void add_script(const Log& log, const Start& start, const Language& language,
                std::vector<ScriptSeed>& found) {
  const auto add = [&](const std::string& place, const std::string& file, std::string_view text) {
    std::vector<Statement> seeds = seeded_from_clock(statements_of(text, language), language);
    if (seeds.empty()) return;
    const std::string line = file.empty() ? "" : ":" + std::to_string(seeds.front().line);
    found.push_back({place + line, file, std::move(seeds.front().text), false});
  };
  std::string missing;
  bool has_text = language.is_shell; // a shell's may be gone by right, as conda's are
  for (std::size_t i = 1; i < start.args.size(); ++i) {
    const std::string name = named_file(start.args[i]);
    if (const std::string file = name.empty() ? "" : find_script(log, start, name); !file.empty()) {
      add(base_name(file), file, text_of_file(file));
      return; // what follows are the script's own arguments
    }
    add(base_name(start.program) + " " + (i > 1 ? start.args[i - 1] : ""), "", with_blanks(start.args[i]));
    has_text |= announces_text(start.args[i]);
    if (missing.empty()) missing = name;
  }
  if (!has_text && looks_like_a_script(missing)) found.push_back({base_name(missing), missing, {}, false});
}

// ---- Arguments ----

/// Whether a number is a time between `from` and `to` (in seconds), in seconds or in a part of them.
bool is_time(std::string_view digits, std::int64_t from, std::int64_t to) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return false;
  constexpr auto parts = std::to_array<std::int64_t>({1, 1'000, 1'000'000, 1'000'000'000});
  return std::ranges::any_of(parts,
                             [&](std::int64_t part) { return from <= number / part && number / part <= to; });
}

bool names_seed(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find("seed") != std::string::npos;
}

/// `--seed 1795703344`, `seed=1795703344`: a number from a clock, whoever read that.
void add_arguments(const Log& log, const Start& start, std::vector<ScriptSeed>& found) {
  constexpr std::int64_t before = 600; // a script may have read it before the first process of the run began
  const auto began = static_cast<std::int64_t>(beginning_of_run(log.run.c_str()));
  if (began == 0) return;
  const std::int64_t ended = std::max(log.written / 1'000'000'000, began) + 1;
  for (std::size_t i = 1; i < start.args.size(); ++i) {
    const std::string& argument = start.args[i];
    const std::size_t equals = argument.rfind('=');
    const bool is_pair = equals != std::string::npos;
    const std::string name = is_pair ? argument.substr(0, equals) : start.args[i - 1];
    const std::string value = is_pair ? argument.substr(equals + 1) : argument;
    if ((i > 1 || is_pair) && names_seed(name) && is_time(value, began - before, ended))
      found.push_back({base_name(start.program), {}, name + (is_pair ? "=" : " ") + value, true});
  }
}

template <typename Visit>
void each_program(const Log& log, const Visit& visit) {
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) visit(start);
}

} // namespace

bool is_interpreter(const std::string& program) {
  return is_python(program) || language_of(program) != nullptr;
}

std::vector<ScriptSeed> find_script_seeds(const Log& log, const Summary& summary) {
  std::vector<ScriptSeed> found, each;
  std::set<std::pair<std::string, std::vector<std::string>>>
      seen; // a forked child, or one of many alike, says nothing new
  each_program(log, [&](const Start& start) {
    if (!seen.emplace(start.working_directory, start.args).second) return;
    const Language* language = language_of(start.program);
    if (language != nullptr && !seeds_libc(*language, summary)) add_script(log, start, *language, found);
    add_arguments(log, start, found);
  });
  std::set<std::pair<std::string, std::string>> said;
  for (ScriptSeed& seed : found)
    if (said.emplace(seed.place, seed.text).second) each.push_back(std::move(seed));
  return each;
}

std::vector<std::string> python_command_texts(const Log& log) {
  std::set<std::string> texts;
  each_program(log, [&](const Start& start) {
    const auto option = std::ranges::find_if(start.args, [](const std::string& argument) {
      return argument.starts_with("-") && !argument.starts_with("--") && argument.ends_with("c");
    });
    if (is_python(start.program) && option != start.args.end() && option + 1 != start.args.end())
      texts.insert(*(option + 1));
  });
  return {texts.begin(), texts.end()};
}

} // namespace detshim
