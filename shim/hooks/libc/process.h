// What is done about processes as the library is loaded.
#pragma once

namespace detshim {

/// Has what most forked children call looked for once, in the parent, and not again in each child. From the
/// constructor only.
void prepare_for_children();

} // namespace detshim
