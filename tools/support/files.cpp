#include "support/files.h"

#include "support/ask.h"
#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {

OwnedDescriptor open_regular(const std::string& file, int flags) {
  struct stat state;
  if (::stat(file.c_str(), &state) != 0 || !S_ISREG(state.st_mode))
    return {};
  OwnedDescriptor input(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags));
  if (input && (::fstat(input.number(), &state) != 0 || !S_ISREG(state.st_mode)))
    return {};
  return input;
}

std::string why_unreadable(const std::string& place) {
  return ::access(place.c_str(), R_OK) == 0 ? "" : std::strerror(errno);
}

void require_readable(const std::string& place) {
  const std::string why = why_unreadable(place);
  if (!why.empty())
    throw UsageError("cannot read " + in_quotes(place) + ": " + why);
}

std::string read_all(int descriptor,
                     std::size_t most) { // not by a stream: a run that begins waits for it
  std::string text;
  char block[16384];
  while (text.size() < most) {
    const ssize_t size = ::read(descriptor, block, std::min(sizeof block, most - text.size()));
    if (size < 0 && errno == EINTR)
      continue;
    if (size <= 0)
      break;
    text.append(block, static_cast<std::size_t>(size));
  }
  return text;
}

std::string read_file(const std::string& file, std::size_t most) {
  return read_all(open_regular(file).number(), most);
}

std::string first_line(const std::string& file) {
  const std::string text = read_file(file);
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> sha256_of(const std::vector<std::string>& files) {
  constexpr std::size_t together = 256, digits = 64;
  std::vector<std::string> sums;
  for (std::size_t i = 0; i < files.size();) {
    std::vector<std::string> command = {"sha256sum", "--"};
    while (i < files.size() && command.size() < together)
      command.push_back(files[i++]);
    const Reply reply = ask(command, {.time = std::chrono::hours(24)});
    for (const std::string& line :
         split(reply.text.value_or(""), '\n')) // \\ before a name that is escaped
      sums.push_back(line.substr(line.starts_with('\\') ? 1 : 0, digits));
  }
  if (sums.size() != files.size())
    sums.assign(files.size(), "");
  return sums;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int replace_file(int folder, const std::string& file, std::string_view text, mode_t mode) {
  constexpr int tries = 100, flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  std::string part;
  int output = -1;
  // What a process with this id left that was killed, or a stranger's link, has a name of its own.
  for (int i = 0; i < tries && output < 0 && (i == 0 || errno == EEXIST); ++i) {
    part = file + "." + std::to_string(::getpid()) + "-" + std::to_string(i) + ".part";
    output = ::openat(folder, part.c_str(), flags, mode);
  }
  if (output < 0)
    return errno;
  int error = write_all(output, text);
  if (::close(output) != 0 && error == 0)
    error = errno;
  if (error == 0 && ::renameat(folder, part.c_str(), folder, file.c_str()) != 0)
    error = errno;
  if (error != 0)
    ::unlinkat(folder, part.c_str(), 0);
  return error;
}

int put_where_asked(const std::string& file, std::string_view text, mode_t mode) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (file.empty())
    return ENOENT;
  if (fs::is_regular_file(status))
    return replace_file(AT_FDCWD, fs::canonical(file, error).string(), text, mode);
  if (!fs::exists(status))
    return replace_file(AT_FDCWD, file, text, mode);
  const int output = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_TRUNC);
  if (output < 0)
    return errno;
  const int written = write_all(output, text);
  return ::close(output) != 0 && written == 0 ? errno : written;
}

} // namespace detshim
