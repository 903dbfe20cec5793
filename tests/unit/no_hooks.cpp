// The hook table of a program that has no hooks: one row, so that the linker makes the section.
#include "core/base/hook_table.h"

namespace {
constinit const detshim::HookInfo info = {"none", "no_such_function", detshim::Action::observe, {}, ""};
constinit detshim::Hook hook = {
    .info = &info, .wrapper = nullptr, .name_hash = detshim::name_hash("no_such_function")};
[[gnu::section("detshim_hooks"), gnu::used]] constinit detshim::Hook* const row = &hook;
} // namespace
