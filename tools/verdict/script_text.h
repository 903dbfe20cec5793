// Scripts by their words: enough to see that a statement takes a seed, and that it reads a clock.
#pragma once

#include "verdict/script_words.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// What of a language matters for its words.
struct Language {
  std::string_view program;       ///< how the interpreter's file begins
  std::string_view comment = "#"; ///< begins one
  bool has_parentheses = true;    ///< `time()` reads the clock; `time` is a name
  bool is_shell = false;          ///< a value begins with `$` or a backquote, and may stand in quotes
  bool has_libc_random = false;   ///< some versions draw from libc's generators
  bool is_cxx = false;            ///< a line's end ends no statement; a function's head does
};

struct Statement {
  std::size_t line = 0; ///< where it begins, from 1
  std::string text;     ///< without comments

  /// True if a line of the script is part of it.
  bool holds(std::size_t number) const;
};

/// What a file holds, of a long one its first 4 MiB; empty if it cannot be read.
std::string text_of_file(const std::string& file);

/// What stands between line ends and semicolons outside of parentheses and quotes. At most 100,000.
std::vector<Statement> statements_of(std::string_view text, const Language& language);

/// Whether a word asks for a clock or the process's id.
bool reads_clock(const Word& word, const Language& language);

/// Whether a statement does.
bool reads_clock(std::string_view statement, const Language& language);

/// The statement of C++ that makes an engine of the standard library's, or seeds something, by what `reading`
/// has read of a clock: itself, or one that it hands it to by a name or two. nullptr if none does, or if what
/// it seeds is replaced by detshim (srand, torch::manual_seed).
const Statement* cxx_seed_of(const std::vector<Statement>& statements, const Statement& reading);

/// The statements that hand a clock or the process's id to a function that seeds, or to what is named a seed,
/// as far as the words tell: directly, or by a name or two.
std::vector<Statement> seeded_from_clock(const std::vector<Statement>& statements, const Language& language);

} // namespace detshim
