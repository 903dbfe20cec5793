// The document of an environment, as tests ask it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

/// Each section by subjects as a reader sees them ("file train.py"): `facts` are the texts of what
/// is known, `unknown` those of what is not.
inline nlohmann::json by_subjects(const nlohmann::json& sections) {
  using Json = nlohmann::json;
  Json result = Json::object();
  for (const auto& [section, states] : sections.items()) {
    result[section] = {{"facts", Json::object()}, {"unknown", Json::object()}};
    for (const auto& [state, kinds] : states.items())
      for (const auto& [kind, texts] : kinds.items())
        for (const auto& [name, text] : texts.items()) {
          const std::string subject =
              kind == "plain" ? name : kind + ' ' + (name.empty() ? "*" : name);
          const bool is_fact = state == "known" || state == "hidden";
          result[section][is_fact ? "facts" : "unknown"][subject] = text;
        }
  }
  return result;
}
