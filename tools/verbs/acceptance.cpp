#include "verbs/acceptance.h"

#include "log_reader/open_file.h"
#include "support/lists.h"
#include "support/wording.h"
#include "verbs/verbs.h"
#include "verdict/verdict.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace detshim {
namespace {

void add_accepted(std::vector<std::string>& to, std::string name, const std::string& source) {
  if (!is_acceptance(name))
    throw UsageError(
        source + in_quotes(name) +
        " names no reason: accepted is a kind that `detshim log` prints, or KIND:NAME");
  add_once(to, std::move(name));
}

/// A name in each line; what is behind a # is a comment.
void read_acceptance_file(std::vector<std::string>& to) {
  std::error_code error;
  if (!std::filesystem::exists(acceptance_file, error))
    return;
  const std::string file = std::string("'") + acceptance_file + "'";
  if (!OpenFile(acceptance_file))
    throw UsageError(file + " cannot be read as a file");
  constexpr const char* blanks = " \t\r";
  std::size_t number = 0;
  for (std::string& line : split(read_file(acceptance_file), '\n')) {
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string::npos)
      continue;
    add_accepted(to, line.substr(first, line.find_last_not_of(blanks) + 1 - first),
                 file + " line " + std::to_string(number) + ": ");
  }
}

} // namespace

std::vector<std::string> accepted_reasons(const std::vector<std::string>& by_option) {
  std::vector<std::string> names;
  for (const std::string& name : by_option)
    add_accepted(names, name, "--accept ");
  read_acceptance_file(names);
  return names;
}

} // namespace detshim
