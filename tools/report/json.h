// JSON documents, built whole. Their shapes: docs/schemas.
#pragma once

#include "report/json_writer.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <sstream>

namespace nlohmann {

template <typename Value>
struct adl_serializer<std::optional<Value>> {
  template <typename BasicJson>
  static void to_json(BasicJson& json, const std::optional<Value>& known) {
    if (known)
      json = *known;
    else
      json = nullptr;
  }
};

} // namespace nlohmann

namespace detshim {

using Json = nlohmann::ordered_json; // members as they are written

/// An array with what `of` makes of each entry.
template <typename List, typename Of>
Json json_list(const List& list, Of of) {
  Json result = Json::array();
  for (const auto& entry : list) result.push_back(of(entry));
  return result;
}

/// What `write` writes, as a value.
template <typename Write>
Json json_written(Write write) {
  std::ostringstream text;
  JsonWriter writer(text);
  write(writer);
  return Json::parse(text.str());
}

/// Pure ASCII, and stray bytes (of a file's name, say) replaced: safe for a terminal and for any parser.
inline void print_json(std::ostream& out, const Json& document) {
  out << document.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << '\n';
}

} // namespace detshim
