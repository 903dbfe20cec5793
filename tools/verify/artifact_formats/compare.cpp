#include "verify/artifact_formats/compare.h"

#include "support/mapped_file.h"
#include "verify/artifact_formats/artifact_formats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace detshim {
namespace {

bool ends_with_one_of(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&name](std::string_view ending) { return name.ends_with(ending); });
}

// ------------------------------------------------------------------ tensors

struct Format {
  const char* name;
  std::optional<Contents> (*read)(std::string_view);
};

std::optional<Format> tensor_format(const std::string& name, std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return Format{"npy", &read_npy};
  if (bytes.starts_with("PK")) return Format{name.ends_with(".npz") ? "npz" : "archive", &read_archive};
  if (name.ends_with(".safetensors")) return Format{"safetensors", &read_safetensors};
  if (name.find("tfevents") != std::string::npos) return Format{"events", &read_events};
  return {};
}

std::string describe_shape(const Part& part) {
  std::string text = part.type.name + " [";
  for (std::size_t i = 0; i < part.shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(part.shape[i]);
  return text + (part.is_column_major ? "] in Fortran's order" : "]");
}

std::string describe_part(const Part& part) { return part.name.empty() ? "array" : "'" + part.name + "'"; }

ContentDifference missing(const Part& part, bool is_in_first) {
  return {describe_part(part), is_in_first ? describe_shape(part) : "not there",
          is_in_first ? "not there" : describe_shape(part)};
}

std::optional<ContentDifference> compare_parts(const Part& one, const Part& other) {
  if (one.type.name != other.type.name || one.shape != other.shape ||
      one.is_column_major != other.is_column_major || one.bytes.size() != other.bytes.size())
    return ContentDifference{describe_part(one), describe_shape(one), describe_shape(other)};
  ContentDifference difference = compare_arrays(one, other);
  if (difference.count == 0) return {};
  difference.where = describe_part(one) + (difference.where.empty() ? "" : " " + difference.where);
  return difference;
}

/// The difference of the first part that differs, in the order of the first file.
std::optional<ContentDifference> compare_contents(const Contents& one, const Contents& other) {
  const auto key = [](const Part& part) { return std::pair(part.named_by, part.name); };
  std::map<std::pair<PartName, std::string>, const Part*> others;
  for (const Part& part : other.parts) others.emplace(key(part), &part);
  std::optional<ContentDifference> first;
  std::uint64_t parts = 0;
  const auto add = [&](std::optional<ContentDifference> difference) {
    if (!difference) return;
    ++parts;
    if (!first) first = std::move(difference);
  };
  for (const Part& part : one.parts) {
    const auto found = others.find(key(part));
    if (!part.is_hash || !first)
      add(found == others.end() ? missing(part, true) : compare_parts(part, *found->second));
    if (found != others.end()) others.erase(found);
  }
  for (const auto& [its_key, part] : others) add(missing(*part, false));
  if (first) first->parts = parts;
  return first;
}

// ------------------------------------------------------------------ text

/// Takes one value after another: what stands between blanks, line ends, commas, semicolons, colons, brackets
/// and braces. What is in quotes is one.
class TextValues {
public:
  explicit TextValues(std::string_view text) : rest_(text) {}

  /// False behind the last.
  bool next();

  std::string_view value() const { return value_; }
  std::size_t line() const { return line_; }     ///< from 1
  std::size_t number() const { return number_; } ///< in its line, from 1
  /// "line 3, value 2, behind "loss"": behind the value before it in the line, else the heading of its
  /// column.
  std::string place() const;

private:
  std::string_view rest_, value_, before_;
  std::size_t line_ = 1, number_ = 0;
  std::vector<std::string_view> first_line_;
};

bool TextValues::next() {
  constexpr std::string_view between = " \t\r\n,;:[]{}";
  const std::size_t begin = std::min(rest_.find_first_not_of(between), rest_.size());
  const auto ends = std::ranges::count(rest_.substr(0, begin), '\n');
  before_ = ends == 0 ? value_ : std::string_view();
  number_ = ends == 0 ? number_ + 1 : 1;
  line_ += static_cast<std::size_t>(ends);
  rest_.remove_prefix(begin);
  if (rest_.empty()) return false;
  std::size_t end = std::min(rest_.find_first_of(between), rest_.size());
  if (rest_.front() == '"') { // a quote in it stands behind a backslash, or twice
    for (end = 1; end < rest_.size() && rest_[end] != '"';) end += rest_[end] == '\\' ? 2 : 1;
    end = std::min(end + 1, rest_.size());
  }
  value_ = rest_.substr(0, end);
  rest_.remove_prefix(end);
  const auto inner = std::ranges::count(value_, '\n');
  line_ += static_cast<std::size_t>(inner);
  if (line_ == 1) first_line_.push_back(value_);
  return true;
}

std::string TextValues::place() const {
  constexpr std::size_t longest = 40;
  const bool has_heading = line_ > 1 && number_ <= first_line_.size();
  const std::string_view name = before_.starts_with('"') ? before_
                                : has_heading            ? first_line_[number_ - 1]
                                                         : std::string_view();
  return "line " + std::to_string(line_) + ", value " + std::to_string(number_) +
         (name.empty() ? "" : ", " + std::string(name.substr(0, longest)));
}

std::optional<ContentDifference> compare_values(TextValues one, TextValues other) {
  ContentDifference result;
  result.unit = "value";
  for (;;) {
    const bool is_one = one.next(), is_other = other.next();
    if (!is_one && !is_other) break;
    ++result.of;
    const bool is_same_place =
        is_one && is_other && one.line() == other.line() && one.number() == other.number();
    if (is_same_place && one.value() == other.value()) continue;
    if (result.count++ == 0) {
      result.where = is_one ? one.place() : other.place();
      result.value = is_one ? one.value() : "not there";
      result.other_value = is_other ? other.value() : "not there";
      if (is_one && is_other && !is_same_place) result.other_value += " at " + other.place();
    }
    if (!is_same_place) break; // behind it nothing stands beside its like
    const std::optional<long double> x = number_of(one.value()), y = number_of(other.value());
    if (!x || !y || !std::isfinite(*x) || !std::isfinite(*y)) continue;
    result.has_numbers = true;
    result.max_absolute = std::max(result.max_absolute, static_cast<double>(std::fabs(*x - *y)));
    result.max_relative = std::max(result.max_relative, relative_difference(*x, *y));
  }
  return result.count > 0 ? std::optional(result) : std::nullopt;
}

// ------------------------------------------------------------------ bytes

ContentDifference compare_bytes(std::string_view one, std::string_view other) {
  const std::size_t common = std::min(one.size(), other.size());
  const auto at = static_cast<std::size_t>(
      std::ranges::mismatch(one.substr(0, common), other.substr(0, common)).in1 - one.begin());
  if (one.size() != other.size())
    return {"size, and byte " + std::to_string(at), std::to_string(one.size()) + " bytes",
            std::to_string(other.size()) + " bytes"};
  ContentDifference difference = compare_arrays(raw_part("", one), raw_part("", other));
  difference.where = "byte " + std::to_string(at);
  return difference;
}

} // namespace

FileComparison compare_contents(const std::string& name, std::string_view one, std::string_view other) {
  if (one == other) return {"bytes", "", {}};
  const std::optional<Format> format = tensor_format(name, one);
  if (format) {
    const std::optional<Contents> a = format->read(one), b = format->read(other);
    if (a && b) {
      std::optional<ContentDifference> difference = compare_contents(*a, *b);
      if (difference) return {format->name, "", std::move(difference)};
      // The bytes differ all the same: only a format that says what may differ has an equal content then.
      if (*a->ignored != 0) return {format->name, a->ignored, {}};
    }
  }
  if (ends_with_one_of(name, {".csv", ".tsv", ".json", ".jsonl", ".ndjson"}))
    if (std::optional<ContentDifference> difference = compare_values(TextValues(one), TextValues(other)))
      return {"text", "", std::move(difference)};
  return {"bytes", "", compare_bytes(one, other)};
}

FileComparison compare_files(const std::string& name, const std::string& one, const std::string& other) {
  const MappedFile first(one), second(other);
  return compare_contents(name, first.bytes(), second.bytes());
}

} // namespace detshim
