#include "supervisor/filter.h"

#include "common/run_agreements.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV // Linux 5.19
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace detshim {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t foreign_calls = 0x40000000; // x32's numbers begin there
#elif defined(__aarch64__)
constexpr std::uint32_t own_architecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t foreign_calls = 0x80000000;
#else
#error "detshim knows the system calls of x86-64 and aarch64"
#endif

using Code = std::vector<sock_filter>;

sock_filter statement(unsigned code, std::uint32_t k) { return {static_cast<std::uint16_t>(code), 0, 0, k}; }

sock_filter jump(unsigned how, std::uint32_t k, std::size_t if_true, std::size_t if_false) {
  return {static_cast<std::uint16_t>(BPF_JMP | how | BPF_K), static_cast<std::uint8_t>(if_true),
          static_cast<std::uint8_t>(if_false), k};
}

sock_filter load(std::size_t offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

/// The lower half of an argument: both architectures are little-endian.
sock_filter load_argument(std::size_t index) {
  return load(offsetof(seccomp_data, args) + index * sizeof(std::uint64_t));
}

const sock_filter ask = statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
const sock_filter allow = statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

/// An open asks if what it gives can be read from.
Code may_read(std::size_t flags_argument) {
  return {load_argument(flags_argument),
          jump(BPF_JSET, O_DIRECTORY | O_PATH, 3, 0),
          statement(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE),
          jump(BPF_JEQ, O_WRONLY, 1, 0),
          ask,
          allow};
}

/// An openat of the library's, which says that nobody needs to be asked.
Code is_unasked() {
  return {load(offsetof(seccomp_data, args) + sizeof(std::uint32_t)), jump(BPF_JEQ, unasked_open, 0, 1),
          allow};
}

/// A call on a descriptor asks if it has a number of ours.
Code is_device_number() {
  return {load_argument(0), jump(BPF_JGE, first_device_number, 0, 2), jump(BPF_JGE, device_numbers_end, 1, 0),
          ask, allow};
}

/// The library asks whether the filter is here.
Code is_question() {
  return {load_argument(1), jump(BPF_JEQ, static_cast<std::uint32_t>(filter_question), 0, 1),
          statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EALREADY)};
}

/// Memory of the kind that the vDSO's getrandom keeps its state in is refused, as by a kernel before 6.11:
/// what is drawn in the vDSO is no system call, so its users (glibc from 2.41, Go from 1.24) must do without.
Code refuses_droppable_memory() {
  constexpr std::uint32_t type_mask = 0x0F, droppable = 0x08; // MAP_TYPE, MAP_DROPPABLE
  return {load_argument(3), statement(BPF_ALU | BPF_AND | BPF_K, type_mask), jump(BPF_JEQ, droppable, 0, 1),
          statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL), allow};
}

Code both(Code first, const Code& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void on(Code& code, long number, const Code& then) {
  code.push_back(jump(BPF_JEQ, static_cast<std::uint32_t>(number), 0, then.size()));
  code.insert(code.end(), then.begin(), then.end());
}

Code filter() {
  Code code = {load(offsetof(seccomp_data, arch)), jump(BPF_JEQ, own_architecture, 1, 0), allow,
               load(offsetof(seccomp_data, nr)),   jump(BPF_JGE, foreign_calls, 0, 1),    allow};
  for (const long number : {SYS_read, SYS_readv, SYS_pread64, SYS_dup, SYS_dup3})
    on(code, number, is_device_number());
  on(code, SYS_fcntl, both(is_question(), is_device_number()));
  on(code, SYS_mmap, refuses_droppable_memory());
  on(code, SYS_openat, both(is_unasked(), may_read(2)));
#if defined(__x86_64__)
  on(code, SYS_dup2, is_device_number());
  on(code, SYS_open, may_read(1));
#endif
  on(code, SYS_openat2, {ask});
  on(code, SYS_getrandom, {ask});
  code.push_back(allow);
  return code;
}

} // namespace

int install_filter() {
  Code code = filter();
  const sock_fprog program = {static_cast<unsigned short>(code.size()), code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  // A call that waits for its answer is not given up for a signal: Go interrupts its threads all the time,
  // and a draw that is restarted would take other bytes.
  for (const unsigned long wait : {SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, 0UL}) {
    const long listener =
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | wait, &program);
    if (listener >= 0) return static_cast<int>(listener);
    if (errno != EINVAL) break;
  }
  return -errno;
}

} // namespace detshim
