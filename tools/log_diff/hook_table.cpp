// Decides the role of a field in a record: what the record's own hook says of it, else what all
// hooks agree on that have a field of that name. Where they disagree there is no answer. A hook
// counts only if the record names its library too.
//
// It cannot know what a hook of another version meant by a field that has kept its name.
#include "log_diff/hook_table.h"

#include <cstring>
#include <span>
#include <unordered_map>

/// In hook_table_section.S.
extern "C" const detshim::HookInfo detshim_hook_table[];
extern "C" const detshim::HookInfo detshim_hook_table_end[];

namespace detshim {
namespace {

std::span<const HookInfo> hook_table() { return {detshim_hook_table, detshim_hook_table_end}; }

template <std::size_t Size>
std::string_view text(const char (&field)[Size]) {
  return {field, ::strnlen(field, Size)};
}

/// What the hook itself says of a field.
std::optional<FieldRole> role_at(const HookInfo& hook, std::string_view name) {
  std::size_t index = 0;
  for (const auto& field : hook.fields) {
    if (text(field) == name)
      return hook.roles[index];
    ++index;
  }
  return std::nullopt;
}

using HooksByName = std::unordered_map<std::string_view, const HookInfo*>;

HooksByName index_hooks() {
  HooksByName hooks;
  for (const HookInfo& hook : hook_table())
    hooks.emplace(text(hook.name), &hook);
  return hooks;
}

/// Without a role where hooks disagree.
using RolesByField = std::unordered_map<std::string_view, std::optional<FieldRole>>;

RolesByField agreed_roles() {
  RolesByField roles;
  for (const HookInfo& hook : hook_table()) {
    std::size_t index = 0;
    for (const auto& field : hook.fields) {
      const FieldRole role = hook.roles[index++];
      std::optional<FieldRole>& agreed = roles.emplace(text(field), role).first->second;
      if (agreed != role)
        agreed.reset();
    }
  }
  // What the log adds to a call, and what earlier versions' hooks had.
  for (const char* name : {"pool", "pool_at", "answered", "returned"})
    roles.emplace(name, FieldRole::result);
  return roles;
}

} // namespace

const HookInfo* described_hook(const Call& call) {
  static const HooksByName hooks = index_hooks();
  const auto hook = hooks.find(call.function);
  const bool is_described =
      hook != hooks.end() && std::string_view(text(hook->second->library)) == call.library;
  return is_described ? hook->second : nullptr;
}

std::optional<FieldRole> described_role(const Call& call, std::string_view field) {
  const HookInfo* const hook = described_hook(call);
  if (hook != nullptr)
    if (const std::optional<FieldRole> role = role_at(*hook, field))
      return role;
  static const RolesByField roles = agreed_roles();
  const auto agreed = roles.find(field);
  return agreed == roles.end() ? std::nullopt : agreed->second;
}

} // namespace detshim
