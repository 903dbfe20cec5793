// The words and operators of a shell's script, without its comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct ShellToken {
  enum Kind {
    word, ///< what stands between blanks, operators, quotes and braces: "$RANDOM", "/bin/date"
    background, ///< a single `&`
    separator,  ///< what ends a command: a line's end, `;`, `|`, `&&`, a bracket
  };
  Kind kind;
  std::string text; ///< of a word
};

/// By the rules of POSIX (Shell Command Language, 2.2 and 2.3), but that quoted text is taken apart
/// too: `eval`, `trap` and `sh -c` run it. Where it is not certain that a `#` begins a comment, it
/// begins none: the words behind it are among the tokens then.
std::vector<ShellToken> shell_tokens(std::string_view script);

} // namespace detshim
