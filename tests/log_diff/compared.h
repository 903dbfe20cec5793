// Two logs, compared by the command.
#pragma once

#include "run.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <ostream>
#include <string>

struct Compared {
  int status = -1;
  std::string text, err;
  nlohmann::json document;

  /// The first cause of the first rank that differs; null without one.
  nlohmann::json first() const {
    for (const auto& rank : document.at("ranks"))
      if (!rank.at("causes").empty())
        return rank.at("causes").front();
    return nullptr;
  }
  /// Whether something is unknown of which the document says that: it has no codes for it.
  bool has_unknown(const std::string& part) const {
    for (const std::string what : document.at("unknown"))
      if (what.find(part) != std::string::npos)
        return true;
    return false;
  }
  std::size_t differences(const char* section) const {
    return document.at("sections").at(section).at("differences");
  }
};

inline std::ostream& operator<<(std::ostream& out, const Compared& compared) {
  return out << compared.status << '\n'
             << compared.text << compared.err << compared.document.dump(1);
}

inline Compared compare(const std::filesystem::path& a, const std::filesystem::path& b) {
  const Result text = run({DETSHIM_COMMAND, "log", "diff", a.string(), b.string()});
  const Result json = run({DETSHIM_COMMAND, "log", "diff", a.string(), b.string(), "--json"});
  Compared compared{text.status, text.out, text.err, nullptr};
  if (json.status != text.status)
    throw std::runtime_error("the two forms end in different statuses");
  if (!json.out.empty())
    compared.document = nlohmann::json::parse(json.out);
  return compared;
}
