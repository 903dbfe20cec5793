// Finds the secrets in a command line, word by word: by what its words name, by the shape that
// tokens have, and by the options of the programs that are known to take one.
//
// Which program a word belongs to is not asked of a list of wrappers (timeout, sudo, srun, docker
// exec …): whatever stands in front of it, the word that is the name of a known program begins its
// part of the line. A word with blanks in it is a line itself: `bash -c "…"`, `ssh host "…"`.
#pragma once

#include "common/secret_shapes.h"

#include <cstddef>

namespace detshim {

/// The parts of one word that are hidden, in their order.
class HiddenParts {
public:
  /// Adds one, and joins what touches. A word that has too many is hidden from there on.
  void add(TextPart part);
  int count() const { return count_; }
  const TextPart& operator[](int i) const { return parts_[i]; }

private:
  static constexpr int most = 12;
  TextPart parts_[most];
  int count_ = 0;
};

struct SecretProgram;

/// Reads the words of a command line one after the other. Has no memory of its own but a few bytes;
/// what is given need not outlive the call.
class CommandLine {
public:
  /// Adds the secrets in the next word.
  void read(TextPart word, HiddenParts& hidden) {
    read_word(word, {0, false, {}}, hidden);
    read_lists(word, hidden); // code without a blank in it
  }
  /// The same of a text in which words stand as in a shell, or in code. `is_command`: what it names
  /// without giving a value for it is no secret ("cat token.txt").
  static void read_text(TextPart text, bool is_command, HiddenParts& hidden) {
    read_line(text, 0, is_command, hidden);
  }

private:
  /// What the word behind an option is.
  enum class Next : unsigned char { anything, secret, value, login, marked_login, command };
  /// Where a word stands.
  struct Place {
    int depth = 0; ///< in how many texts
    bool is_command = false;
    TextPart rest; ///< of the text, behind the word
  };
  enum class Found : unsigned char { nothing, name, secret };

  static void read_line(TextPart text, int depth, bool is_command, HiddenParts& hidden);
  /// Words that stand as in a shell.
  static void read_words(TextPart text, int depth, bool is_command, HiddenParts& hidden);
  /// Words that stand in quotes, with commas between them.
  static void read_lists(TextPart text, HiddenParts& hidden);
  Found read_word(TextPart word, const Place& place, HiddenParts& hidden);
  bool is_hidden_by_the_word_before(Next next, TextPart word, TextPart bare, const Place& place,
                                    HiddenParts& hidden);
  bool is_hidden_by_an_option(TextPart word, TextPart bare, HiddenParts& hidden);
  /// Behind so much of the word as is an option.
  static bool is_hidden_behind_an_option(size_t option, TextPart word, TextPart bare,
                                         HiddenParts& hidden);
  bool is_hidden_as_a_login(size_t option, TextPart word, TextPart bare, HiddenParts& hidden);
  bool is_hidden_as_an_operand(TextPart word, TextPart bare, const Place& place,
                               HiddenParts& hidden);
  Found find_by_shape(TextPart word, TextPart bare, const Place& place, HiddenParts& hidden);
  /// Behind the mark of a name that speaks of a secret.
  Found find_value(const char* begin, TextPart word, TextPart bare, HiddenParts& hidden);
  void expect(TextPart bare);
  void expect_behind_option(TextPart option, bool is_secret);
  bool names_its_value(TextPart operand) const;
  void begin_program(TextPart bare);
  bool read_within(TextPart word, TextPart bare, const Place& place, HiddenParts& hidden);

  const SecretProgram* program_ = nullptr;
  Next next_ = Next::anything;
  bool is_shell_ = false;       ///< its `-c` is not seen yet
  bool is_about_keys_ = false;  ///< it names some: `login -k value`
  bool is_logging_in_ = false;  ///< behind the word `login`: `-p value`
  bool is_configuring_ = false; ///< behind `config set`: a name, and its value in the next word
  bool hides_operands_ = false; ///< behind what the program's row has in `after`
};

} // namespace detshim
