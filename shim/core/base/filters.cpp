#include "core/base/filters.h"

#include "common/sys.h"
#include "core/base/user_memory.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

namespace detshim {

struct Filter {
  const Filter* before;
  uint32_t length;
  sock_filter code[];
};

namespace {

constinit const Filter* filters = nullptr; // that are on, the last one first

constexpr uint32_t kill = SECCOMP_RET_KILL_THREAD;

/// What the program says of a call: classic BPF, as far as what makes filters writes it
/// (libseccomp, the macros of linux/filter.h). One that has anything else forbids all. The jumps go
/// forward, so it ends.
uint32_t verdict(const Filter& filter, const seccomp_data& data) {
  uint32_t a = 0;
  for (uint32_t at = 0; at < filter.length; ++at) {
    const sock_filter& step = filter.code[at];
    bool holds = false;
    switch (step.code) {
    case BPF_LD | BPF_W | BPF_ABS:
      if (step.k > sizeof data - sizeof a)
        return kill;
      __builtin_memcpy(&a, reinterpret_cast<const char*>(&data) + step.k, sizeof a);
      continue;
    case BPF_ALU | BPF_AND | BPF_K:
      a &= step.k;
      continue;
    case BPF_RET | BPF_K:
      return step.k;
    case BPF_JMP | BPF_JA:
      if (step.k > filter.length)
        return kill; // and so never back
      at += step.k;
      continue;
    case BPF_JMP | BPF_JEQ | BPF_K:
      holds = a == step.k;
      break;
    case BPF_JMP | BPF_JGT | BPF_K:
      holds = a > step.k;
      break;
    case BPF_JMP | BPF_JGE | BPF_K:
      holds = a >= step.k;
      break;
    case BPF_JMP | BPF_JSET | BPF_K:
      holds = (a & step.k) != 0;
      break;
    default:
      return kill;
    }
    at += holds ? step.jt : step.jf;
  }
  return kill;
}

/// Whether the call is made under all of these filters; if it may be refused, whether it ends
/// nothing.
bool passes(const Filter* filter, const seccomp_data& data, bool may_be_refused) {
  for (; filter != nullptr; filter = filter->before)
    switch (verdict(*filter, data) & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_TRACE: // somebody else decides
    case SECCOMP_RET_USER_NOTIF:
      continue;
    case SECCOMP_RET_ERRNO:
      if (may_be_refused)
        continue;
      return false;
    default:
      return false;
    }
  return true;
}

seccomp_data call_data(long number, const uint64_t (&arguments)[6]) {
#if defined(__x86_64__)
  constexpr uint32_t processor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
  constexpr uint32_t processor = AUDIT_ARCH_AARCH64;
#endif
  seccomp_data data = {
      static_cast<int>(number), processor, reinterpret_cast<uintptr_t>(&sys::call), {}};
  __builtin_memcpy(data.args, arguments, sizeof data.args);
  return data;
}

long ask_and_call(long number, long a, long b, long c, long d, long e, long f) {
  const auto word = [](long argument) {
    return static_cast<uint64_t>(argument);
  };
  const seccomp_data data =
      call_data(number, {word(a), word(b), word(c), word(d), word(e), word(f)});
  if (!passes(__atomic_load_n(&filters, __ATOMIC_ACQUIRE), data, true))
    return -EPERM;
  return sys::enter(number, a, b, c, d, e, f);
}

/// SECCOMP_MODE_STRICT as a filter.
constexpr sock_filter strict[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
};

size_t size_of(uint32_t length) { return sizeof(Filter) + length * sizeof(sock_filter); }

} // namespace

Filter* copy_filter(const sock_fprog* program) {
  if (program != nullptr && !can_read(program, sizeof *program))
    return nullptr;
  const sock_filter* const code = program != nullptr ? program->filter : strict;
  const uint32_t length = program != nullptr ? program->len : sizeof strict / sizeof *strict;
  if (length == 0 || length > BPF_MAXINSNS || !can_read(code, length * sizeof *code))
    return nullptr;
  auto* const filter = static_cast<Filter*>(sys::map(size_of(length)));
  if (filter == nullptr)
    return nullptr;
  filter->before = filters;
  filter->length = length;
  __builtin_memcpy(filter->code, code, length * sizeof *code);
  return filter;
}

bool allows(const Filter* filter, long number, long first) {
  return passes(filter, call_data(number, {static_cast<uint64_t>(first)}), false);
}

void put_on(const Filter* filter) {
  __atomic_store_n(&filters, filter, __ATOMIC_RELEASE);
  __atomic_store_n(&sys::gate, &ask_and_call, __ATOMIC_RELEASE);
}

void take_off(Filter* filter) {
  __atomic_store_n(&filters, filter->before, __ATOMIC_RELEASE);
  if (filter->before == nullptr)
    __atomic_store_n(&sys::gate, nullptr, __ATOMIC_RELEASE);
  sys::unmap(filter, size_of(filter->length));
}

} // namespace detshim
