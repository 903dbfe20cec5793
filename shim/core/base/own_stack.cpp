#include "core/base/own_stack.h"

#include "common/valgrind.h"
#include "core/base/generations.h"
#include "core/base/mapped.h"
#include "core/base/placement.h"

#include <cstddef>
#include <cstdint>

namespace detshim {
namespace {

/// What is called on it takes up to 5 KiB: the lowest byte that was written in the runs of several
/// programs.
constexpr size_t stack_size = 16 * 1024;

struct alignas(16) Stack {
  char bytes[stack_size];

  bool holds(const void* place) const {
    return place >= static_cast<const void*>(bytes) &&
           place < static_cast<const void*>(bytes + stack_size);
  }
};

/// Threads that write at the same moment; a further one does on its own stack.
constexpr size_t further_stacks = 31;
struct FurtherStacks {
  Stack of[further_stacks];
};

DETSHIM_STARTUP_ROOM constinit Stack first = {};
constinit Mapped<FurtherStacks> further;

/// A bit for each that a thread is on.
uint32_t& taken() { return detail::generation_page.stacks; }

bool take(uint32_t bit) { return (__atomic_fetch_or(&taken(), bit, __ATOMIC_ACQUIRE) & bit) == 0; }

void give_back(uint32_t bit) { __atomic_and_fetch(&taken(), ~bit, __ATOMIC_RELEASE); }

bool is_on_own_stack() {
  const void* const here = __builtin_frame_address(0);
  if (first.holds(here))
    return true;
  const FurtherStacks* const others = further.peek();
  return others != nullptr && here >= static_cast<const void*>(others) &&
         here < static_cast<const void*>(others + 1);
}

/// One that nobody is on, and its bit; nullptr if all are in use.
Stack* take_stack(uint32_t& bit) {
  for (size_t i = 0; i <= further_stacks; ++i) {
    bit = uint32_t{1} << i;
    if (!take(bit))
      continue;
    if (i == 0)
      return &first;
    FurtherStacks* const others = further.get();
    if (others != nullptr)
      return &others->of[i - 1];
    give_back(bit);
    return nullptr;
  }
  return nullptr;
}

} // namespace

#if defined(DETSHIM_ONE_STACK)

void detail::call_on_own_stack(void (*function)(void*), void* argument) {
  const sys::SignalsBlocked no_signals;
  function(argument);
}

#else

// detshim_call_on_stack(argument, function, top): the frame pointer keeps the caller's stack, and
// unwinders find their way by it.
#if defined(__x86_64__)
__asm__(R"(
    .pushsection .text.detshim_call_on_stack, "ax", @progbits
    .type detshim_call_on_stack, @function
detshim_call_on_stack:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdx, %rsp
    call *%rsi
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size detshim_call_on_stack, . - detshim_call_on_stack
    .popsection
)");
#elif defined(__aarch64__)
__asm__(R"(
    .pushsection .text.detshim_call_on_stack, "ax", %progbits
    .type detshim_call_on_stack, %function
detshim_call_on_stack:
    .cfi_startproc
    hint #34
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    mov sp, x2
    blr x1
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size detshim_call_on_stack, . - detshim_call_on_stack
    .popsection
)");
#endif

extern "C" __attribute__((visibility("hidden"))) void
detshim_call_on_stack(void* argument, void (*function)(void*), void* top);

void detail::call_on_own_stack(void (*function)(void*), void* argument) {
  // valgrind takes a stack that lies near for a part of the program's, and forgets what lies
  // between.
  if (is_on_own_stack() || is_in_valgrind())
    return function(argument);
  const sys::SignalsBlocked no_signals;
  uint32_t bit = 0;
  Stack* const stack = take_stack(bit);
  if (stack == nullptr)
    return function(argument);
  detshim_call_on_stack(argument, function, stack + 1);
  give_back(bit);
}

#endif

} // namespace detshim
