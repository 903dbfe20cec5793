#include "html_report/whole_file.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& file, const std::string& why) {
  throw UsageError("cannot write '" + printable(file) + "': " + why);
}

/// Returns 0, or the error's number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
}

/// The file itself, where `file` is a link to one: the link stays.
std::string behind_links(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_regular_file(status)) return fs::canonical(file, error).string();
  if (fs::exists(status)) cannot_write(file, "not a regular file (-o - writes to standard output)");
  return file;
}

} // namespace

void write_whole_file(const std::string& file, std::string_view text) {
  if (file.empty()) cannot_write(file, std::strerror(ENOENT));
  const std::string target = behind_links(file);
  const std::string aside = target + "." + std::to_string(::getpid()) + ".part";
  constexpr mode_t readable = 0666; // the umask takes from it
  const int descriptor =
      ::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, readable);
  if (descriptor < 0) cannot_write(file, std::strerror(errno));
  int error = write_all(descriptor, text);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(aside.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(aside.c_str());
  cannot_write(file, std::strerror(error));
}

} // namespace detshim
