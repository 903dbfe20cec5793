#pragma once

namespace detshim {

/// Notices that a parent had a random device replaced, whose descriptor may be inherited (`program <
/// /dev/urandom`), so that reading it goes on without an end here too. From the constructor.
void look_at_inherited_input();

} // namespace detshim
