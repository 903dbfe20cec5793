// What a program prints, writes and sends: hashed by the place that handed it out, if DETSHIM_FINGERPRINT
// asks for it (core/fingerprint/prints.h). Nothing is changed. Without that option each hook costs one load.
//
// Not seen: single characters (putc), wide ones, what libc writes out by itself (a FILE's buffer, which was
// seen as it was filled), files that are mapped, sendfile and its kin, and io_uring. What another buffer
// collects first (Python's, an ofstream's) counts where that is written out.
//
// Symbols: unistd.h, sys/uio.h, sys/socket.h, stdio.h.
#include "core/fingerprint/prints.h"

#include "common/sys.h"
#include "hooks/libc/device_stream.h"
#include "loader/hook.h"

#include <cerrno>
#include <cstdarg>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace detshim {
namespace {

const char* name_of(int fd) { return fd == 1 ? "stdout" : fd == 2 ? "stderr" : "file"; }

/// A file of stdio's may be none of the kernel's.
const char* name_of(FILE* file) {
  return file == nullptr ? "file" : file == stdout ? "stdout" : file == stderr ? "stderr" : "file";
}

constexpr const char* a_socket = "socket";

template <typename Call>
bool is_wanted(const Call& call) {
  return options().fingerprint && !call.passes();
}

template <typename Call>
void add(const Call& call, const char* to, const void* data, long size) {
  if (size <= 0 || data == nullptr) return;
  const auto length = static_cast<size_t>(size);
  add_print(prints_at(call.hook().info(), to, call.caller()), length, content_hash(data, length));
}

/// The first `size` bytes of those parts.
template <typename Call>
void add_parts(const Call& call, const char* to, const iovec* parts, long size) {
  if (size <= 0 || parts == nullptr) return;
  uint64_t hash = 0;
  auto left = static_cast<size_t>(size);
  for (; left > 0; ++parts) {
    const size_t here = parts->iov_len < left ? parts->iov_len : left;
    if (here > 0) hash = content_hash(parts->iov_base, here, hash);
    left -= here;
  }
  add_print(prints_at(call.hook().info(), to, call.caller()), static_cast<size_t>(size), hash);
}

/// What was formatted, formatted once more: the beginning of a long text.
template <typename Call>
[[gnu::noinline]] void add_formatted(const Call& call, const char* to, const char* format, va_list arguments,
                                     int length) {
  if (length <= 0) return;
  char text[1024]; // little: a thread's stack may be 16 KiB in all
  const int error = errno;
  const int size = vsnprintf(text, sizeof text, format, arguments);
  errno = error;
  if (size < 0) return;
  const size_t kept = static_cast<size_t>(size) < sizeof text ? static_cast<size_t>(size) : sizeof text - 1;
  add_print(prints_at(call.hook().info(), to, call.caller()), static_cast<size_t>(length),
            content_hash(text, kept));
}

// What the hooks do.

template <typename Call, typename... More>
ssize_t write_data(const Call& call, int fd, const void* data, size_t size, More... more) {
  const device::Target to(fd);
  const ssize_t written = call.real(to.number(), data, size, more...);
  if (is_wanted(call)) add(call, name_of(fd), data, written);
  return written;
}

template <typename Call, typename... More>
ssize_t write_parts(const Call& call, int fd, const iovec* parts, int count, More... more) {
  const device::Target to(fd);
  const ssize_t written = call.real(to.number(), parts, count, more...);
  if (is_wanted(call)) add_parts(call, name_of(fd), parts, written);
  return written;
}

template <typename Call, typename... More>
ssize_t send_data(const Call& call, int fd, const void* data, size_t size, int flags, More... more) {
  const ssize_t sent = call.real(fd, data, size, flags, more...);
  if (is_wanted(call)) add(call, a_socket, data, sent);
  return sent;
}

template <typename Call>
ssize_t send_parts(const Call& call, int fd, const msghdr* message, int flags) {
  const ssize_t sent = call.real(fd, message, flags);
  if (is_wanted(call) && message != nullptr) add_parts(call, a_socket, message->msg_iov, sent);
  return sent;
}

template <typename Call>
size_t write_items(const Call& call, const void* data, size_t size, size_t count, FILE* file) {
  const size_t written = call.real(data, size, count, file);
  if (is_wanted(call)) add(call, name_of(file), data, static_cast<long>(written * size));
  return written;
}

template <typename Call>
int write_text(const Call& call, const char* text, FILE* file) {
  const int result = call.real(text, file);
  if (is_wanted(call) && result >= 0) add(call, name_of(file), text, static_cast<long>(text_length(text)));
  return result;
}

/// Into a file of stdio's or a descriptor.
template <typename Call, typename To>
int print_formatted(const Call& call, To to, const char* format, va_list arguments) {
  if (!is_wanted(call)) return call.real(to, format, arguments);
  va_list again;
  va_copy(again, arguments);
  const int length = call.real(to, format, arguments);
  add_formatted(call, name_of(to), format, again, length);
  va_end(again);
  return length;
}

template <typename Call>
int print_formatted_checked(const Call& call, FILE* file, int flag, const char* format, va_list arguments) {
  if (!is_wanted(call)) return call.real(file, flag, format, arguments);
  va_list again;
  va_copy(again, arguments);
  const int length = call.real(file, flag, format, arguments);
  add_formatted(call, name_of(file), format, again, length);
  va_end(again);
  return length;
}

constexpr Description hashed = {
    .action = Action::observe,
    .summary = "Hashes what is written, if DETSHIM_FINGERPRINT asks for it.",
};
constexpr Description sent = {
    .action = Action::observe,
    .summary = "Hashes what is sent, if DETSHIM_FINGERPRINT asks for it.",
};
constexpr Description formatted = {
    .action = Action::observe,
    .summary = "Hashes the first 1023 bytes of what is printed, if DETSHIM_FINGERPRINT asks for it.",
};

using WriteData = Call<ssize_t(int fd, const void* data, size_t size)>;
using WriteDataAt = Call<ssize_t(int fd, const void* data, size_t size, long offset)>;
using WriteParts = Call<ssize_t(int fd, const iovec* parts, int count)>;
using WritePartsAt = Call<ssize_t(int fd, const iovec* parts, int count, long offset)>;
using WritePartsWithFlags = Call<ssize_t(int fd, const iovec* parts, int count, long offset, int flags)>;
using Send = Call<ssize_t(int fd, const void* data, size_t size, int flags)>;
using SendTo =
    Call<ssize_t(int fd, const void* data, size_t size, int flags, const sockaddr* to, socklen_t to_size)>;
using SendMessage = Call<ssize_t(int fd, const msghdr* message, int flags)>;
using WriteItems = Call<size_t(const void* data, size_t size, size_t count, FILE* file)>;
using WriteText = Call<int(const char* text, FILE* file)>;
using PrintList = Call<int(FILE* file, const char* format, va_list arguments)>;
using PrintListTo = Call<int(int fd, const char* format, va_list arguments)>;
using PrintListChecked = Call<int(FILE* file, int flag, const char* format, va_list arguments)>;

} // namespace
} // namespace detshim

using namespace detshim;

// ------------------------------------------------------------------ descriptors

DETSHIM_TEMPLATE_HOOK(libc, WriteData, write, write_data, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteDataAt, pwrite, write_data, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteDataAt, pwrite64, write_data, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteParts, writev, write_parts, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WritePartsAt, pwritev, write_parts, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WritePartsAt, pwritev64, write_parts, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WritePartsWithFlags, pwritev2, write_parts, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WritePartsWithFlags, pwritev64v2, write_parts, hashed);
DETSHIM_TEMPLATE_HOOK(libc, Send, send, send_data, sent);
DETSHIM_TEMPLATE_HOOK(libc, SendTo, sendto, send_data, sent);
DETSHIM_TEMPLATE_HOOK(libc, SendMessage, sendmsg, send_parts, sent);

// ------------------------------------------------------------------ stdio

DETSHIM_TEMPLATE_HOOK(libc, WriteItems, fwrite, write_items, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteItems, fwrite_unlocked, write_items, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteText, fputs, write_text, hashed);
DETSHIM_TEMPLATE_HOOK(libc, WriteText, fputs_unlocked, write_text, hashed);

DETSHIM_HOOK(libc, int, puts, (const char* text), hashed) {
  DETSHIM_ENTER(puts);
  const int result = call.real(text);
  if (is_wanted(call) && result >= 0) add(call, "stdout", text, static_cast<long>(text_length(text)));
  return result;
}

DETSHIM_TEMPLATE_HOOK(libc, PrintList, vfprintf, print_formatted, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintListTo, vdprintf, print_formatted, formatted);
DETSHIM_TEMPLATE_HOOK(libc, PrintListChecked, __vfprintf_chk, print_formatted_checked, formatted);

// Those with arguments of their own go on to the real function that takes a list of them.

namespace detshim {
namespace {

/// A call of one of these as one of the function with a list.
template <typename Signature>
struct ListCall {
  Hook& hook_;
  const void* caller_;
  Signature* real;
  bool is_other; ///< another library's function of that name, or switched off

  template <typename Call>
  ListCall(const Call& call, Hook& list)
      : hook_(call.hook()), caller_(call.caller()), is_other(call.passes()) {
    if (list.state == Hook::State::unknown || list.state == Hook::State::missing) find_real(list);
    real = list.real != nullptr ? reinterpret_cast<Signature*>(const_cast<void*>(list.real))
                                : &Absent<Signature>::call;
  }
  bool passes() const { return is_other; }
  Hook& hook() const { return hook_; }
  const void* caller() const { return caller_; }
};

} // namespace
} // namespace detshim

DETSHIM_HOOK(libc, int, printf, (const char* format, ...), formatted) {
  DETSHIM_ENTER(printf);
  const ListCall<hooks::vfprintf_signature> list(call, hooks::vfprintf);
  va_list arguments;
  va_start(arguments, format);
  const int length = print_formatted(list, stdout, format, arguments);
  va_end(arguments);
  return length;
}

DETSHIM_HOOK(libc, int, fprintf, (FILE * file, const char* format, ...), formatted) {
  DETSHIM_ENTER(fprintf);
  const ListCall<hooks::vfprintf_signature> list(call, hooks::vfprintf);
  va_list arguments;
  va_start(arguments, format);
  const int length = print_formatted(list, file, format, arguments);
  va_end(arguments);
  return length;
}

DETSHIM_HOOK(libc, int, __printf_chk, (int flag, const char* format, ...), formatted) {
  DETSHIM_ENTER(__printf_chk);
  const ListCall<hooks::__vfprintf_chk_signature> list(call, hooks::__vfprintf_chk);
  va_list arguments;
  va_start(arguments, format);
  const int length = print_formatted_checked(list, stdout, flag, format, arguments);
  va_end(arguments);
  return length;
}

DETSHIM_HOOK(libc, int, __fprintf_chk, (FILE * file, int flag, const char* format, ...), formatted) {
  DETSHIM_ENTER(__fprintf_chk);
  const ListCall<hooks::__vfprintf_chk_signature> list(call, hooks::__vfprintf_chk);
  va_list arguments;
  va_start(arguments, format);
  const int length = print_formatted_checked(list, file, flag, format, arguments);
  va_end(arguments);
  return length;
}

DETSHIM_HOOK(libc, int, vprintf, (const char* format, va_list arguments), formatted) {
  DETSHIM_ENTER(vprintf);
  return print_formatted(ListCall<hooks::vfprintf_signature>(call, hooks::vfprintf), stdout, format,
                         arguments);
}

DETSHIM_HOOK(libc, int, __vprintf_chk, (int flag, const char* format, va_list arguments), formatted) {
  DETSHIM_ENTER(__vprintf_chk);
  return print_formatted_checked(ListCall<hooks::__vfprintf_chk_signature>(call, hooks::__vfprintf_chk),
                                 stdout, flag, format, arguments);
}

DETSHIM_HOOK(libc, int, dprintf, (int fd, const char* format, ...), formatted) {
  DETSHIM_ENTER(dprintf);
  const ListCall<hooks::vdprintf_signature> list(call, hooks::vdprintf);
  va_list arguments;
  va_start(arguments, format);
  const int length = print_formatted(list, fd, format, arguments);
  va_end(arguments);
  return length;
}
