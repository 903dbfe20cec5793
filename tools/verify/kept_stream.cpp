#include "verify/kept_stream.h"

#include "support/files.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

constexpr const char* suffix_of_pipe = ".pipe";
constexpr const char* suffix_of_removed = " (deleted)"; // proc(5), /proc/pid/fd/

} // namespace

bool is_kept_below(const std::string& link, const std::filesystem::path& folder) {
  return link.starts_with(folder.string() + '/') &&
         link.ends_with(std::string(suffix_of_pipe) + suffix_of_removed);
}

KeptStream::KeptStream(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600)) {
  const char* const what = file_ ? "no pipe to '" : "cannot write '";
  if (file_ && make_pipe(file))
    stop_ = OwnedDescriptor(::eventfd(0, EFD_CLOEXEC));
  // The program's end blocks, as a pipe's usually does.
  if (!stop_ || ::fcntl(from_.number(), F_SETFL, O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category(), what + file.string() + "'");
}

/// One without a name where the file system has none.
bool KeptStream::make_pipe(const std::filesystem::path& file) {
  const std::string name = file.string() + suffix_of_pipe;
  if (::mkfifo(name.c_str(), 0600) == 0) {
    from_ = OwnedDescriptor(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    to_ = OwnedDescriptor(::open(name.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK));
    ::unlink(name.c_str());
    return from_ && to_ && ::fcntl(to_.number(), F_SETFL, 0) == 0;
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return false;
  from_ = OwnedDescriptor(ends[0]);
  to_ = OwnedDescriptor(ends[1]);
  return true;
}

KeptStream::~KeptStream() { end(); }

bool KeptStream::become(int descriptor) const {
  return ::dup2(to_.number(), descriptor) == descriptor;
}

void KeptStream::begin() {
  to_ = {};
  thread_ = std::thread(&KeptStream::keep_what_comes, this);
}

int KeptStream::end() {
  if (thread_.joinable()) {
    const std::uint64_t increment = 1;
    [[maybe_unused]] const ssize_t written = ::write(stop_.number(), &increment, sizeof increment);
    thread_.join();
  }
  from_ = {}; // whoever still writes ends by SIGPIPE, as behind any pipe
  return error_;
}

void KeptStream::keep_what_comes() {
  sigset_t all; // signals are the main thread's; and a limit on files is an error here, no SIGXFSZ
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pollfd watched[] = {{from_.number(), POLLIN, 0}, {stop_.number(), POLLIN, 0}};
  for (;;) {
    if (::poll(watched, 2, -1) < 0)
      continue;
    if (watched[1].revents != 0)
      break;
    if (move_some() == 0 && (watched[0].revents & (POLLHUP | POLLERR)) != 0)
      return;
  }
  int left = 0; // and no more: what is left behind may write for ever
  if (::ioctl(from_.number(), FIONREAD, &left) != 0)
    return;
  for (std::size_t moved; left > 0 && (moved = move_some()) > 0;)
    left -= static_cast<int>(moved);
}

/// 0 where nothing is there now.
std::size_t KeptStream::move_some() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::read(from_.number(), buffer.data(), buffer.size());
  if (got <= 0)
    return 0;
  const auto size = static_cast<std::size_t>(got);
  if (error_ == 0)
    error_ = write_all(file_.number(), {buffer.data(), size});
  return size; // behind an error it is read and dropped: the program goes on
}

} // namespace detshim
