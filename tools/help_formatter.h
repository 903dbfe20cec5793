// How the help is laid out: texts are broken at the terminal's width.
#pragma once

#include "report/style.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace detshim {

/// CLI11 prints a text as it is: this breaks it between words.
class HelpFormatter : public CLI::Formatter {
public:
  HelpFormatter() { column_width(names_width); }

private:
  static constexpr std::size_t names_width = 28, least_width = 20;

  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(option->get_description());
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_display_name(true), broken(verb->get_description()),
                             names_width);
    return out.str();
  }

  /// COLUMNS, as shells set it, else the terminal's width; 80 where there is neither.
  static std::size_t columns() {
    const char* const named = std::getenv("COLUMNS");
    const std::size_t asked = named != nullptr ? std::strtoul(named, nullptr, 10) : 0;
    const std::size_t known = asked != 0 ? asked : terminal_columns();
    return known != 0 ? known : 80;
  }

  static std::string broken(const std::string& text) {
    const std::size_t width = std::max(columns(), names_width + least_width) - names_width;
    std::istringstream words(text);
    std::string result;
    std::size_t at = 0;
    for (std::string word; words >> word;) {
      const bool is_first = at == 0;
      const bool fits = at + 1 + word.size() <= width;
      if (!is_first)
        result += fits ? ' ' : '\n';
      at = is_first || !fits ? word.size() : at + 1 + word.size();
      result += word;
    }
    return result;
  }
};

} // namespace detshim
