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

uint32_t computed(int operation, uint32_t a, uint32_t b) {
  return operation == BPF_ADD   ? a + b
         : operation == BPF_SUB ? a - b
         : operation == BPF_MUL ? a * b
         : operation == BPF_DIV ? a / b
         : operation == BPF_AND ? a & b
         : operation == BPF_OR  ? a | b
         : operation == BPF_XOR ? a ^ b
         : operation == BPF_LSH ? a << (b & 31)
         : operation == BPF_RSH ? a >> (b & 31)
                                : 0 - a; // BPF_NEG
}

bool holds(int comparison, uint32_t a, uint32_t b) {
  return comparison == BPF_JEQ   ? a == b
         : comparison == BPF_JGT ? a > b
         : comparison == BPF_JGE ? a >= b
                                 : (a & b) != 0;
}

/// What the program says of a call: classic BPF, as far as the kernel takes it for this purpose
/// (linux/kernel/seccomp.c, seccomp_check_filter). The jumps go forward, so it ends.
uint32_t verdict(const Filter& filter, const seccomp_data& data) {
  uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = {};
  for (uint32_t at = 0; at < filter.length; ++at) {
    const sock_filter& step = filter.code[at];
    const uint32_t other = BPF_SRC(step.code) == BPF_X ? x : step.k;
    switch (BPF_CLASS(step.code)) {
    case BPF_LD:
    case BPF_LDX: {
      uint32_t& to = BPF_CLASS(step.code) == BPF_LD ? a : x;
      const int from = BPF_MODE(step.code);
      if (from == BPF_ABS && step.k <= sizeof data - sizeof a)
        __builtin_memcpy(&to, reinterpret_cast<const char*>(&data) + step.k, sizeof a);
      else if (from == BPF_MEM && step.k < BPF_MEMWORDS)
        to = memory[step.k];
      else if (from == BPF_IMM || from == BPF_LEN)
        to = from == BPF_IMM ? step.k : sizeof data;
      else
        return kill;
      break;
    }
    case BPF_ST:
    case BPF_STX:
      if (step.k >= BPF_MEMWORDS) return kill;
      memory[step.k] = BPF_CLASS(step.code) == BPF_ST ? a : x;
      break;
    case BPF_ALU:
      if (BPF_OP(step.code) == BPF_DIV && other == 0) return kill;
      a = computed(BPF_OP(step.code), a, other);
      break;
    case BPF_JMP:
      if (BPF_OP(step.code) == BPF_JA) {
        if (step.k > filter.length) return kill; // and so never back
        at += step.k;
      } else {
        at += holds(BPF_OP(step.code), a, other) ? step.jt : step.jf;
      }
      break;
    case BPF_RET:
      return BPF_RVAL(step.code) == BPF_A ? a : step.k;
    default: // BPF_MISC
      (BPF_MISCOP(step.code) == BPF_TAX ? x : a) = BPF_MISCOP(step.code) == BPF_TAX ? a : x;
    }
  }
  return kill;
}

/// Whether the call is made under all of these filters; if it may be refused, whether it ends nothing.
bool passes(const Filter* filter, const seccomp_data& data, bool may_be_refused) {
  for (; filter != nullptr; filter = filter->before)
    switch (verdict(*filter, data) & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_TRACE: // somebody else decides
    case SECCOMP_RET_USER_NOTIF:
      continue;
    case SECCOMP_RET_ERRNO:
      if (may_be_refused) continue;
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
  seccomp_data data = {static_cast<int>(number), processor, reinterpret_cast<uintptr_t>(&sys::call), {}};
  __builtin_memcpy(data.args, arguments, sizeof data.args);
  return data;
}

long ask_and_call(long number, long a, long b, long c, long d, long e, long f) {
  const auto word = [](long argument) { return static_cast<uint64_t>(argument); };
  const seccomp_data data = call_data(number, {word(a), word(b), word(c), word(d), word(e), word(f)});
  if (!passes(__atomic_load_n(&filters, __ATOMIC_ACQUIRE), data, true)) return -EPERM;
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
  if (program != nullptr && !can_read(program, sizeof *program)) return nullptr;
  const sock_filter* const code = program != nullptr ? program->filter : strict;
  const uint32_t length = program != nullptr ? program->len : sizeof strict / sizeof *strict;
  if (length == 0 || length > BPF_MAXINSNS || !can_read(code, length * sizeof *code)) return nullptr;
  auto* const filter = static_cast<Filter*>(sys::map(size_of(length)));
  if (filter == nullptr) return nullptr;
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
  if (filter->before == nullptr) __atomic_store_n(&sys::gate, nullptr, __ATOMIC_RELEASE);
  sys::unmap(filter, size_of(filter->length));
}

} // namespace detshim
