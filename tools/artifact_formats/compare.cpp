#include "artifact_formats/compare.h"

#include "artifact_formats/artifact_formats.h"
#include "support/mapped_file.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace detshim {
namespace {

bool ends_with_one_of(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&name](std::string_view ending) {
    return name.ends_with(ending);
  });
}

// ------------------------------------------------------------------ tensors

struct Format {
  const char* name;
  std::optional<Contents> (*read)(std::string_view);
};

std::optional<Format> tensor_format(const std::string& name, std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY"))
    return Format{"npy", &read_npy};
  if (bytes.starts_with("PK"))
    return Format{name.ends_with(".npz") ? "npz" : "archive", &read_archive};
  if (name.ends_with(".safetensors"))
    return Format{"safetensors", &read_safetensors};
  if (name.find("tfevents") != std::string::npos)
    return Format{"events", &read_events};
  return {};
}

std::string describe_shape(const Part& part) {
  std::string text = part.type.name + " [";
  for (std::size_t i = 0; i < part.shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(part.shape[i]);
  return text + (part.is_column_major ? "] in Fortran's order" : "]");
}

std::string describe_part(const Part& part) {
  return part.name.empty() ? "array" : "'" + part.name + "'";
}

ContentDifference missing(const Part& part, bool is_in_first) {
  return {describe_part(part), is_in_first ? describe_shape(part) : "not there",
          is_in_first ? "not there" : describe_shape(part)};
}

std::optional<ContentDifference> compare_parts(const Part& one, const Part& other) {
  if (one.type.name != other.type.name || one.shape != other.shape ||
      one.is_column_major != other.is_column_major || one.bytes.size() != other.bytes.size())
    return ContentDifference{describe_part(one), describe_shape(one), describe_shape(other)};
  ContentDifference difference = compare_arrays(one, other);
  if (difference.count == 0)
    return {};
  difference.where = describe_part(one) + (difference.where.empty() ? "" : " " + difference.where);
  return difference;
}

/// The difference of the first part that differs, in the order of the first file.
std::optional<ContentDifference> compare_contents(const Contents& one, const Contents& other) {
  const auto key = [](const Part& part) {
    return std::pair(part.named_by, part.name);
  };
  std::map<std::pair<PartName, std::string>, const Part*> others;
  for (const Part& part : other.parts)
    others.emplace(key(part), &part);
  std::optional<ContentDifference> first;
  std::uint64_t parts = 0;
  const auto add = [&](std::optional<ContentDifference> difference) {
    if (!difference)
      return;
    ++parts;
    if (!first)
      first = std::move(difference);
  };
  for (const Part& part : one.parts) {
    const auto same_part = others.find(key(part));
    if (!part.is_hash || !first)
      add(same_part == others.end() ? missing(part, true)
                                    : compare_parts(part, *same_part->second));
    if (same_part != others.end())
      others.erase(same_part);
  }
  for (const auto& [its_key, part] : others)
    add(missing(*part, false));
  if (first)
    first->parts = parts;
  return first;
}

// ------------------------------------------------------------------ text

/// A value of a text, and where it stands.
struct TextValue {
  std::string_view text;
  std::size_t line = 1;   ///< from 1
  std::size_t number = 0; ///< in its line, from 1

  bool is_at_place_of(const TextValue& other) const {
    return line == other.line && number == other.number;
  }
  bool operator==(const TextValue&) const = default;
};

/// Takes one value after another: what stands between blanks, line ends, commas, semicolons,
/// colons, brackets and braces. What is in quotes is one.
class TextValues {
public:
  explicit TextValues(std::string_view text) : rest_(text) {}

  /// Nothing behind the last.
  std::optional<TextValue> next();

  /// "line 3, value 2, "loss"", of the value that was taken last: with the key before it in the
  /// line, else with the heading of its column.
  std::string place() const;

private:
  /// How many characters the value has that the rest begins with.
  std::size_t length_of_value() const;

  static constexpr std::string_view between_ = " \t\r\n,;:[]{}";
  std::string_view rest_, before_;
  TextValue value_;
  std::vector<std::string_view> first_line_;
};

std::size_t TextValues::length_of_value() const {
  if (!rest_.starts_with('"'))
    return std::min(rest_.find_first_of(between_), rest_.size());
  std::size_t end = 1;
  while (end < rest_.size() && rest_[end] != '"') // one in it stands behind a backslash, or twice
    end += rest_[end] == '\\' ? 2 : 1;
  return std::min(end + 1, rest_.size());
}

std::optional<TextValue> TextValues::next() {
  const std::size_t begin = std::min(rest_.find_first_not_of(between_), rest_.size());
  const auto ends = static_cast<std::size_t>(std::ranges::count(rest_.substr(0, begin), '\n'));
  before_ = ends == 0 ? value_.text : std::string_view();
  value_.number = ends == 0 ? value_.number + 1 : 1;
  value_.line += ends;
  rest_.remove_prefix(begin);
  if (rest_.empty())
    return {};
  value_.text = rest_.substr(0, length_of_value());
  rest_.remove_prefix(value_.text.size());
  value_.line += static_cast<std::size_t>(std::ranges::count(value_.text, '\n'));
  if (value_.line == 1)
    first_line_.push_back(value_.text);
  return value_;
}

std::string TextValues::place() const {
  constexpr std::size_t longest = 40;
  const bool has_heading = value_.line > 1 && value_.number <= first_line_.size();
  std::string_view name;
  if (before_.starts_with('"'))
    name = before_;
  else if (has_heading)
    name = first_line_[value_.number - 1];
  const std::string place =
      "line " + std::to_string(value_.line) + ", value " + std::to_string(value_.number);
  return name.empty() ? place : place + ", " + std::string(name.substr(0, longest));
}

/// One of the two may be missing.
void describe_first_value(const std::optional<TextValue>& value, const TextValues& values,
                          const std::optional<TextValue>& other_value,
                          const TextValues& other_values, ContentDifference& result) {
  constexpr std::string_view not_there = "not there";
  result.where = value ? values.place() : other_values.place();
  result.value = value ? value->text : not_there;
  result.other_value = other_value ? other_value->text : not_there;
  if (value && other_value && !value->is_at_place_of(*other_value))
    result.other_value += " at " + other_values.place();
}

void add_numbers_of(const TextValue& value, const TextValue& other_value,
                    ContentDifference& result) {
  const std::optional<long double> number = number_of(value.text);
  const std::optional<long double> other_number = number_of(other_value.text);
  if (!number || !other_number || !std::isfinite(*number) || !std::isfinite(*other_number))
    return;
  result.has_numbers = true;
  result.add_numbers(*number, *other_number);
}

std::optional<ContentDifference> compare_values(TextValues values, TextValues other_values) {
  ContentDifference result;
  result.unit = "value";
  for (;;) {
    const std::optional<TextValue> value = values.next(), other_value = other_values.next();
    if (!value && !other_value)
      break;
    ++result.of;
    if (value == other_value)
      continue;
    if (result.count++ == 0)
      describe_first_value(value, values, other_value, other_values, result);
    // Behind a value that one text has more, every further one stands at another place.
    if (!value || !other_value || !value->is_at_place_of(*other_value))
      break;
    add_numbers_of(*value, *other_value, result);
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

FileComparison compare_contents(const std::string& name, std::string_view one,
                                std::string_view other) {
  if (one == other)
    return {"bytes", "", {}};
  const std::optional<Format> format = tensor_format(name, one);
  if (format) {
    const std::optional<Contents> a = format->read(one), b = format->read(other);
    if (a && b) {
      std::optional<ContentDifference> difference = compare_contents(*a, *b);
      if (difference)
        return {format->name, "", std::move(difference)};
      // The bytes differ all the same: only a format that says what may differ has an equal content
      // then.
      if (*a->ignored != 0)
        return {format->name, a->ignored, {}};
    }
  }
  if (ends_with_one_of(name, {".csv", ".tsv", ".json", ".jsonl", ".ndjson"}))
    if (std::optional<ContentDifference> difference =
            compare_values(TextValues(one), TextValues(other)))
      return {"text", "", std::move(difference)};
  return {"bytes", "", compare_bytes(one, other)};
}

FileComparison compare_files(const std::string& name, const std::string& one,
                             const std::string& other) {
  const MappedFile first(one), second(other);
  return compare_contents(name, first.bytes(), second.bytes());
}

} // namespace detshim
