#include "supervisor/supervisor.h"

#include "common/philox.h"
#include "common/stream_kinds.h"
#include "supervisor/devices.h"
#include "supervisor/listener.h"
#include "supervisor/processes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

namespace detshim {
namespace {

constexpr std::size_t draw_limit = 33554431; // getrandom(2): more than that in one call is not promised
constexpr std::size_t chunk = 1 << 20;
static_assert(chunk % sizeof(PhiloxBlock) == 0); // so that a draw in chunks is the draw in one

/// Bytes of a task's memory, as many as can be read of `size`.
std::string read_memory(int thread, std::uint64_t address, std::size_t size) {
  std::string text(size, '\0');
  const std::uint64_t page = 4096;
  const std::size_t first =
      std::min<std::size_t>(size, page - address % page); // the next page may be missing
  const iovec here = {text.data(), size};
  const std::array<iovec, 2> there = {iovec{reinterpret_cast<void*>(address), first},
                                      iovec{reinterpret_cast<void*>(address + first), size - first}};
  const ssize_t got = ::process_vm_readv(thread, &here, 1, there.data(), there.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool write_memory(int thread, std::uint64_t address, const char* data, std::size_t size,
                  std::size_t& written) {
  const iovec here = {const_cast<char*>(data), size};
  const iovec there = {reinterpret_cast<void*>(address), size};
  const ssize_t done = ::process_vm_writev(thread, &here, 1, &there, 1, 0);
  written += done > 0 ? static_cast<std::size_t>(done) : 0;
  return done == static_cast<ssize_t>(size);
}

/// The path that a task gave, if it is that of a random device; else empty.
std::string device_path(int thread, std::uint64_t address) {
  std::string text = read_memory(thread, address, 256);
  const std::size_t end = text.find('\0');
  if (end == std::string::npos || !text.starts_with('/') || text.find("random") > end) return {};
  text.resize(end);
  text = std::filesystem::path(text).lexically_normal().string();
  return text == "/dev/urandom" || text == "/dev/random" ? text : std::string();
}

/// A random device that a call opens: none if the path is empty.
struct DeviceOpen {
  std::string path;
  std::uint64_t flags = 0;
};

bool is_open(const seccomp_notif& call) {
#ifdef SYS_open
  if (call.data.nr == SYS_open) return true;
#endif
  return call.data.nr == SYS_openat || call.data.nr == SYS_openat2;
}

DeviceOpen device_opened_by(const seccomp_notif& call) {
  const int thread = static_cast<int>(call.pid);
  const auto& arguments = call.data.args;
  const std::size_t first = call.data.nr == SYS_openat || call.data.nr == SYS_openat2 ? 1 : 0;
  std::uint64_t flags = arguments[first + 1];
  if (call.data.nr == SYS_openat2) {
    const std::string how = read_memory(thread, arguments[2], sizeof(open_how));
    open_how requested = {};
    how.copy(reinterpret_cast<char*>(&requested), sizeof requested);
    if (how.size() < sizeof requested.flags || requested.resolve != 0) return {};
    flags = requested.flags;
  }
  if ((flags & O_ACCMODE) == O_WRONLY || (flags & (O_DIRECTORY | O_PATH)) != 0 ||
      (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
    return {};
  return {device_path(thread, arguments[first]), flags};
}

/// True if the device is there in the task's own root folder.
bool has_device(int thread, const std::string& path) {
  struct stat state;
  const std::string seen = "/proc/" + std::to_string(thread) + "/root" + path;
  return ::stat(seen.c_str(), &state) == 0 && S_ISCHR(state.st_mode) && major(state.st_rdev) == 1 &&
         (minor(state.st_rdev) == 8 || minor(state.st_rdev) == 9);
}

/// One thread answers: most of what is asked are opens of ordinary files, which go on at once.
class Supervisor {
public:
  Supervisor(OwnedDescriptor listener, const RunVariable& first, const struct stat& run_stderr)
      : listener_(std::move(listener)), watch_(::epoll_create1(EPOLL_CLOEXEC)),
        processes_(first, run_stderr, watch_.number()) {
    epoll_event event = {EPOLLIN, {.u64 = listener_event}};
    ::epoll_ctl(watch_.number(), EPOLL_CTL_ADD, listener_.descriptor(), &event);
  }

  /// Until no task has the filter any more.
  void run() {
    for (;;) {
      std::array<epoll_event, 16> events;
      const int count = ::epoll_wait(watch_.number(), events.data(), events.size(), -1);
      if (count < 0 && errno != EINTR) break;
      for (int i = 0; i < count; ++i) {
        const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
        if (number != listener_event)
          processes_.end_if_dead(static_cast<int>(number));
        else if (const seccomp_notif* const call = listener_.receive())
          take(*call);
        else if (listener_.is_abandoned())
          return processes_.end_all();
      }
    }
  }

private:
  static constexpr std::uint64_t listener_event = 0; // no process has that number

  void take(const seccomp_notif& call) {
    bool is_answered = false;
    try {
      is_answered = answer(call);
    } catch (const std::exception&) { // memory ran out, say
    }
    if (!is_answered) listener_.let_go_on(call);
  }

  /// False if the kernel is to execute the call.
  bool answer(const seccomp_notif& call) {
    if (is_open(call)) {
      const DeviceOpen device = device_opened_by(call);
      return !device.path.empty() && open_device(call, device);
    }
    if (call.data.nr == SYS_getrandom) return draw(call);
    extend_device(call);
    return false;
  }

  bool draw(const seccomp_notif& call) {
    const std::uint64_t address = call.data.args[0];
    const std::size_t size = std::min<std::size_t>(call.data.args[1], draw_limit);
    const auto flags = static_cast<unsigned>(call.data.args[2]);
    constexpr unsigned insecure = 4; // GRND_INSECURE, which excludes GRND_RANDOM
    const bool is_valid = (flags & ~(GRND_NONBLOCK | GRND_RANDOM | insecure)) == 0 &&
                          (flags & (GRND_RANDOM | insecure)) != (GRND_RANDOM | insecure);
    if (size == 0 || !is_valid) return false;
    Served* const served = processes_.find(listener_, call);
    if (served == nullptr || !pins(*served, call, "getrandom", "")) return false;

    const Stream before = served->getrandom;
    std::size_t written = 0;
    const int error = fill(static_cast<int>(call.pid), address, size, served->getrandom, written);
    if (written == 0) {
      served->getrandom = before;
      if (error == EFAULT) return false; // as the kernel will say too
      record(*served, call, "getrandom", "", Action::nondeterministic, Reason::memory_not_writable);
      return false;
    }
    std::uint64_t& count = record(*served, call, "getrandom", "", Action::pin, Reason::own_stream);
    if (listener_.answer(call, static_cast<std::int64_t>(written))) return true;
    served->getrandom = before; // interrupted: it will ask again
    --count;
    return true;
  }

  /// Writes the stream's next bytes into a task's memory, as far as that goes; 0 or the reason for the end.
  int fill(int thread, std::uint64_t address, std::size_t size, Stream& stream, std::size_t& written) {
    std::vector<char> bytes(std::min(size, chunk));
    while (written < size) {
      const std::size_t part = std::min(size - written, chunk);
      stream.fill(bytes.data(), part);
      errno = EFAULT; // for a part that is written in part
      if (!write_memory(thread, address + written, bytes.data(), part, written)) return errno;
    }
    return 0;
  }

  bool open_device(const seccomp_notif& call, const DeviceOpen& device) {
    const int thread = static_cast<int>(call.pid);
    const auto& [path, flags] = device;
    Served* const served = processes_.find(listener_, call);
    if (served == nullptr || !has_device(thread, path) || !pins(*served, call, "openat", path)) return false;

    const std::uint64_t key = derive(derive(derive(served->name.key, 0), // as the main thread's
                                            static_cast<std::uint64_t>(Kind::kernel_device)),
                                     served->devices);
    const int number = free_device_number(thread);
    const OwnedDescriptor file = make_device(key, (flags & O_ACCMODE) == O_RDWR, number < 0);
    if (!file || !listener_.still_waits(call)) {
      record(*served, call, "openat", path, Action::nondeterministic, Reason::no_memory_file);
      return false;
    }
    std::uint64_t& count = record(*served, call, "openat", path, Action::pin, Reason::own_stream);
    ++served->devices;
    if (listener_.answer_with_descriptor(call, file.number(), number, (flags & O_CLOEXEC) != 0)) return true;
    --count;
    --served->devices;
    if (listener_.still_waits(call))
      record(*served, call, "openat", path, Action::nondeterministic, Reason::no_memory_file);
    return false;
  }

  static bool pins(Served& served, const seccomp_notif& call, const char* function, const std::string& path) {
    if (!served.pins(function)) return false;
    if (!served.makes_secrets()) return true;
    record(served, call, function, path, Action::observe, Reason::secret_program);
    return false;
  }

  static std::uint64_t& record(Served& served, const seccomp_notif& call, const char* function,
                               const std::string& path, Action action, Reason why) {
    return served.log->record(
        {action, served.thread(call), function, path, why, served.place(call.data.instruction_pointer)});
  }

  Listener listener_;
  OwnedDescriptor watch_;
  Processes processes_;
};

} // namespace

void supervise(OwnedDescriptor listener, const RunVariable& first, const struct stat& run_stderr) {
  Supervisor(std::move(listener), first, run_stderr).run();
}

} // namespace detshim
