// The forms in which `detshim price` says what it found.
#pragma once

#include "verify/price.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace detshim {

/// What was priced.
struct PriceSubject {
  std::vector<std::string> command;
  std::string seed;
  std::string disabled; ///< what the user leaves off in all runs
  std::string folder;   ///< that keeps the runs
  std::string step;     ///< the pattern by which steps are timed; empty: whole runs
};

/// For people.
void print_price_text(const PriceSubject& subject, const Price& price);

/// For programs: docs/schemas/price.schema.json.
void print_price_json(const PriceSubject& subject, const Price& price, std::ostream& out);

} // namespace detshim
