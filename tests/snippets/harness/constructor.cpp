// The framework `constructor`: the snippet as a library that draws while it is loaded. Preloaded
// behind the shim, its constructor runs before the shim's own: the last library of LD_PRELOAD is
// initialised first.
#include "harness.h"

#include "snippet.h"

namespace {

[[gnu::constructor]] void draw_while_loading() {
  snippet();
  print_output();
}

} // namespace
