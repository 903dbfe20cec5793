// The hook table of a program that has no hooks: one row, so that the linker makes the section.
#include "core/base/hook_table.h"

extern const detshim::HookInfo no_info __asm__("detshim_info_no_such_function");
[[gnu::used]] constinit const detshim::HookInfo no_info = {
    .library = "none",
    .name = "no_such_function",
    .action = detshim::Action::observe,
    .summary = "",
};
extern const uint32_t no_hash __asm__("detshim_hash_no_such_function");
[[gnu::used]] constinit const uint32_t no_hash = detshim::name_hash("no_such_function");
DETSHIM_PLACE_HOOK(no_such_function, "detshim_info_no_such_function");
