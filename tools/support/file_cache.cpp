#include "support/file_cache.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

constexpr std::size_t largest_entry = 16 << 20;

/// FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo).
std::uint64_t hash_of(std::string_view text, std::uint64_t state = 0xCBF29CE484222325) {
  for (const char letter : text) state = (state ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
  return state;
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

/// All of it or nothing.
void write_whole(const std::string& file, std::string_view text) {
  const std::string temporary = file + "." + std::to_string(::getpid());
  ::unlink(temporary.c_str()); // of a process that had this id and was killed
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) return;
  const bool is_whole = ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(descriptor) != 0 || !is_whole || ::rename(temporary.c_str(), file.c_str()) != 0)
    ::unlink(temporary.c_str());
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
  Packer key;
  key.add(maker_);
  key.add(kind);
  key.add(file);
  key.add(build);
  key.add(static_cast<std::uint64_t>(status.st_ino));
  key.add(static_cast<std::uint64_t>(status.st_size));
  key.add(nanoseconds(status.st_mtim));
  key.add(nanoseconds(status.st_ctim));
  return key.text();
}

std::optional<std::string> FileCache::find(std::string_view kind, const std::string& file,
                                           const struct stat& status, const std::string& build) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> text = read_own(entry(kind, file));
  if (!text) return std::nullopt;
  Unpacker entry(*text);
  const bool is_meant = entry.text() == key(kind, file, status, build);
  std::string result = entry.text();
  const bool is_whole = entry.number() == hash_of(result) && entry.is_good();
  return is_meant && is_whole ? std::optional(std::move(result)) : std::nullopt;
}

void FileCache::keep(std::string_view kind, const std::string& file, const struct stat& status,
                     const std::string& build, std::string_view result) const {
  constexpr std::uint64_t settled = 2'000'000'000; // no clock of a file system is coarser (FAT's)
  timespec now;
  if (folder_.empty() || result.size() > largest_entry / 2 || ::clock_gettime(CLOCK_REALTIME, &now) != 0 ||
      nanoseconds(now) < nanoseconds(status.st_ctim) + settled)
    return;
  Packer text;
  text.add(key(kind, file, status, build));
  text.add(result);
  text.add(hash_of(result));
  write_whole(entry(kind, file), text.text());
}

void Packer::add(std::uint64_t number) {
  for (int i = 0; i < 8; ++i) text_ += static_cast<char>(number >> (8 * i) & 0xFF);
}

void Packer::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  text_ += text;
}

std::uint64_t Unpacker::number() {
  if (rest_.size() < 8) is_good_ = false;
  if (!is_good_) return 0;
  std::uint64_t number = 0;
  for (unsigned i = 0; i < 8; ++i) number |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
  rest_.remove_prefix(8);
  return number;
}

std::string Unpacker::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) is_good_ = false;
  if (!is_good_) return "";
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}

} // namespace detshim
