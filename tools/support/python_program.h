// Programs in Python that the command carries as texts and has an interpreter run.
#pragma once

#include "support/ask.h"

#include <span>
#include <string>
#include <vector>

namespace detshim {

struct PythonModule {
  const char* name;
  const char* text;
};

/// What the last module's answer(words) prints. The modules stand in the order in which they import
/// each other; the interpreter (python3) reads no variables, and no files of the user's.
Reply ask_python(std::span<const PythonModule> modules, const std::vector<std::string>& words,
                 const AskLimits& limits = {}, bool has_errors = false);

} // namespace detshim
