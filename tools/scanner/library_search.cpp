#include "scanner/library_search.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

namespace detshim {
namespace {

constexpr const char* cache_file = "/etc/ld.so.cache";

// As glibc writes it since 2.2: sysdeps/generic/dl-cache.h, struct cache_file_new and file_entry_new.
constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t cache_header = 48, cache_entry = 24;

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// The text that begins at `offset`, up to its zero.
std::string text_at(std::string_view bytes, std::size_t offset) {
  if (offset >= bytes.size()) return "";
  bytes.remove_prefix(offset);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

std::vector<std::string> split(std::string_view list, std::string_view separators) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

std::string origin_of(const ElfFile& file) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file.path(), error);
  return (error ? std::filesystem::path(file.path()) : real).parent_path().string();
}

/// The folders of a list in `file`'s dynamic section.
std::vector<std::string> own_folders(const std::string& list, const ElfFile& file) {
  std::vector<std::string> folders = split(list, ":");
  const char* const platform = file.machine() == Machine::x86_64 ? "x86_64" : "aarch64";
  for (std::string& folder : folders)
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"ORIGIN", origin_of(file)},
                                      {"LIB", "lib64"},
                                      {"PLATFORM", platform}}) {
      replace_all(folder, "${" + name + "}", value);
      replace_all(folder, "$" + name, value);
    }
  return folders;
}

std::vector<std::string> system_folders(Machine machine) {
  const std::string multiarch = machine == Machine::x86_64 ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
  return {"/lib/" + multiarch, "/usr/lib/" + multiarch,     "/lib64", "/usr/lib64", "/lib",
          "/usr/lib",          "/usr/" + multiarch + "/lib"}; // where cross compilers have theirs
}

/// True if the file is there, and for that processor: the loader passes over others.
bool fits(const std::string& path, Machine machine) {
  const OpenFile file(path);
  Elf64_Ehdr header;
  return file && ::pread(file.descriptor(), &header, sizeof header, 0) == sizeof header &&
         std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_machine == (machine == Machine::x86_64 ? EM_X86_64 : EM_AARCH64);
}

} // namespace

std::vector<std::pair<std::string, std::string>> read_loader_cache(std::string_view bytes) {
  std::vector<std::pair<std::string, std::string>> entries;
  const std::size_t start = bytes.find(cache_magic); // an older cache may stand in front
  if (start == std::string_view::npos) return entries;
  bytes.remove_prefix(start);
  if (bytes.size() < cache_header) return entries;
  const std::size_t count = std::min<std::size_t>(number_at(bytes, cache_magic.size()),
                                                  (bytes.size() - cache_header) / cache_entry);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = cache_header + i * cache_entry;
    entries.emplace_back(text_at(bytes, number_at(bytes, entry + 4)),
                         text_at(bytes, number_at(bytes, entry + 8)));
  }
  return entries;
}

LibrarySearch::LibrarySearch() {
  if (const char* const variable = std::getenv("LD_LIBRARY_PATH")) library_path_ = split(variable, ":;");
  std::ifstream cache(cache_file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(cache), {}};
  for (auto& [name, path] : read_loader_cache(bytes)) cache_.emplace(std::move(name), std::move(path));
}

std::optional<std::string> LibrarySearch::find(const std::string& name, const Dependent& dependent) const {
  const ElfFile& file = *dependent.file;
  if (name.find('/') != std::string::npos)
    return fits(name, file.machine()) ? std::optional(name) : std::nullopt;

  std::vector<std::string> places;
  const auto add = [&places](const std::vector<std::string>& folders) {
    places.insert(places.end(), folders.begin(), folders.end());
  };
  // RPATH is asked up to the program, RUNPATH of the asking file alone; a file with both has RUNPATH.
  if (file.dynamic().runpath.empty())
    for (const Dependent* at = &dependent; at != nullptr; at = at->needed_by)
      if (at->file->dynamic().runpath.empty()) add(own_folders(at->file->dynamic().rpath, *at->file));
  add(library_path_);
  add(own_folders(file.dynamic().runpath, file));
  for (const std::string& folder : places)
    if (const std::string path = std::filesystem::path(folder.empty() ? "." : folder) / name;
        fits(path, file.machine()))
      return path;
  const auto [first, last] = cache_.equal_range(name);
  for (auto entry = first; entry != last; ++entry)
    if (fits(entry->second, file.machine())) return entry->second;
  for (const std::string& folder : system_folders(file.machine()))
    if (const std::string path = std::filesystem::path(folder) / name; fits(path, file.machine()))
      return path;
  return std::nullopt;
}

} // namespace detshim
