// /dev/urandom and /dev/random, however they are opened, and /proc/sys/kernel/random/uuid.
//
// The descriptor is replaced, not marked: after the real open, a file in memory takes the
// descriptor's number (hooks/libc/device_stream.h). So read, readv, dup, fdopen, std::ifstream and
// an exec'd child all see the same bytes without a table of descriptors.
//
// The fortified names (__open_2 and its family) are what programs built with _FORTIFY_SOURCE call:
// Perl among them.
#include "hooks/libc/device_stream.h"
#include "hooks/libc/inputs.h"
#include "hooks/libc/raw_calls.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/own_stack.h"
#include "core/identity/process.h"
#include "core/log/file_uses.h"
#include "loader/draw.h"
#include "loader/infrastructure.h"

#include <cstdarg>
#include <cstdio>
#include <sys/auxv.h>
#include <sys/sysmacros.h>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(open);
} // namespace hooks

namespace {

constexpr const char* uuid_path = "/proc/sys/kernel/random/uuid";

struct Devices {
  uint32_t generation = 0;
  uint64_t opened = 0; // devices opened by this thread so far
  uint64_t uuids = 0;
  uint64_t opened_by_infrastructure = 0;
};
thread_local constinit Devices devices;

bool is_random_device(const struct stat& state) {
  return S_ISCHR(state.st_mode) && major(state.st_rdev) == 1 &&
         (minor(state.st_rdev) == 8 || minor(state.st_rdev) == 9);
}

Devices& this_thread_devices() {
  const Thread& thread = this_thread();
  if (devices.generation != thread.generation) {
    const sys::SignalsBlocked no_signals; // or what a handler counted meanwhile would be forgotten
    if (devices.generation != thread.generation)
      devices = {thread.generation, 0, 0, 0};
  }
  return devices;
}

/// Counts at once: a signal handler may open a device at any moment, and gets another stream.
uint64_t next(uint64_t& counter) { return __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED); }

bool is_read(int flags) { return (flags & O_ACCMODE) != O_WRONLY && (flags & O_PATH) == 0; }

/// The key of this thread's next stream.
uint64_t next_key(bool of_infrastructure = false) {
  if (of_infrastructure)
    return stream_key(this_thread(), Kind::infrastructure_device,
                      next(this_thread_devices().opened_by_infrastructure));
  return stream_key(this_thread(), Kind::urandom, next(this_thread_devices().opened));
}

void record_kept(const Hook& hook, const void* caller, const char* path,
                 Reason why = Reason::no_memory_file) {
  record({hook.info().library, hook.info().name, hook.info().fields}, Action::nondeterministic,
         caller, why, {path});
}

/// A random (version 4) UUID as the kernel's file gives it (RFC 9562, 5.4).
void replace_by_uuid(const Hook& hook, const void* caller, const char* path, int fd) {
  PhiloxBlock block =
      stream_block(stream_key(this_thread(), Kind::uuid, next(this_thread_devices().uuids)), 0);
  auto* bytes = reinterpret_cast<unsigned char*>(&block);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  Text<40> text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text.add('-');
    text.add_hex(bytes[i], 2);
  }
  text.add('\n');
  const int memory = sys::memfd_create("detshim-uuid", 1 /* MFD_CLOEXEC */);
  if (memory < 0 || !sys::may_grow_to(text.length()) ||
      sys::pwrite(memory, text.c_str(), text.length(), 0) != static_cast<long>(text.length()) ||
      !device::take_number(memory, fd))
    record_kept(hook, caller, path);
  if (memory >= 0)
    sys::close(memory);
}

enum class DeviceSource { none, device, uuid };

/// True for the kernel's file of UUIDs by whichever name: two slashes, a relative one, a link.
bool is_uuid_file(const struct stat& state) {
  if (state.st_mode != (S_IFREG | 0444) || state.st_size != 0)
    return false; // as most files are told apart
  struct stat known;
  const bool is_it = sys::stat(uuid_path, known) == 0 && known.st_dev == state.st_dev &&
                     known.st_ino == state.st_ino;
  forget(known);
  return is_it;
}

/// What a descriptor that was just opened gives, as far as it is ours to replace.
DeviceSource source_of(const Hook& hook, int fd, const char* path) {
  if (fd < 0 || options().off() || hook.disabled)
    return DeviceSource::none;
  if (path != nullptr && same_text(path, uuid_path))
    return DeviceSource::uuid;
  struct stat state;
  if (sys::fstat(fd, state) != 0)
    return DeviceSource::none;
  const DeviceSource source = is_random_device(state) ? DeviceSource::device
                              : is_uuid_file(state)   ? DeviceSource::uuid
                                                      : DeviceSource::none;
  forget(state);
  return source;
}

/// What the caller of a hook gets for open(), which opens that path with those flags.
template <typename Real>
int open_replacing(Hook& hook, int folder, const char* path, int flags, const void* caller,
                   Real open) {
  const int fd = open();
  note_path(path, fd, [&] {
    note_file_of_system(path, caller);
  });
  if (options().off() || hook.disabled)
    return fd;
  const DeviceSource source = is_read(flags) ? source_of(hook, fd, path) : DeviceSource::none;
  if (source == DeviceSource::none) {
    note_opened_file(path, folder, flags, fd);
    return fd;
  }
  CallSites call_sites;
  const char* shown = path != nullptr ? path : "";
  if (!decide_draw(hook, call_sites, caller, {shown}))
    return fd;
  if (source == DeviceSource::uuid)
    return replace_by_uuid(hook, caller, shown, fd), fd;
  sys::close(fd); // so that the stream gets the lowest number, as an open does
  const int stream = device::make(next_key(is_of_infrastructure(caller)), flags);
  if (stream >= 0)
    return stream;
  record_kept(hook, caller, shown);
  return open();
}

/// A FILE of a stream under the number of one that was just opened; nullptr where that cannot be.
/// One that was made and did not get the number stays unused.
FILE* replace_by_stream(FILE* file, const char* mode, int flags, const FILE* before,
                        const void* caller) {
  const int fd = file->_fileno;
  const int stream = device::make(next_key(is_of_infrastructure(caller)), flags | O_CLOEXEC);
  if (stream < 0)
    return nullptr;
  FILE* const own = device::open_file(fd, mode);
  if (own == nullptr || !device::take_number(stream, fd)) {
    sys::close(stream);
    return nullptr;
  }
  if (before == nullptr) {
    device::drop_file(file, stream);
  } else {
    sys::close(stream);
    device::take_standard_input(own);
  }
  return own;
}

/// The same for a FILE that was just opened: the one that the caller gets. `before` is what freopen
/// was given.
FILE* replace_file(Hook& hook, FILE* file, const char* path, const char* mode, const FILE* before,
                   const void* caller) {
  note_path(path, file != nullptr ? 0 : -1, [&] {
    note_file_of_system(path, caller);
  });
  if (file == nullptr) {
    note_absent_file(path);
    return file;
  }
  const int fd = file->_fileno;
  const DeviceSource source = source_of(hook, fd, path);
  const int flags = sys::fcntl(fd, F_GETFL);
  if (source == DeviceSource::none || !is_read(flags)) {
    note_opened_file(path, AT_FDCWD, flags, fd);
    return file;
  }
  const char* shown = path != nullptr ? path : "";
  if (source == DeviceSource::device && before != nullptr && before != stdin) {
    record_kept(hook, caller, shown, Reason::file_reopened);
    return file;
  }
  CallSites call_sites;
  if (!decide_draw(hook, call_sites, caller, {shown}))
    return file;
  if (source == DeviceSource::uuid)
    return replace_by_uuid(hook, caller, shown, fd), file;
  FILE* const own = replace_by_stream(file, mode, flags, before, caller);
  if (own != nullptr)
    return own;
  record_kept(hook, caller, shown);
  return file;
}

// ------------------------------------------------------------------ open before the program began

/// `program </dev/urandom` from a shell that the library is not in.
void replace_inherited(int fd) {
  struct stat state;
  if (sys::fstat(fd, state) != 0)
    return;
  if (device::may_exist && S_ISREG(state.st_mode) && state.st_nlink == 0) // as a stream's file is
    device::may_be_written |= (sys::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
  if (!is_random_device(state))
    return;
  Text<64> shown;
  shown.add("descriptor ").add(static_cast<uint64_t>(fd)).add(", open before the program began");
  const auto* program = reinterpret_cast<const void*>(static_cast<uintptr_t>(getauxval(AT_ENTRY)));
  CallSites call_sites;
  const int flags = sys::fcntl(fd, F_GETFL);
  if (!is_read(flags) || !decide_draw(hooks::open, call_sites, program, {shown.c_str()}))
    return;
  const uint64_t key = next_key();
  const int stream = device::make(key, flags | O_CLOEXEC);
  if (stream < 0 || !device::take_number(stream, fd))
    record_kept(hooks::open, program, shown.c_str());
  if (stream >= 0)
    sys::close(stream);
}

/// Numbers that are looked at: those that a person redirects, and the first that a shell gives by
/// itself. A look into /proc for all of them, or at many, is felt in the start of a process.
constexpr int usual_numbers = 16;

} // namespace

void look_at_inherited_input() {
  if (device_was_replaced())
    device::may_exist = true;
  for (int fd = 0; fd < usual_numbers; ++fd)
    replace_inherited(fd);
  uint64_t key;
  if (!device::may_exist || stdin->_fileno != 0 || !device::find(0, key))
    return;
  if (FILE* const file = device::open_file(0, "r"))
    device::take_standard_input(file);
}

namespace {

unsigned mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, unsigned) : 0;
}

/// What every open does. `open()` calls libc.
template <typename Call, typename Real>
int open_by(const Call& call, int folder, const char* path, int flags, Real open) {
  return call.passes() ? open()
                       : open_replacing(call.hook(), folder, path, flags, call.caller(), open);
}

template <typename Call>
int open_path(const Call& call, const char* path, int flags, va_list rest) {
  const unsigned mode = mode_of(flags, rest);
  return open_by(call, AT_FDCWD, path, flags, [&] {
    return call.real(path, flags, mode);
  });
}

template <typename Call>
int open_path_at(const Call& call, int folder, const char* path, int flags, va_list rest) {
  const unsigned mode = mode_of(flags, rest);
  return open_by(call, folder, path, flags, [&] {
    return call.real(folder, path, flags, mode);
  });
}

template <typename Call>
int open_fortified(const Call& call, const char* path, int flags) {
  return open_by(call, AT_FDCWD, path, flags, [&] {
    return call.real(path, flags);
  });
}

template <typename Call>
int openat_fortified(const Call& call, int folder, const char* path, int flags) {
  return open_by(call, folder, path, flags, [&] {
    return call.real(folder, path, flags);
  });
}

template <typename Call>
FILE* open_file(const Call& call, const char* path, const char* mode) {
  FILE* const file = call.real(path, mode);
  return call.passes() ? file : replace_file(call.hook(), file, path, mode, nullptr, call.caller());
}

template <typename Call>
FILE* reopen_file(const Call& call, const char* path, const char* mode, FILE* before) {
  before = device::give_standard_input_back(before);
  FILE* const file = call.real(path, mode, before);
  return call.passes() ? file : replace_file(call.hook(), file, path, mode, before, call.caller());
}

constexpr Description replaces_device = {
    .action = Action::pin,
    .fields = {"path"_in},
    .summary = "A random device's descriptor is replaced by this thread's bytes; other files pass.",
};

using Open = Call<int(const char* path, int flags, ...)>;
using Openat = Call<int(int folder, const char* path, int flags, ...)>;
using OpenFortified = Call<int(const char* path, int flags)>;
using OpenatFortified = Call<int(int folder, const char* path, int flags)>;
using OpenFile = Call<FILE*(const char* path, const char* mode)>;
using OpenFileAnew = Call<FILE*(const char* path, const char* mode, FILE* before)>;

} // namespace
} // namespace detshim

using namespace detshim;

long detshim::open_by_number(const RawCall& call, long number, long a, long b, long c, long d) {
  const auto open = [&] {
    return static_cast<int>(call.real(number, a, b, c, d));
  };
  if (call.passes())
    return open();
  const bool has_folder = number == SYS_openat;
  return open_replacing(hooks::open, has_folder ? static_cast<int>(a) : AT_FDCWD,
                        reinterpret_cast<const char*>(has_folder ? b : a),
                        static_cast<int>(has_folder ? c : b), call.caller(), open);
}

DETSHIM_TEMPLATE_HOOKS(libc, Open, open, open64, open_path, replaces_device);
DETSHIM_TEMPLATE_HOOKS(libc, Openat, openat, openat64, open_path_at, replaces_device);
DETSHIM_TEMPLATE_HOOKS(libc, OpenFortified, __open_2, __open64_2, open_fortified, replaces_device);
DETSHIM_TEMPLATE_HOOKS(libc, OpenatFortified, __openat_2, __openat64_2, openat_fortified,
                       replaces_device);
DETSHIM_TEMPLATE_HOOKS(libc, OpenFile, fopen, fopen64, open_file, replaces_device);
DETSHIM_TEMPLATE_HOOKS(libc, OpenFileAnew, freopen, freopen64, reopen_file, replaces_device);

DETSHIM_HOOK(
    libc, FILE*, fdopen, (int fd, const char* mode), .action = Action::observe,
    .summary = "A FILE for a replaced random device goes on without an end; other files pass.") {
  DETSHIM_ENTER(fdopen);
  uint64_t key;
  if (device::may_exist && mode != nullptr && device::find(fd, key))
    if (FILE* const file = device::open_file(fd, mode))
      return file;
  return call.real(fd, mode);
}
