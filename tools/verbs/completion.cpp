// detshim completion: what a shell needs to complete the command's words (completion/), built in.
#include "support/wording.h"
#include "verbs/completion_scripts.h"
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

} // namespace detshim
