#include "support/file_cache.h"

#include "support/files.h"
#include "support/hash.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t largest_entry = 16 << 20;

/// In a form that takes any bytes.
std::string packed(const Json& value) {
  std::string text;
  Json::to_cbor(value, text);
  return text;
}

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Nobody else can have written it.
bool is_own(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder, made where it is missing; empty without one that is the user's alone.
std::string find_folder() {
  const char* const named = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (named != nullptr &&
      *named == '/') // "All paths must be absolute": XDG Base Directory Specification, 0.8
    folder = named;
  else if (home != nullptr && *home == '/')
    folder = std::string(home) + "/.cache";
  else
    return "";
  ::mkdir(folder.c_str(), 0700);
  folder += "/detshim";
  ::mkdir(folder.c_str(), 0700);
  struct stat status;
  const bool is_usable = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && is_own(status);
  return is_usable ? folder : "";
}

std::optional<std::string> read_own(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  struct stat status;
  std::optional<std::string> text;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && is_own(status) && status.st_size > 0 &&
      static_cast<std::size_t>(status.st_size) <= largest_entry) {
    std::string contents(static_cast<std::size_t>(status.st_size), '\0');
    if (::read(descriptor, contents.data(), contents.size()) == status.st_size) text = std::move(contents);
  }
  ::close(descriptor);
  return text;
}

/// What this program is. Its version alone would not tell two builds apart.
std::string own_identity() {
  struct stat status;
  if (::stat("/proc/self/exe", &status) != 0) return "";
  return DETSHIM_VERSION " " + std::to_string(status.st_size) + " " +
         std::to_string(nanoseconds(status.st_mtim)) + " " + std::to_string(status.st_ino);
}

} // namespace

FileCache::FileCache(const std::string& maker) : folder_(find_folder()), maker_(own_identity()) {
  if (maker_.empty()) folder_.clear();
  maker_ += " " + maker;
}

std::string FileCache::entry(std::string_view kind, const std::string& file) const {
  char name[40];
  std::snprintf(name, sizeof name, "/%016llx%016llx", static_cast<unsigned long long>(hash_of(file)),
                static_cast<unsigned long long>(hash_of(file, 0x9E3779B97F4A7C15)));
  return folder_ + name + "." + std::string(kind);
}

std::string FileCache::key(std::string_view kind, const std::string& file, const struct stat& status,
                           const std::string& build) const {
  return packed({maker_, kind, file, build, status.st_ino, status.st_size, nanoseconds(status.st_mtim),
                 nanoseconds(status.st_ctim)});
}

std::optional<std::string> FileCache::find(std::string_view kind, const std::string& file,
                                           const struct stat& status, const std::string& build) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> text = read_own(entry(kind, file));
  if (!text) return std::nullopt;
  const Json kept = Json::from_cbor(*text, true, false);
  if (!kept.is_array() || kept.size() != 3 || kept[0] != key(kind, file, status, build) ||
      !kept[1].is_string())
    return std::nullopt;
  std::string result = kept[1];
  return kept[2] == hash_of(result) ? std::optional(std::move(result)) : std::nullopt;
}

void FileCache::keep(std::string_view kind, const std::string& file, const struct stat& status,
                     const std::string& build, std::string_view result) const {
  constexpr std::uint64_t settled = 2'000'000'000; // no clock of a file system is coarser (FAT's)
  timespec now;
  if (folder_.empty() || result.size() > largest_entry / 2 || ::clock_gettime(CLOCK_REALTIME, &now) != 0 ||
      nanoseconds(now) < nanoseconds(status.st_ctim) + settled)
    return;
  replace_file(AT_FDCWD, entry(kind, file), packed({key(kind, file, status, build), result, hash_of(result)}),
               S_IRUSR | S_IWUSR);
}

} // namespace detshim
