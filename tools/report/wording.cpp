#include "report/log_report.h"

#include "log_reader/printable.h"

namespace detshim {

bool is_bad(Action action) {
  return action == Action::unfixed || action == Action::uncovered || action == Action::refuse;
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

std::string describe_place(const std::string& at, const std::vector<std::string>& python,
                           SourceLines& source_lines) {
  if (python.empty())
    return at.empty() || at == "?" ? "an unknown place" : printable(source_lines.describe(at));
  std::string result;
  for (const std::string& frame : python) result += (result.empty() ? "" : " <- ") + printable(frame);
  return result;
}

std::string describe_command(const Start& start) {
  std::string command;
  for (const std::string& argument : start.args) command += (command.empty() ? "" : " ") + argument;
  return printable(command.empty() ? start.program : command);
}

} // namespace detshim
