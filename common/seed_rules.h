// The rules that tell whether a seed changes from run to run, as a record names the one that
// answered (docs/SEEDS.md). What each asks, and which comes first: shim/core/seeds/rules/.
#pragma once

#include "common/reasons.h"

#include <cstdint>

// In alphabetical order. A name that a log was written with is never given another meaning.
// clang-format off
#define DETSHIM_SEED_RULES(X) \
  X(address) X(entropy) X(in_code) X(in_file) X(infrastructure) X(learned) X(low_number) X(nothing_read) \
  X(order) X(python_reading) X(reading) X(small_number) X(user)
// clang-format on

namespace detshim {

enum class SeedRule : uint8_t {
  none,
#define DETSHIM_SEED_RULE_MEMBER(name) name,
  DETSHIM_SEED_RULES(DETSHIM_SEED_RULE_MEMBER)
#undef DETSHIM_SEED_RULE_MEMBER
};

namespace detail {
// As reason_codes: one text without pointers.
inline constexpr char seed_rule_names[] = ""
#define DETSHIM_SEED_RULE_NAME(name) "\0" #name
    DETSHIM_SEED_RULES(DETSHIM_SEED_RULE_NAME);
#undef DETSHIM_SEED_RULE_NAME
} // namespace detail

/// The name as the log writes it; "" for SeedRule::none.
inline const char* seed_rule_name(SeedRule rule) {
  return detail::nth_text(detail::seed_rule_names, static_cast<unsigned>(rule));
}

/// The reason for what a record says, and the rule that found it, where it is about a seed.
struct Why {
  Why() = default;
  Why(Reason code) : reason(code) {}
  Why(Reason code, SeedRule by) : reason(code), rule(by) {}

  operator Reason() const { return reason; }

  Reason reason = Reason::none;
  SeedRule rule = SeedRule::none;
};

} // namespace detshim
