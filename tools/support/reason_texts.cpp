#include "support/reason_texts.h"

#include "support/reason_rows.h"

#include <iterator>

namespace detshim {
namespace {

constexpr bool are_complete() {
  if (std::size(reason_rows) != reason_count) return false;
  for (std::size_t i = 0; i < std::size(reason_rows); ++i)
    if (static_cast<std::size_t>(reason_rows[i].reason) != i) return false;
  return true;
}
static_assert(are_complete(), "each reason code has a text");

const ReasonText& row_of(std::string_view code) {
  return reason_rows[static_cast<std::size_t>(reason_of(code))];
}

} // namespace

Reason reason_of(std::string_view code) {
  for (std::size_t i = 1; i < reason_count; ++i)
    if (code == reason_code(static_cast<Reason>(i))) return static_cast<Reason>(i);
  return Reason::none;
}

std::string reason_text(std::string_view code) {
  const ReasonText& row = row_of(code);
  return row.reason == Reason::none ? std::string(code) : row.text;
}

std::string reason_remedy(std::string_view code) { return row_of(code).remedy; }

} // namespace detshim
