// The two forms in which `detshim log` prints a log, and their wording.
#pragma once

#include "log_reader/log.h"
#include "log_reader/source_lines.h"
#include "log_reader/switches.h"
#include "report/style.h"
#include "verdict/verdict.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace detshim {

/// For people: worst first. With `all`, every record instead of a few examples and places.
void print_log_text(std::ostream& out, const JudgedLog& judged, bool all, Style style);

/// For programs: docs/schemas/log.schema.json. With `all`, every record too.
nlohmann::ordered_json log_json(const JudgedLog& judged, bool all);

/// The calls of one action, under a title.
struct ActionSection {
  Action action;
  const char* title;
  const char* meaning;
};

/// Worst first.
inline constexpr ActionSection action_sections[] = {
    {Action::nondeterministic, "nondeterministic", "can give another result in each run"},
    {Action::uncovered, "uncovered", "took a way that detshim cannot hook"},
    {Action::refuse, "refused", "failed on purpose (mode strict)"},
    {Action::replace, "replaced", "another algorithm or setting was given"},
    {Action::pin, "pinned", "a seed or entropy was replaced"},
    {Action::observe, "observed", "seen, left alone"},
};

/// What a verdict says, in the words that follow its name.
std::string meaning_of(const Verdict& verdict);

/// Why the comparison of earlier runs does not answer for this one; empty where it does, or where
/// none was made. Not safe to print.
std::string evidence_text(const EvidenceUse& evidence);

/// What a reader must hear of: calls that can differ, and those that failed on purpose.
bool is_bad(Action action);

/// "at least 7 calls".
std::string describe_calls(const CallCount& count);

/// "4711 -> 42 (size 16)", safe to print.
std::string describe_fields(const std::vector<Field>& fields);

/// The Python frames if there are any, else the user's line among those of `at` and `frames`, and
/// what it called; safe to print.
std::string describe_call_site(const std::string& at, const std::vector<std::string>& frames,
                               const PythonFrames& python, SourceLines& source_lines);

/// "never read: nothing asked for it", safe to print.
std::string describe_switch(const SwitchUse& use, SourceLines& source_lines);

/// The words as a shell takes them (POSIX, 2.2.2), safe to print.
std::string shell_command(const std::vector<std::string>& words);

/// The program and its arguments, safe to print.
std::string describe_command(const Start& start);

} // namespace detshim
