// What a shell needs to complete the words of the command.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace detshim {

/// For bash, zsh or fish; throws UsageError for another. `that_take_programs`: verbs behind which a program
/// and its arguments stand.
void print_completion(std::ostream& out, const std::string& shell, const CLI::App& app,
                      const std::vector<std::string>& that_take_programs);

} // namespace detshim
