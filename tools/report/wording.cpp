#include "report/log_report.h"

#include "log_reader/python_files.h"
#include "support/wording.h"

#include <cmath>

namespace detshim {
namespace {

/// "lib/helper.py" of "code: file lib/helper.py", "variable LR" of "others: variable LR".
std::string part_text(const std::string& part) {
  std::string text = part.substr(std::min(part.find(": "), part.size() - 2) + 2);
  constexpr std::string_view kind = "file ";
  if (text.starts_with(kind))
    text.erase(0, kind.size());
  return text;
}

/// "/usr/lib/python3.11/random.py:163 seed" without the folder of the library.
std::string without_folder(const std::string& frame) {
  const std::string_view rest = below_packages(frame);
  return rest.empty() ? frame : std::string(rest);
}

} // namespace

std::string describe_calls(const CallCount& count) {
  return (count.is_exact ? "" : "at least ") + counted(count.calls, "call");
}

bool is_bad(Action action) {
  return action == Action::nondeterministic || action == Action::uncovered ||
         action == Action::refuse;
}

std::string meaning_of(const Verdict& verdict) {
  switch (verdict.level) {
  case VerdictLevel::covered:
    return "no uncontrolled randomness was found in this run; `detshim verify` checks by running "
           "it twice";
  case VerdictLevel::verified: {
    const double chance = 1 - std::pow(2.0 / 3, static_cast<double>(verdict.evidence.runs));
    return std::to_string(verdict.evidence.runs) + " runs equal on " +
           printable(verdict.evidence.date) +
           "; a difference in 1 of 3 runs would have shown with " +
           std::to_string(std::lround(100 * chance)) + " %";
  }
  case VerdictLevel::partial:
    return "this went ahead nondeterministic";
  default:
    return "this may differ from run to run";
  }
}

std::string evidence_text(const EvidenceUse& evidence) {
  const std::string runs = "the comparison of " + evidence.date;
  switch (evidence.answer) {
  case EvidenceUse::Answer::changed: {
    std::vector<std::string> parts;
    for (const std::string& part : evidence.names)
      parts.push_back(part_text(part));
    return runs + " no longer holds, changed: " + some_of(parts);
  }
  case EvidenceUse::Answer::unknown:
    return "whether " + runs + " holds is not known: " +
           (evidence.names.empty() ? "this run did not begin by `detshim run`"
                                   : part_text(evidence.names.front()));
  case EvidenceUse::Answer::new_findings:
    return "new since " + runs + ": " + some_of(evidence.names);
  default:
    return {};
  }
}

std::string describe_fields(const std::vector<Field>& fields) {
  const std::string* const requested = find_field(fields, "requested");
  const std::string* const effective = find_field(fields, "effective");
  std::string result;
  if (requested != nullptr && effective != nullptr)
    result = printable(*requested) + " -> " + printable(*effective);
  for (const Field& field : fields) {
    const bool is_shown = requested != nullptr && effective != nullptr &&
                          (field.name == "requested" || field.name == "effective");
    if (!is_shown)
      result += (result.empty() ? "" : ", ") + printable(field.name) + " " + printable(field.value);
  }
  return result;
}

std::string describe_call_site(const std::string& at, const std::vector<std::string>& frames,
                               const PythonFrames& python, SourceLines& source_lines) {
  if (python.empty())
    return at.empty() || at == "?" ? "an unknown place"
                                   : printable(source_lines.describe(at, frames));
  if (!python.user)
    return printable(joined(python.frames, " <- "));
  std::string result; // the user's line, and what it called
  for (std::size_t i = *python.user + 1; i-- > 0;)
    result += (result.empty() ? "" : " -> ") +
              printable(i == *python.user ? python.frames[i] : without_folder(python.frames[i]));
  return result;
}

std::string describe_switch(const SwitchUse& use, SourceLines& source_lines) {
  std::vector<std::string> files;
  for (const std::string& file : use.files)
    files.push_back(printable(std::string(portable_frame(file, ""))));
  const std::string by = joined(files);
  const std::string set = use.set ? "; set at " + describe_call_site(use.set->at, use.set->frames,
                                                                     use.set->python, source_lines)
                                  : "";
  switch (use.effect) {
  case SwitchEffect::read:
    return "read by " + by + set;
  case SwitchEffect::set_late:
    return "does nothing in this process: " +
           (by.empty() ? "it had been read" : by + " had read it") + " before" + set;
  case SwitchEffect::named:
    return "may be read by Python code: " + by + " names it" + set;
  case SwitchEffect::never_read:
    return "never read: no library asked for it, and no Python file of the run names it" + set;
  case SwitchEffect::not_seen:
    return "no library asked for it; Python files are known under `detshim run` alone" + set;
  case SwitchEffect::misspelt:
    return "is no variable that detshim knows: " + printable(use.meant) + "?";
  }
  return {};
}

std::string shell_command(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  std::string command;
  for (const std::string& word : words) {
    command += command.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      command += word;
      continue;
    }
    command += '\'';
    for (const char c : word)
      command += c == '\'' ? std::string("'\\''") : std::string(1, c);
    command += '\'';
  }
  return printable(command);
}

std::string describe_command(const Start& start) {
  return printable(start.args.empty() ? start.program : joined(start.args, " "));
}

} // namespace detshim
