// Decides what in a script is a comment, and nothing else: all other text is cut into words,
// whatever it is quoted by. It follows quotes, command substitutions and here-documents, since a
// `#` in them begins no comment. It does not know what a text becomes once it is evaluated. A
// script whose quotes do not close has no comments: somewhere the rules here were misled.
#include "verdict/shell_tokens.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace detshim {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view quotes = "'\"`";
constexpr std::string_view ends_of_command = "\n;|()";
constexpr std::string_view between_words = "<>={},"; // and the above
/// Behind one of these a `#` begins a word, and so a comment. (Behind a bracket it may be a
/// pattern.)
constexpr std::string_view before_comment = " \t\n;&|";

bool is_in(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

/// What is open at a place in the script, innermost last: a quote, or the bracket of `$(` or `${`.
class Nesting {
public:
  bool is_plain() const { return open_.empty(); }
  bool is_quoted() const { return !open_.empty() && is_in(quotes, open_.back()); }

  /// Takes the character at `at` into account, which no backslash is in front of.
  void take(std::string_view text, std::size_t at) {
    const char c = text[at];
    const char innermost = open_.empty() ? '\0' : open_.back();
    if (innermost == '\'') {
      if (c == '\'')
        open_.pop_back();
      return;
    }
    const bool is_behind_dollar = at > 0 && text[at - 1] == '$';
    const bool opens_bracket = is_behind_dollar || (c == '(' && innermost == '(');
    const bool opens_quote = c != '\'' || innermost != '"';
    if (closes(innermost, c))
      open_.pop_back();
    else if (is_in("({", c) ? opens_bracket : is_in(quotes, c) && opens_quote)
      open_ += c;
  }

  /// True if a backslash takes the meaning of what follows it.
  bool obeys_backslash() const { return !is_single() || is_ansi_; }

  void begin_ansi(bool is_ansi) { is_ansi_ = is_ansi; }
  bool is_single() const { return !open_.empty() && open_.back() == '\''; }

private:
  static bool closes(char open, char c) {
    return (is_in(quotes, c) && open == c) || (open == '(' && c == ')') ||
           (open == '{' && c == '}');
  }

  std::string open_;
  bool is_ansi_ = false; ///< the single quotes are `$'...'`
};

class Tokenizer {
public:
  Tokenizer(std::string_view script, bool has_comments)
      : text_(script), has_comments_(has_comments) {}

  std::vector<ShellToken> run() {
    while (at_ < text_.size())
      step();
    end_word();
    return std::move(tokens_);
  }

  bool came_out_even() const { return nesting_.is_plain(); }

private:
  void step() {
    if (!delimiters_.empty() && is_after_line_)
      return take_here_document();
    const char c = text_[at_];
    if (c == '\\' && nesting_.obeys_backslash())
      return take_escaped();
    if (begins_comment())
      return skip_comment();
    if (c == '<' && nesting_.is_plain())
      note_here_document();
    take_character(c);
    ++at_;
  }

  bool begins_comment() const {
    return has_comments_ && nesting_.is_plain() && text_[at_] == '#' &&
           (at_ == 0 || is_in(before_comment, text_[at_ - 1]));
  }

  void skip_comment() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  /// A backslash vanishes, with a line's end that it is in front of.
  void take_escaped() {
    ++at_;
    if (at_ == text_.size())
      return;
    if (text_[at_] != '\n')
      cut_at(text_[at_]);
    ++at_;
  }

  void take_character(char c) {
    const bool was_single = nesting_.is_single();
    nesting_.take(text_, at_);
    if (!was_single)
      nesting_.begin_ansi(at_ > 0 && text_[at_ - 1] == '$');
    if (c == '&')
      take_ampersand(nesting_.is_quoted());
    else
      cut_at(c);
    is_after_line_ = c == '\n' && nesting_.is_plain();
  }

  void cut_at(char c) {
    const bool ends_command = is_in(ends_of_command, c);
    const bool ends =
        ends_command || is_in(blanks, c) || is_in(quotes, c) || is_in(between_words, c);
    if (!ends) {
      word_ += c;
      return;
    }
    end_word();
    if (ends_command)
      add_end(is_substituted_output(c) ? ShellToken::background : ShellToken::separator, c);
  }

  /// `>(`: a command that takes what another one writes, beside it.
  bool is_substituted_output(char c) const { return c == '(' && at_ > 0 && text_[at_ - 1] == '>'; }

  /// `&&`, `>&`, `<&` and `&>` start nothing. In quotes an `&` may be one of an address: there
  /// blanks have to stand around it.
  void take_ampersand(bool is_quoted) {
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    const char after = at_ + 1 == text_.size() ? '\n' : text_[at_ + 1];
    const bool is_part = is_in("&<>", before) || is_in("&>", after);
    const bool is_between_blanks = is_in(blanks, before) && (is_in(blanks, after) || after == '\n');
    end_word();
    add_end(!is_part && (!is_quoted || is_between_blanks) ? ShellToken::background
                                                          : ShellToken::separator,
            '&');
  }

  void add_end(ShellToken::Kind kind, char c) {
    tokens_.push_back({kind, std::string(1, c), line()});
  }

  void end_word() {
    if (!word_.empty())
      tokens_.push_back({ShellToken::word, std::exchange(word_, {}), line(), begins_command()});
  }

  /// Words of the shell's own stand in front of commands too.
  bool begins_command() const {
    constexpr std::string_view own[] = {"do", "then", "else", "if", "elif", "while", "until", "!"};
    return tokens_.empty() || tokens_.back().kind != ShellToken::word ||
           (tokens_.back().begins_command &&
            std::ranges::find(own, tokens_.back().text) != std::end(own));
  }

  /// Of the place that was reached.
  std::size_t line() {
    const auto counted = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
    const auto here = text_.begin() + static_cast<std::ptrdiff_t>(at_);
    line_ += static_cast<std::size_t>(std::count(counted, here, '\n'));
    counted_ = at_;
    return line_;
  }

  /// At a `<`: keeps the word behind `<<` or `<<-`, if it is that.
  void note_here_document() {
    const std::string_view rest = text_.substr(at_);
    const bool is_second = at_ > 0 && text_[at_ - 1] == '<';
    if (!rest.starts_with("<<") || is_second) // of `<<<` the word is empty
      return;
    std::size_t from = 2;
    while (from < rest.size() && (rest[from] == '-' || is_in(blanks, rest[from])))
      ++from;
    std::string delimiter;
    for (; from < rest.size() && !is_in(" \t\r\n;&|()<>", rest[from]); ++from)
      if (!is_in("'\"\\", rest[from]))
        delimiter += rest[from];
    if (!delimiter.empty())
      delimiters_.push_back(std::move(delimiter));
  }

  /// The lines up to the delimiter, of which none is a comment and no quote counts.
  void take_here_document() {
    const std::string delimiter = delimiters_.front();
    delimiters_.erase(delimiters_.begin());
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      const std::string_view line = text_.substr(at_, end - at_);
      const std::size_t tabs = std::min(line.find_first_not_of('\t'), line.size());
      for (; at_ < end; ++at_)
        cut_in_here_document(text_[at_]);
      cut_at('\n');
      at_ = std::min(end + 1, text_.size());
      if (line.substr(tabs) == delimiter)
        return;
    }
  }

  void cut_in_here_document(char c) {
    if (c == '&')
      take_ampersand(true);
    else
      cut_at(c);
  }

  std::string_view text_;
  bool has_comments_;
  std::size_t at_ = 0;
  std::size_t line_ = 1, counted_ = 0; ///< the line's ends before `counted_` are counted
  bool is_after_line_ = false;         ///< the last character was a line's end
  Nesting nesting_;
  std::string word_;
  std::vector<std::string> delimiters_; ///< of here-documents that follow the line
  std::vector<ShellToken> tokens_;
};

} // namespace

std::vector<ShellToken> shell_tokens(std::string_view script) {
  Tokenizer with_comments(script, true);
  std::vector<ShellToken> tokens = with_comments.run();
  return with_comments.came_out_even() ? tokens : Tokenizer(script, false).run();
}

} // namespace detshim
