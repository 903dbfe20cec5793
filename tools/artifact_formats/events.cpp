#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"

#include <map>

namespace detshim {
namespace {

// Numbers of the fields in TensorFlow's event.proto, summary.proto and tensor.proto.
constexpr std::uint64_t event_wall_time = 1, event_step = 2, event_summary = 5;
constexpr std::uint64_t summary_value = 1, value_tag = 1, value_float = 2, value_tensor = 8;
constexpr std::uint64_t tensor_type = 1, tensor_content = 4, tensor_floats = 5;
constexpr std::uint64_t type_float = 1;

struct Field {
  std::uint64_t number = 0, value = 0; ///< value: of a number
  std::string_view bytes;              ///< of a text or a message
  std::string_view whole;              ///< as it stands, with its key
};

/// Takes one field off a message. Nothing at the end, and where no field can be read.
std::optional<Field> take_field(ByteReader& reader) {
  if (reader.left() == 0)
    return {};
  const std::string_view before = reader.rest();
  const std::uint64_t key = reader.varint();
  Field field{key >> 3, 0, {}, {}};
  switch (key & 7) {
  case 0:
    field.value = reader.varint();
    break;
  case 1:
    field.value = reader.number(8);
    break;
  case 2:
    field.bytes = reader.take(reader.varint());
    break;
  case 5:
    field.value = reader.number(4);
    break;
  default:
    reader.take(reader.left() + 1); // groups, which nothing here has: not good any more
  }
  if (!reader.is_good())
    return {};
  field.whole = before.substr(0, before.size() - reader.left());
  return field;
}

/// Calls visit(field) for each; false if the bytes are no message.
template <typename Visit>
bool each_field(std::string_view message, Visit visit) {
  ByteReader reader(message);
  while (const std::optional<Field> field = take_field(reader))
    visit(*field);
  return reader.is_good();
}

/// A series of scalars under one tag.
struct Series {
  std::string values, steps; ///< bytes of floats, and of whole numbers
};

template <typename Number>
void append(std::string& to, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    to += static_cast<char>(number >> (8 * i) & 0xFF);
}

/// A scalar as a tensor: what TensorFlow 2 writes.
std::optional<std::uint32_t> scalar_of_tensor(std::string_view tensor) {
  std::uint64_t type = 0;
  std::optional<std::uint32_t> result;
  each_field(tensor, [&](const Field& field) {
    if (field.number == tensor_type)
      type = field.value;
    if (field.number == tensor_content && field.bytes.size() == 4)
      result = static_cast<std::uint32_t>(ByteReader(field.bytes).number(4));
    if (field.number == tensor_floats)
      result = static_cast<std::uint32_t>(
          field.bytes.size() == 4 ? ByteReader(field.bytes).number(4) : field.value);
  });
  return type == type_float ? result : std::nullopt;
}

void add_value(std::string_view value, std::uint64_t step, std::map<std::string, Series>& series) {
  std::string tag;
  std::optional<std::uint32_t> number;
  each_field(value, [&](const Field& field) {
    if (field.number == value_tag)
      tag = field.bytes;
    if (field.number == value_float)
      number = static_cast<std::uint32_t>(field.value);
    if (field.number == value_tensor)
      number = scalar_of_tensor(field.bytes);
  });
  if (!number)
    return;
  append(series[tag].values, *number);
  append(series[tag].steps, step);
}

} // namespace

std::optional<Contents> read_events(std::string_view bytes) {
  Contents contents;
  contents.ignored = "wall_time of the events";
  std::map<std::string, Series> series;
  std::string& rest = contents.owned.emplace_back(); // everything but the time, scalars as well
  ByteReader reader(bytes);
  while (reader.left() > 0) {
    const std::uint64_t size = reader.number(8);
    reader.take(4); // check value of the size
    const std::string_view event = reader.take(size);
    reader.take(4); // and of the data
    std::uint64_t step = 0;
    bool is_event = true;
    is_event &= each_field(event, [&](const Field& field) {
      if (field.number == event_step)
        step = field.value;
      constexpr std::size_t time_size =
          9; // a key and a double; what else has its number is no time
      const bool is_time = field.number == event_wall_time && field.whole.size() == time_size;
      if (!is_time)
        rest += field.whole;
    });
    append(rest, std::uint64_t{event.size()});
    is_event &= each_field(event, [&](const Field& field) {
      if (field.number == event_summary)
        is_event &= each_field(field.bytes, [&](const Field& value) {
          if (value.number == summary_value)
            add_value(value.bytes, step, series);
        });
    });
    if (!reader.is_good() || !is_event)
      return {};
  }
  for (auto& [tag, points] : series) {
    const std::string_view values = contents.owned.emplace_back(std::move(points.values));
    const std::string_view steps = contents.owned.emplace_back(std::move(points.steps));
    contents.parts.push_back(
        {tag, {"float", Encoding::binary_float, 4}, {values.size() / 4}, values});
    contents.parts.push_back(
        {tag + " (steps)", {"int64", Encoding::signed_integer, 8}, {steps.size() / 8}, steps});
    contents.parts.back().named_by = PartName::reader;
  }
  contents.parts.push_back(raw_part("events", rest));
  contents.parts.back().named_by = PartName::reader;
  return contents;
}

} // namespace detshim
