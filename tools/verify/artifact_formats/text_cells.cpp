#include "verify/artifact_formats/text_cells.h"

#include <charconv>
#include <memory>
#include <vector>

namespace detshim {
namespace {

// ------------------------------------------------------------------ tables

class Table {
public:
  Table(std::string_view bytes, char separator) : rest_(bytes), separator_(separator) {}

  std::optional<Cell> next() {
    if (rest_.empty() && !is_open_) return {};
    const std::string_view text = rest_.substr(0, end_of_cell());
    rest_.remove_prefix(text.size());
    if (row_ == 1) headings_.emplace_back(text);
    Cell cell{place(), text};
    is_open_ = rest_.starts_with(separator_);
    ++column_;
    if (!rest_.empty() && !is_open_) {
      ++row_;
      column_ = 0;
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return cell;
  }

private:
  /// A cell in quotes may hold separators and line ends.
  std::size_t end_of_cell() const {
    bool is_quoted = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '"') is_quoted = !is_quoted;
      if (!is_quoted && (rest_[i] == separator_ || rest_[i] == '\n')) return i;
    }
    return rest_.size();
  }

  std::string place() const {
    std::string text = "row " + std::to_string(row_) + ", column " + std::to_string(column_ + 1);
    if (row_ > 1 && column_ < headings_.size()) text += " '" + headings_[column_] + "'";
    return text;
  }

  std::string_view rest_;
  char separator_;
  bool is_open_ = false; ///< behind a separator: a last cell that is empty is one
  std::size_t row_ = 1, column_ = 0;
  std::vector<std::string> headings_;
};

// ------------------------------------------------------------------ JSON

/// Not a judge of JSON: it takes NaN and what else programs write. Each key and value is a cell, and an empty
/// object or array as well, in the order of the file.
class Json {
public:
  explicit Json(std::string_view bytes) : bytes_(bytes) {}

  std::optional<Cell> next() {
    for (;;) {
      skip_blanks();
      if (at_ >= bytes_.size()) return {};
      const char c = bytes_[at_];
      if (c == '{' || c == '[') {
        count_value();
        open_.push_back({c == '{', 0, {}});
        ++at_;
        return Cell{place(), bytes_.substr(at_ - 1, 1)};
      }
      if (c == '}' || c == ']') {
        ++at_;
        Cell cell{place(), bytes_.substr(at_ - 1, 1)};
        if (!open_.empty()) open_.pop_back();
        return cell;
      }
      if (c == ',' || c == ':') {
        ++at_;
        continue;
      }
      const std::string_view token = take_token();
      const std::size_t after = bytes_.find_first_not_of(" \t\r\n", at_);
      if (!open_.empty() && open_.back().is_object && after != std::string_view::npos &&
          bytes_[after] == ':') {
        open_.back().key = token;
        return Cell{place() + " (key)", token};
      }
      count_value();
      return Cell{place(), token};
    }
  }

private:
  struct Level {
    bool is_object;
    std::size_t count; ///< of values so far
    std::string_view key;
  };

  void skip_blanks() {
    at_ = bytes_.find_first_not_of(" \t\r\n", at_);
    if (at_ == std::string_view::npos) at_ = bytes_.size();
  }

  std::string_view take_token() {
    std::size_t end = at_ + 1;
    if (bytes_[at_] == '"') {
      while (end < bytes_.size() && bytes_[end] != '"') end += bytes_[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, bytes_.size());
    } else {
      end = std::min(bytes_.find_first_of(" \t\r\n,:{}[]\"", end), bytes_.size());
    }
    const std::string_view token = bytes_.substr(at_, end - at_);
    at_ = end;
    return token;
  }

  void count_value() { ++(open_.empty() ? outermost_ : open_.back().count); }

  std::string place() const {
    // Of a file of lines, the number of the value; nothing for the only one.
    std::string text = outermost_ > 1 ? "value " + std::to_string(outermost_) + " " : "";
    for (const Level& level : open_) {
      if (level.is_object) {
        std::string_view key = level.key;
        if (key.size() >= 2 && key.front() == '"') key = key.substr(1, key.size() - 2);
        text += "." + std::string(key);
      } else {
        text += "[" + std::to_string(level.count == 0 ? 0 : level.count - 1) + "]";
      }
      constexpr std::size_t longest = 400;
      if (text.size() > longest) return text + "...";
    }
    return text.empty() ? "." : text;
  }

  std::string_view bytes_;
  std::size_t at_ = 0, outermost_ = 0;
  std::vector<Level> open_;
};

} // namespace

CellReader read_table(std::string_view bytes, char separator) {
  return [table = Table(bytes, separator)]() mutable { return table.next(); };
}

CellReader read_json(std::string_view bytes) {
  return [json = Json(bytes)]() mutable { return json.next(); };
}

std::optional<double> number_of(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || stop != text.data() + text.size()) return {};
  return number;
}

} // namespace detshim
