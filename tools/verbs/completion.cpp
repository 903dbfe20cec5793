// detshim completion: what a shell needs to complete the command's words (completion/), built in; and
// how the help of verbs ends (help_ends).
#include "support/wording.h"
#include "verbs/texts.h"
#include "verbs/verbs.h"

#include <iostream>

namespace detshim {

int completion(const std::string& shell) {
  for (const auto& [name, script] : completion_scripts)
    if (shell == name) {
      std::cout << script;
      return done;
    }
  throw UsageError("completion " + in_quotes(shell) + " is not accepted: bash, zsh or fish");
}

std::string help_end(const std::string& verb) {
  const std::string head = "\n[" + verb + "]\n";
  const std::size_t at = help_ends.find(head), begin = at + head.size();
  return at == help_ends.npos ? ""
                              : std::string(help_ends.substr(begin, help_ends.find("\n[", begin) - begin));
}

} // namespace detshim
