#include "support/reason_texts.h"

#include "support/reason_rows.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace detshim {
namespace {

constexpr bool are_complete() {
  if (std::size(reason_rows) != reason_count)
    return false;
  for (std::size_t i = 0; i < std::size(reason_rows); ++i)
    if (static_cast<std::size_t>(reason_rows[i].reason) != i)
      return false;
  return true;
}
static_assert(are_complete(), "each reason code has a text");

/// By their numbers. A log has a code in most of its records: they are found by halving.
constexpr std::array<std::string_view, reason_count> all_codes = {
    "",
#define DETSHIM_REASON_TEXT(code) #code,
    DETSHIM_REASONS(DETSHIM_REASON_TEXT)
#undef DETSHIM_REASON_TEXT
};
static_assert(std::ranges::is_sorted(all_codes), "the codes stand in alphabetical order");

const ReasonText& row_of(std::string_view code) {
  return reason_rows[static_cast<std::size_t>(reason_of(code))];
}

} // namespace

Reason reason_of(std::string_view code) {
  const auto* const at = std::ranges::lower_bound(all_codes, code);
  if (at == all_codes.end() || *at != code)
    return Reason::none;
  return static_cast<Reason>(at - all_codes.begin());
}

std::string text_of_code(std::string_view code) {
  const ReasonText& row = row_of(code);
  return row.reason == Reason::none ? std::string(code) : row.text;
}

std::string remedy_of_code(std::string_view code) { return row_of(code).remedy; }

} // namespace detshim
