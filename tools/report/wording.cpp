#include "report/log_report.h"

#include "log_reader/printable.h"
#include "log_reader/python_files.h"

namespace detshim {

bool is_bad(Action action) {
  return action == Action::unfixed || action == Action::uncovered || action == Action::refuse;
}

const char* meaning_of(VerdictLevel level) {
  switch (level) {
  case VerdictLevel::covered:
    return "nothing that detshim looks for passed it; what no hook sees, two runs show (docs/LIMITS.md)";
  case VerdictLevel::partly:
    return "what is named here passed detshim";
  default:
    return "too little is known to say more";
  }
}

std::string describe_fields(const std::vector<Field>& fields) {
  const std::string* const asked = find_field(fields, "asked");
  const std::string* const given = find_field(fields, "given");
  std::string result;
  if (asked != nullptr && given != nullptr) result = printable(*asked) + " -> " + printable(*given);
  for (const Field& field : fields) {
    const bool is_shown =
        asked != nullptr && given != nullptr && (field.name == "asked" || field.name == "given");
    if (!is_shown)
      result += (result.empty() ? "" : ", ") + printable(field.name) + " " + printable(field.value);
  }
  return result;
}

namespace {

/// "/usr/lib/python3.11/random.py:163 seed" without the folder of the library.
std::string without_folder(const std::string& frame) {
  const std::string_view rest = below_packages(frame);
  return rest.empty() ? frame : std::string(rest);
}

} // namespace

std::string describe_place(const std::string& at, const std::vector<std::string>& frames,
                           const PythonFrames& python, SourceLines& source_lines) {
  if (python.empty())
    return at.empty() || at == "?" ? "an unknown place" : printable(source_lines.describe(at, frames));
  std::string result;
  if (!python.user) {
    for (const std::string& frame : python.frames)
      result += (result.empty() ? "" : " <- ") + printable(frame);
    return result;
  }
  // The user's line, and what it called.
  for (std::size_t i = *python.user + 1; i-- > 0;)
    result += (result.empty() ? "" : " -> ") +
              printable(i == *python.user ? python.frames[i] : without_folder(python.frames[i]));
  return result;
}

std::string describe_command(const Start& start) {
  std::string command;
  for (const std::string& argument : start.args) command += (command.empty() ? "" : " ") + argument;
  return printable(command.empty() ? start.program : command);
}

} // namespace detshim
