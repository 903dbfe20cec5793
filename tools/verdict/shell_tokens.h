// The words and operators of a shell's script, without its comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

struct ShellToken {
  enum Kind {
    word, ///< what stands between blanks, operators, quotes and braces: "$RANDOM", "/bin/date"
    background, ///< a single `&`, or `>(`: what runs beside the rest
    separator,  ///< what ends a command: a line's end, `;`, `|`, `&&`, a bracket
  };
  Kind kind;
  std::string text;
  std::size_t line = 1;        ///< of the script, from 1
  bool begins_command = false; ///< a word with no other in front of it
};

/// By the rules of POSIX (Shell Command Language, 2.2 and 2.3), but that quoted text is taken apart
/// too: `eval`, `trap` and `sh -c` run it. Where it is not certain that a `#` begins a comment, it
/// begins none: the words behind it are among the tokens then.
std::vector<ShellToken> shell_tokens(std::string_view script);

} // namespace detshim
