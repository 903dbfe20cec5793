#include "verify/price_report.h"

#include "environment/capture.h"
#include "report/json.h"
#include "support/wording.h"
#include "verify/report.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <ostream>

namespace detshim {
namespace {

std::string fixed(double number, int digits, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f%s", digits, number, unit);
  return text;
}

std::string time_text(const PriceSubject& subject, double seconds) {
  return subject.step.empty() ? fixed(seconds, 2, " s") : fixed(seconds, 4, "");
}

std::string names_of(const std::vector<PricePart>& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const PricePart& part : parts)
    names.push_back(printable(part.name));
  return joined(names);
}

/// What has to be given to `detshim run` so that it leaves these parts off.
std::string options_for(const PriceSubject& subject, const std::vector<PricePart>& parts) {
  std::vector<std::string> disabled, options;
  if (!subject.disabled.empty())
    disabled.push_back(subject.disabled);
  bool has_layout = false;
  for (const PricePart& part : parts) {
    if (!part.disables.empty())
      disabled.push_back(part.disables);
    has_layout |= part.disables.empty();
  }
  if (!disabled.empty())
    options.push_back("--disable " + printable(joined(disabled, ",")));
  if (has_layout)
    options.emplace_back("--keep-aslr");
  return joined(options, " ");
}

/// Whether the program needs it, and what shows it.
std::string need_text(const PriceTrial& trial) {
  if (!trial.problem.empty())
    return "needed: " + printable(trial.problem);
  if (trial.differing > 0)
    return "needed: " + std::to_string(trial.differing) + " of " +
           counted(trial.runs - 1, "further run") + (trial.differing == 1 ? " differs" : " differ");
  return "not needed here";
}

void print_part(const PriceSubject& subject, const Price& price, const PricedPart& part,
                std::size_t name_width) {
  std::string line = "  " + padded(printable(part.part.name), name_width) + "  ";
  if (part.without) {
    const std::optional<double> cost = price.cost_of(part);
    line += padded(cost ? time_text(subject, part.without->seconds) : "-", 12) +
            padded(!cost               ? "-"
                   : price.costs(part) ? fixed(*cost, 2, " x")
                                       : "nothing",
                   9) +
            need_text(*part.without);
  } else {
    line += "not tried: the time was up";
  }
  std::cout << line << '\n';
}

Json json_of(const PriceTrial& trial) {
  return {{"runs", trial.runs},
          {"differing", trial.differing},
          {"seconds", trial.seconds},
          {"noise", trial.noise},
          {"problem", trial.problem.empty() ? Json() : Json(trial.problem)}};
}

} // namespace

void print_price_text(const PriceSubject& subject, const Price& price) {
  std::size_t name_width = width("with all");
  for (const PricedPart& part : price.parts)
    name_width = std::max(name_width, width(printable(part.part.name)));
  std::cout << describe_command(subject.command) << '\n'
            << "seed " << printable(subject.seed) << "; kept in " << printable(subject.folder)
            << "\n\n"
            << "  " << padded("with all", name_width) << "  "
            << time_text(subject, price.all.seconds) << "\n  " << padded("without", name_width)
            << "  " << padded("takes", 12) << "so it costs\n";
  for (const PricedPart& part : price.parts)
    print_part(subject, price, part, name_width);
  std::cout << '\n';
  if (price.cheapest)
    std::cout << "cheapest: all but " << names_of(price.left_off) << ", "
              << time_text(subject, price.cheapest->seconds) << " - equal in "
              << counted(price.cheapest->runs, "run") << ": "
              << options_for(subject, price.left_off) << '\n';
  else if (price.is_out_of_time)
    std::cout << "cheapest: not known, the time was up (--budget); the same command with --log "
              << printable(subject.folder) << " goes on\n";
  else
    std::cout << "cheapest: all of them; nothing that costs can go\n";
}

void print_price_json(const PriceSubject& subject, const Price& price, std::ostream& out) {
  Json parts = Json::array();
  for (const PricedPart& part : price.parts) {
    Json row = part.without ? json_of(*part.without) : Json::object();
    row["name"] = part.part.name;
    const std::optional<double> cost = price.cost_of(part);
    row["cost"] = cost ? Json(*cost) : Json();
    row["needed"] = part.without ? Json(!part.without->repeats()) : Json();
    parts.push_back(row);
  }
  Json left_off = Json::array();
  for (const PricePart& part : price.left_off)
    left_off.push_back(part.name);
  Json document = {{"schema_version", 1},
                   {"command", shown_words(subject.command)},
                   {"seed", subject.seed},
                   {"folder", subject.folder},
                   {"step", subject.step.empty() ? Json() : Json(subject.step)},
                   {"all", json_of(price.all)},
                   {"parts", parts},
                   {"left_off", left_off},
                   {"cheapest", price.cheapest ? json_of(*price.cheapest) : Json()},
                   {"options", options_for(subject, price.left_off)},
                   {"out_of_time", price.is_out_of_time}};
  out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

} // namespace detshim
