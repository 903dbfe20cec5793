#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace detshim {
namespace {

using Json = nlohmann::json;

/// A tensor's entry in the header. Nothing if it is not what the format says.
std::optional<Part> read_entry(const std::string& name, const Json& entry, std::string_view data) {
  const auto is_size = [](const Json& value) {
    return value.is_number_unsigned();
  };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["dtype"].is_string() ||
      !entry["shape"].is_array() || !entry["data_offsets"].is_array() ||
      entry["data_offsets"].size() != 2 ||
      !std::all_of(entry["shape"].begin(), entry["shape"].end(), is_size) ||
      !std::all_of(entry["data_offsets"].begin(), entry["data_offsets"].end(), is_size))
    return {};
  const auto begin = entry["data_offsets"][0].get<std::uint64_t>();
  const auto end = entry["data_offsets"][1].get<std::uint64_t>();
  if (begin > end || end > data.size())
    return {};
  const auto type_name = entry["dtype"].get<std::string>();
  Part part{name, type_named(type_name).value_or(ElementType{type_name, Encoding::raw}),
            entry["shape"].get<std::vector<std::uint64_t>>(), data.substr(begin, end - begin)};
  if (part.type.encoding == Encoding::raw)
    part.shape = {part.bytes.size()};
  else if (byte_size(part.type, part.shape) != part.bytes.size())
    return {};
  return part;
}

} // namespace

std::optional<Contents> read_safetensors(std::string_view bytes) {
  ByteReader reader(bytes);
  const std::string_view header = reader.take(reader.number(8));
  if (!reader.is_good() || header.empty())
    return {};
  const std::string_view data = reader.rest();
  const Json document = Json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object())
    return {};

  Contents contents;
  for (const auto& [name, entry] : document.items()) {
    if (name == "__metadata__")
      continue;
    const std::optional<Part> part = read_entry(name, entry, data);
    if (!part)
      return {};
    contents.parts.push_back(*part);
  }
  // What else the header says (metadata, order) counts as well.
  contents.parts.push_back(raw_part("header", header, "text"));
  contents.parts.back().named_by = PartName::reader;
  return contents;
}

} // namespace detshim
