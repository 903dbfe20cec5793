#include "run/library_file.h"

#include "log_reader/open_file.h"
#include "scanner/elf_file.h"
#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <type_traits>

#include <unistd.h>

namespace detshim {
namespace {

constexpr const char* library_name = "libdetshim.so";

template <std::size_t Size>
std::string text(const char (&field)[Size]) {
  return printable({field, ::strnlen(field, Size)});
}

/// The array of plain structs that `section` of the library file is.
template <typename Info>
std::vector<Info> read_section(const std::string& library, const char* section) {
  static_assert(std::is_trivially_copyable_v<Info>);
  std::string bytes;
  try {
    bytes = ElfFile(library).section_bytes(section);
  } catch (const ElfError&) { // it has none
  }
  if (bytes.empty())
    throw UsageError(in_quotes(library) + " is no libdetshim.so: it has no section " + section);
  if (bytes.size() % sizeof(Info) != 0)
    throw UsageError(in_quotes(library) + " is of another version: its section " + section +
                     " has an unknown form");
  std::vector<Info> infos(bytes.size() / sizeof(Info));
  std::memcpy(infos.data(), bytes.data(), bytes.size());
  return infos;
}

} // namespace

std::string find_library(const std::optional<std::string>& asked_for) {
  std::error_code error;
  if (asked_for) {
    const std::filesystem::path path =
        std::filesystem::absolute(*asked_for, error).lexically_normal();
    if (error || !OpenFile(path))
      throw UsageError(
          "--library " + in_quotes(*asked_for) + " is not a file that can be read" +
          (::access(path.c_str(), R_OK) == 0 ? "" : std::string(": ") + std::strerror(errno)));
    return path;
  }
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder :
       {".", "../lib/" DETSHIM_MULTIARCH, "../" DETSHIM_LIBDIR, "../lib/detshim", "../lib"}) {
    const std::filesystem::path path = (here / folder / library_name).lexically_normal();
    if (OpenFile(path))
      return path;
  }
  throw UsageError("cannot find libdetshim.so beside " + in_quotes(here.string()) +
                   " or in the lib folder next to it; name it with --library PATH");
}

std::vector<HookDescription> read_hooks(const std::string& library) {
  std::vector<HookDescription> hooks;
  for (const HookInfo& info : read_section<HookInfo>(library, hook_info_section)) {
    const auto action = static_cast<std::size_t>(info.action);
    HookDescription hook{text(info.library),
                         text(info.name),
                         action < action_count ? action_names[action] : "?",
                         {},
                         {},
                         text(info.summary)};
    const FieldRole* role = info.roles;
    for (const auto& field : info.fields) {
      const bool is_input = *role++ == FieldRole::input;
      if (field[0] != 0)
        (is_input ? hook.inputs : hook.results).push_back(text(field));
    }
    hooks.push_back(std::move(hook));
  }
  std::ranges::sort(hooks, {}, [](const HookDescription& hook) {
    return std::tie(hook.library, hook.name);
  });
  return hooks;
}

std::vector<OptionDescription> read_options(const std::string& library) {
  std::vector<OptionDescription> options;
  for (const OptionInfo& info : read_section<OptionInfo>(library, option_info_section))
    options.push_back(
        {text(info.name), text(info.accepted), text(info.fallback), text(info.summary)});
  return options;
}

std::vector<SettingDescription> read_settings(const std::string& library) {
  std::vector<SettingDescription> settings;
  for (const SettingInfo& info : read_section<SettingInfo>(library, setting_info_section))
    settings.push_back({text(info.name), text(info.value), text(info.good), text(info.reader),
                        text(info.when), text(info.source), text(info.library), text(info.known),
                        text(info.harms), info.treatment, info.good_unset});
  return settings;
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|')
      cell += '\\';
    cell += c;
  }
  return cell;
}

} // namespace detshim
