// How the help is laid out: texts are broken at the terminal's width.
#pragma once

#include "report/style.h"
#include "support/wording.h"

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
    return broken(option->get_description(), text_columns());
  }

  std::string make_subcommand(const CLI::App* verb) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, verb->get_display_name(true),
                             broken(verb->get_description(), text_columns()), names_width);
    return out.str();
  }

  /// COLUMNS, as shells set it, else the terminal's width; 80 where there is neither.
  static std::size_t columns() {
    const char* const named = std::getenv("COLUMNS");
    const std::size_t asked = named != nullptr ? std::strtoul(named, nullptr, 10) : 0;
    const std::size_t known = asked != 0 ? asked : terminal_columns();
    return known != 0 ? known : 80;
  }

  static std::size_t text_columns() {
    return std::max(columns(), names_width + least_width) - names_width;
  }
};

} // namespace detshim
