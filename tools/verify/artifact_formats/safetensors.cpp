#include "verify/artifact_formats/artifact_formats.h"
#include "verify/artifact_formats/bytes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace detshim {
namespace {

using Json = nlohmann::json;

ElementType type_of(const std::string& name) {
  static const std::map<std::string, std::pair<Encoding, std::size_t>> known = {
      {"BOOL", {Encoding::boolean, 1}},         {"U8", {Encoding::unsigned_integer, 1}},
      {"U16", {Encoding::unsigned_integer, 2}}, {"U32", {Encoding::unsigned_integer, 4}},
      {"U64", {Encoding::unsigned_integer, 8}}, {"I8", {Encoding::signed_integer, 1}},
      {"I16", {Encoding::signed_integer, 2}},   {"I32", {Encoding::signed_integer, 4}},
      {"I64", {Encoding::signed_integer, 8}},   {"F16", {Encoding::binary_float, 2}},
      {"BF16", {Encoding::bfloat16, 2}},        {"F32", {Encoding::binary_float, 4}},
      {"F64", {Encoding::binary_float, 8}}};
  const auto found = known.find(name);
  if (found == known.end()) return {name, Encoding::raw, 1};
  return {name, found->second.first, found->second.second};
}

/// A tensor's entry in the header. Nothing if it is not what the format says.
std::optional<Part> read_entry(const std::string& name, const Json& entry, std::string_view data) {
  const auto is_size = [](const Json& value) { return value.is_number_unsigned(); };
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["dtype"].is_string() || !entry["shape"].is_array() ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2 ||
      !std::all_of(entry["shape"].begin(), entry["shape"].end(), is_size) ||
      !std::all_of(entry["data_offsets"].begin(), entry["data_offsets"].end(), is_size))
    return {};
  const auto begin = entry["data_offsets"][0].get<std::uint64_t>();
  const auto end = entry["data_offsets"][1].get<std::uint64_t>();
  if (begin > end || end > data.size()) return {};
  Part part{name, type_of(entry["dtype"].get<std::string>()),
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
  if (!reader.is_good() || header.empty()) return {};
  const std::string_view data = reader.rest();
  const Json document = Json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return {};

  Contents contents;
  for (const auto& [name, entry] : document.items()) {
    if (name == "__metadata__") continue;
    const std::optional<Part> part = read_entry(name, entry, data);
    if (!part) return {};
    contents.parts.push_back(*part);
  }
  // What else the header says (metadata, order) counts as well.
  contents.parts.push_back({"header", {"text", Encoding::raw, 1}, {header.size()}, header});
  contents.parts.back().named_by = PartName::reader;
  return contents;
}

} // namespace detshim
