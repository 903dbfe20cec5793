// Decides by names and texts alone: by the name that the program was executed by, whether its
// children are named by their commands and whether it is a wrapper; by the text of a shell's
// script, whether it may run something beside itself. Quotes and comments are not understood. In
// doubt something runs beside the shell, and names stay as they are.
//
// It cannot know a `make` under another name, nor what a script reads or evaluates while it runs.
#include "core/identity/command_names.h"

#include "common/command_lines.h"
#include "common/cryptography.h"
#include "common/philox.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/placement.h"
#include "core/policy/options.h"

#include <fcntl.h>
#include <sys/auxv.h>

namespace detshim {

struct CommandCounts {
  struct {
    uint64_t hash; // 0: free
    uint64_t count;
  } commands[4096]; // address space: only what is used becomes memory
};

namespace {

struct RacingProgram {
  const char* name;
  bool first_child_is_a_race;
};

constexpr RacingProgram racing_programs[] = {
    {"make", false}, {"gmake", false}, {"ninja", false}, {"ctest", true}};

/// By the name by which they were executed, besides the shells.
constexpr const char* wrappers[] = {"uv",         "uvx",  "poetry", "pipenv", "conda", "mamba",
                                    "micromamba", "pixi", "hatch",  "pdm",    "rye"};

enum : uint8_t { unknown, by_order, by_command, by_command_from_the_first };

/// What the command of this process says of its children.
struct OwnCommand {
  uint8_t naming;          ///< of its children; chosen as it is first asked for
  bool runs_in_background; ///< its script, if it is a shell
  bool expands_in_command; ///< likewise
  CommandCounts* counts;   ///< of what its children execute, who count there themselves
};
DETSHIM_STARTUP_DATA constinit OwnCommand own_command = {};

/// The name by which the program was executed: a script's own, not its interpreter's.
const char* executed_name() {
  const auto* const path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return path != nullptr ? file_name(path) : "";
}

uint8_t choose_naming() {
  for (const RacingProgram& program : racing_programs)
    if (same_text(executed_name(), program.name))
      return program.first_child_is_a_race ? by_command_from_the_first : by_command;
  return by_order;
}

uint8_t chosen_naming() {
  if (own_command.naming == unknown)
    own_command.naming = choose_naming();
  return own_command.naming;
}

} // namespace

bool names_by_command() { return chosen_naming() >= by_command; }

bool first_child_is_a_race() { return chosen_naming() == by_command_from_the_first; }

namespace {

/// Looks through a script for what a shell does not wait for. Comments and texts in quotes count
/// too: to take them for commands only leaves names as they are.
class ScriptReader {
public:
  void take(char c) {
    const bool is_list_or_redirection = before_ == '&' || before_ == '>' || before_ == '<';
    const bool closes_ampersand = is_ampersand_open_ && c != '&' && c != '>';
    found_ |= closes_ampersand;
    found_ |= c == '(' && (before_ == '<' || before_ == '>');
    is_ampersand_open_ = c == '&' && !is_list_or_redirection;
    before_ = c;
    constexpr char coprocess[] = "coproc";
    matched_ = c == coprocess[matched_] ? matched_ + 1 : 0;
    found_ |= coprocess[matched_] == 0;
    matched_ = found_ ? 0 : matched_;
  }
  bool found() const { return found_ || is_ampersand_open_; }

private:
  char before_ = 0;
  bool found_ = false;
  bool is_ampersand_open_ = false; ///< the last character: it may be the first of `&&`
  size_t matched_ = 0;
};

bool text_runs_in_background(const char* text) {
  ScriptReader reader;
  for (; *text != 0; ++text)
    reader.take(*text);
  return reader.found();
}

bool file_runs_in_background(const char* path) {
  const int file = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return true;
  ScriptReader reader;
  char block[1024];
  long size = 0;
  while ((size = sys::read(file, block, sizeof block)) > 0)
    for (long i = 0; i < size; ++i)
      reader.take(block[i]);
  sys::close(file);
  return size < 0 || reader.found();
}

/// Where a shell's script is, by its arguments; neither: it reads its standard input.
struct ScriptOfShell {
  const char* text = nullptr;
  const char* file = nullptr;

  ScriptOfShell() {
    char* const* word = given_arguments();
    if (*word != nullptr && same_text(program_name(), "busybox"))
      ++word; // the applet's name
    if (*word == nullptr)
      return;
    while (*++word != nullptr) {
      const bool is_option = **word == '-' || **word == '+';
      const bool is_command = is_option && !starts_with(*word, "--") && contains(*word, "c");
      if (is_command)
        text = word[1];
      else if (!is_option)
        file = *word;
      if (is_command || !is_option)
        return;
      if (takes_value(*word) && word[1] != nullptr)
        ++word;
    }
  }

private:
  /// -o pipefail, +O extglob, bash's --rcfile FILE.
  static bool takes_value(const char* option) {
    if (starts_with(option, "--"))
      return same_text(option, "--rcfile") || same_text(option, "--init-file");
    return contains(option, "o") || contains(option, "O");
  }
};

bool is_of_shell() {
  const char* const called = program_name(); // a login shell's begins with a hyphen
  return is_shell(*called == '-' ? called + 1 : called);
}

} // namespace

bool is_wrapper() {
  if (is_of_shell())
    return true;
  for (const char* const name : wrappers)
    if (same_text(executed_name(), name))
      return true;
  return false;
}

void look_at_script() {
  if (!is_of_shell())
    return;
  const ScriptOfShell script;
  const bool has_text = script.text != nullptr;
  own_command.expands_in_command =
      has_text && (contains(script.text, "$") || contains(script.text, "`"));
  own_command.runs_in_background =
      has_text ? text_runs_in_background(script.text)
               : script.file == nullptr || file_runs_in_background(script.file);
}

bool may_run_in_background() { return own_command.runs_in_background; }

bool expands_in_command() { return own_command.expands_in_command; }

uint64_t command_hash(char* const argv[]) {
  uint64_t hash = 0;
  CommandLine command;
  for (; argv != nullptr && *argv != nullptr; ++argv) {
    HiddenParts hidden;
    command.read(text_part(*argv), hidden);
    int next = 0; // of the hidden parts
    uint64_t word = 0;
    unsigned length = 0;
    for (const char* c = *argv; *c != 0; ++c) {
      if (next < hidden.count() && c == hidden[next].begin) {
        c = hidden[next++].end - 1;
        continue;
      }
      word = word << 8 | static_cast<unsigned char>(*c);
      if (length % 8 == 7)
        hash = derive(hash, word), word = 0;
      ++length;
    }
    hash = derive(derive(hash, word), length);
  }
  return hash;
}

CommandCounts* command_counts() {
  if (own_command.counts == nullptr)
    own_command.counts = static_cast<CommandCounts*>(sys::map(sizeof(CommandCounts), MAP_SHARED));
  return own_command.counts;
}

uint64_t count_command(CommandCounts* in, uint64_t hash) {
  constexpr size_t size = sizeof in->commands / sizeof in->commands[0];
  if (hash == 0)
    hash = 1;
  for (size_t i = 0; i < size; ++i) {
    auto& command = in->commands[(hash + i) % size];
    uint64_t holder = 0;
    if (__atomic_compare_exchange_n(&command.hash, &holder, hash, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        holder == hash)
      return __atomic_fetch_add(&command.count, 1, __ATOMIC_RELAXED);
  }
  // Full: all further commands share one count, so names stay distinct; which has which is a race
  // again.
  return __atomic_add_fetch(&in->commands[hash % size].count, uint64_t{1} << 32, __ATOMIC_RELAXED);
}

void forget_own_command() {
  own_command.counts = nullptr;
  own_command.naming = by_order;
  own_command.expands_in_command = false;
}

} // namespace detshim
