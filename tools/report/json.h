// JSON documents, built whole. Their shapes: docs/schemas.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <ostream>
#include <string>

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
  for (const auto& entry : list)
    result.push_back(of(entry));
  return result;
}

/// A member that is a text; empty for any other.
template <typename AnyJson>
std::string text_of(const AnyJson& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->template get<std::string>() : "";
}

/// Pure ASCII, and stray bytes (of a file's name, say) replaced: safe for a terminal and for any
/// parser.
inline void print_json(std::ostream& out, const Json& document) {
  out << document.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) << '\n';
}

} // namespace detshim
