#include "support/python_program.h"

#include "support/load_modules.h"

namespace detshim {

Reply ask_python(std::span<const PythonModule> modules, const std::vector<std::string>& words,
                 const AskLimits& limits, bool has_errors) {
  // A word each: Linux takes no word of more than 128 KiB.
  std::vector<std::string> command = {
      "python3", "-I", "-W", "ignore", "-c", load_modules, std::to_string(modules.size())};
  for (const PythonModule& module : modules) {
    command.emplace_back(module.name);
    command.emplace_back(module.text);
  }
  command.insert(command.end(), words.begin(), words.end());
  return ask(command, limits, nullptr, has_errors);
}

} // namespace detshim
