// PHP's own generator, whose seeding no hook can stand before.
#pragma once

namespace detshim {

/// Whether a call comes from the function of PHP that seeds lcg_value(), from the clock and its process's id, inside its
/// one program. It asks libc for the id, once, when the generator is first used.
bool seeds_php_lcg(const void* caller);

inline constexpr const char* why_php_lcg_is_unfixed =
    "PHP seeds lcg_value(), and uniqid('', true), from the clock and its process id: take mt_rand or random_int";

} // namespace detshim
