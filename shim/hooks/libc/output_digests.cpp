// What a program prints and writes: hashed by the call site that handed it out, if
// DETSHIM_FINGERPRINT asks for it (core/fingerprint/output_digests.h). Nothing is changed. Without
// that option each hook costs one load. What Python prints, by write, is searched for names that a
// package has made (hooks/support/printed_names.h).
//
// Not seen: single characters (putc), wide ones, dprintf, sockets, what libc writes out by itself
// (a FILE's buffer, which was seen as it was filled), files that are mapped, sendfile and its kin,
// and io_uring. What another buffer collects first (Python's, an ofstream's) counts where that is
// written out.
//
// Symbols: unistd.h, sys/uio.h, stdio.h.
#ifndef __NO_INLINE__
#define __NO_INLINE__ // glibc's inline vprintf is a second definition to clang
#endif
#include "core/fingerprint/output_digests.h"

#include "common/sys.h"
#include "core/base/user_memory.h"
#include "hooks/libc/device_stream.h"
#include "hooks/support/printed_names.h"
#include "loader/hook.h"

#include <cerrno>
#include <cstdarg>
#include <stdio.h>
#include <sys/uio.h>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(vfprintf);
DETSHIM_DECLARE_HOOK(__vfprintf_chk);
} // namespace hooks

namespace {

const char* name_of() { return "stdout"; }
const char* name_of(int fd) { return fd == 1 ? "stdout" : fd == 2 ? "stderr" : "file"; }

/// A file of stdio's may be none of the kernel's.
const char* name_of(FILE* file) {
  return file == nullptr ? "file" : file == stdout ? "stdout" : file == stderr ? "stderr" : "file";
}

template <typename Call>
void add(const Call& call, const char* to, const void* data, long size) {
  if (size <= 0 || data == nullptr)
    return;
  const auto length = static_cast<size_t>(size);
  add_digest(digests_at(call.hook().info(), to, call.caller()),
             {length, content_hash(data, length)});
}

/// The first `size` bytes of those parts. Nothing where one of them cannot be read: /dev/null takes
/// it.
template <typename Call>
void add_parts(const Call& call, const char* to, const iovec* parts, long size) {
  if (size <= 0 || parts == nullptr)
    return;
  uint64_t hash = 0;
  auto left = static_cast<size_t>(size);
  for (; left > 0; ++parts) {
    const size_t here = parts->iov_len < left ? parts->iov_len : left;
    if (!can_read(parts->iov_base, here))
      return;
    if (here > 0)
      hash = content_hash(parts->iov_base, here, hash);
    left -= here;
  }
  add_digest(digests_at(call.hook().info(), to, call.caller()), {static_cast<size_t>(size), hash});
}

/// What was formatted, formatted once more: the beginning of a long text.
template <typename Call>
[[gnu::noinline]] void add_formatted(const Call& call, const char* to, const char* format,
                                     va_list arguments, int length) {
  if (length <= 0)
    return;
  char text[1024]; // little: a thread's stack may be 16 KiB in all
  const int error = errno;
  const int size = vsnprintf(text, sizeof text, format, arguments);
  errno = error;
  if (size < 0)
    return;
  const size_t kept =
      static_cast<size_t>(size) < sizeof text ? static_cast<size_t>(size) : sizeof text - 1;
  add_digest(digests_at(call.hook().info(), to, call.caller()),
             {static_cast<size_t>(length), content_hash(text, kept)});
}

// What the hooks do.

/// Whether what was written there may hold a name that is to be noted.
template <typename Call>
bool may_print_names(const Call& call, int fd) {
  return __builtin_expect(has_drawn_names(), 0) && (fd == 1 || fd == 2) && options().pins() &&
         call.is_hooked();
}

template <typename Call, typename... More>
ssize_t write_data(const Call& call, int fd, const void* data, size_t size, More... more) {
  const device::Target to(fd);
  const ssize_t written = call.real(to.number(), data, size, more...);
  if (written <= 0)
    return written;
  if (may_print_names(call, fd))
    note_printed_text(fd, static_cast<const char*>(data), static_cast<size_t>(written));
  if (!wants_fingerprint(call))
    return written;
  const iovec part = {const_cast<void*>(data), static_cast<size_t>(written)};
  add_parts(call, name_of(fd), &part, written);
  return written;
}

template <typename Call, typename... More>
ssize_t write_parts(const Call& call, int fd, const iovec* parts, int count, More... more) {
  const device::Target to(fd);
  const ssize_t written = call.real(to.number(), parts, count, more...);
  if (wants_fingerprint(call))
    add_parts(call, name_of(fd), parts, written);
  return written;
}

template <typename Call>
size_t write_items(const Call& call, const void* data, size_t size, size_t count, FILE* file) {
  const size_t written = call.real(data, size, count, file);
  if (wants_fingerprint(call))
    add(call, name_of(file), data, static_cast<long>(written * size));
  return written;
}

template <typename Call, typename... File>
int write_text(const Call& call, const char* text, File... file) {
  const int result = call.real(text, file...);
  if (wants_fingerprint(call) && result >= 0)
    add(call, name_of(file...), text, static_cast<long>(text_length(text)));
  return result;
}

using PrintList = Call<int(FILE* file, const char* format, va_list arguments)>;
using PrintListChecked = Call<int(FILE* file, int flag, const char* format, va_list arguments)>;

/// `real(list)` prints. Those with arguments of their own go on to the function that takes a list
/// of them.
template <typename Call, typename Real>
int digest_formatted(const Call& call, const char* to, const char* format, va_list arguments,
                     Real real) {
  if (!wants_fingerprint(call))
    return real(arguments);
  va_list again;
  va_copy(again, arguments);
  const int length = real(arguments);
  add_formatted(call, to, format, again, length);
  va_end(again);
  return length;
}

template <typename Call>
int print_to_file(const Call& call, FILE* file, const char* format, va_list arguments) {
  const PrintList print(hooks::vfprintf, call.caller());
  return digest_formatted(call, name_of(file), format, arguments, [&](va_list list) {
    return print.real(file, format, list);
  });
}

template <typename Call>
int print(const Call& call, const char* format, va_list arguments) {
  return print_to_file(call, stdout, format, arguments);
}

template <typename Call>
int print_checked_to_file(const Call& call, FILE* file, int flag, const char* format,
                          va_list arguments) {
  const PrintListChecked print(hooks::__vfprintf_chk, call.caller());
  return digest_formatted(call, name_of(file), format, arguments, [&](va_list list) {
    return print.real(file, flag, format, list);
  });
}

template <typename Call>
int print_checked(const Call& call, int flag, const char* format, va_list arguments) {
  return print_checked_to_file(call, stdout, flag, format, arguments);
}

constexpr Description hashed = {
    .action = Action::observe,
    .summary = "Hashes what is written, if DETSHIM_FINGERPRINT asks for it.",
};
constexpr Description hashed_and_searched = {
    .action = Action::observe,
    .summary =
        "Notes a name that a Python package has made, if it is printed; hashes as pwrite does.",
};
constexpr Description formatted = {
    .action = Action::observe,
    .summary =
        "Hashes the first 1023 bytes of what is printed, if DETSHIM_FINGERPRINT asks for it.",
};

using WriteData = Call<ssize_t(int fd, const void* data, size_t size)>;
using WriteDataAt = Call<ssize_t(int fd, const void* data, size_t size, long offset)>;
using WriteParts = Call<ssize_t(int fd, const iovec* parts, int count)>;
using WritePartsAt = Call<ssize_t(int fd, const iovec* parts, int count, long offset)>;
using WritePartsWithFlags =
    Call<ssize_t(int fd, const iovec* parts, int count, long offset, int flags)>;
using WriteItems = Call<size_t(const void* data, size_t size, size_t count, FILE* file)>;
using WriteText = Call<int(const char* text, FILE* file)>;
using PutLine = Call<int(const char* text)>;
using PrintOut = Call<int(const char* format, ...)>;
using PrintToFile = Call<int(FILE* file, const char* format, ...)>;
using PrintChecked = Call<int(int flag, const char* format, ...)>;
using PrintCheckedToFile = Call<int(FILE* file, int flag, const char* format, ...)>;
using PrintOutList = Call<int(const char* format, va_list arguments)>;
using PrintCheckedList = Call<int(int flag, const char* format, va_list arguments)>;

} // namespace
} // namespace detshim

using namespace detshim;

// ------------------------------------------------------------------ descriptors

DETSHIM_TEMPLATE_HOOK(libc, WriteData, write, write_data, hashed_and_searched);
DETSHIM_TEMPLATE_HOOKS(libc, WriteDataAt, pwrite, pwrite64, write_data, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteParts, writev, write_parts, hashed);
DETSHIM_TEMPLATE_HOOKS(libc, WritePartsAt, pwritev, pwritev64, write_parts, hashed);
DETSHIM_TEMPLATE_HOOKS(libc, WritePartsWithFlags, pwritev2, pwritev64v2, write_parts, hashed);

// ------------------------------------------------------------------ stdio

DETSHIM_TEMPLATE_HOOKS(libc, WriteItems, fwrite, fwrite_unlocked, write_items, hashed);
DETSHIM_TEMPLATE_HOOKS(libc, WriteText, fputs, fputs_unlocked, write_text, hashed);

DETSHIM_TEMPLATE_HOOK(libc, PutLine, puts, write_text, hashed);
DETSHIM_TEMPLATE_HOOK(libc, PrintList, vfprintf, print_to_file, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintListChecked, __vfprintf_chk, print_checked_to_file, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintOutList, vprintf, print, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintCheckedList, __vprintf_chk, print_checked, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintOut, printf, print, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintToFile, fprintf, print_to_file, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintChecked, __printf_chk, print_checked, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintCheckedToFile, __fprintf_chk, print_checked_to_file, formatted);
