// Where the value of a clock goes in scripts of Python's, as far as their words tell: by names that
// statements give it, parameters that it is handed to, and what functions return, until something makes a
// seed of it.
//
// No scopes and no types: one name is one thing in all texts. What a function that is not known makes of a
// clock holds it only as a whole: not what is read of it by a point or by a key.
#pragma once

#include "verdict/script_text.h"
#include "verdict/script_words.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// A script of Python's.
struct PythonText {
  std::string file;
  std::vector<Statement> statements;
};

class ClockFlow {
public:
  /// `texts`: those that may hand a clock to each other.
  explicit ClockFlow(std::vector<PythonText> texts);
  ClockFlow(const ClockFlow&) = delete; // its lines point into its texts
  ClockFlow& operator=(const ClockFlow&) = delete;

  struct Seeding {
    std::string file;
    Statement statement;
  };

  bool has(std::string_view file) const;

  /// The statement that makes a seed of what a line of a file has read of a clock.
  std::optional<Seeding> seeding_of(std::string_view file, std::size_t line) const;

private:
  struct Line {
    const PythonText* text;
    const Statement* statement;
    std::string code; ///< as long as the statement, without what stands in quotes
    std::vector<Word> words;
    std::string function; ///< in which it stands, or the one before
  };
  struct Names;
  struct Level;
  using Parameters = std::vector<std::string>;

  void add_function(const Line& line, const std::string& name, const std::string& of_class);
  std::set<std::string> aliases_in(const PythonText& text) const;
  Level level_around(const Line& line, std::size_t position) const;
  bool follow(const Line& line, const Word& word, bool is_whole, Names& names) const;
  bool follow_call(const Line& line, const Level& level, bool& is_whole, Names& names) const;
  bool give(const Line& line, std::size_t position, bool is_whole, bool is_part, Names& names) const;

  std::vector<PythonText> texts_;
  std::vector<Line> lines_;
  std::map<std::string, std::vector<std::size_t>> lines_by_word_;
  std::map<std::string, std::vector<Parameters>> functions_; ///< and classes
};

} // namespace detshim
