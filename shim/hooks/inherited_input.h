#pragma once

namespace detshim {

/// Notices that standard input is a replaced random device that a parent opened (`program < /dev/urandom`), so
/// that reading it goes on without an end here too. From the constructor.
void look_at_inherited_input();

} // namespace detshim
