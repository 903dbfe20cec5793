// What happens when the library is loaded and when the process ends. No hook needs it to have run:
// another library's constructor may draw before.
#include "common/run_agreements.h"
#include "common/valgrind.h"
#include "core/base/environment.h"
#include "core/base/generations.h"
#include "core/base/own_stack.h"
#include "core/base/thread_memory.h"
#include "core/identity/children.h"
#include "core/identity/launchers.h"
#include "core/identity/thread.h"
#include "core/log/closing.h"
#include "core/log/environment_file.h"
#include "core/log/file_uses.h"
#include "core/log/log_file.h"
#include "core/log/rank_marks.h"
#include "core/log/setting_records.h"
#include "core/policy/options.h"
#include "core/policy/portable.h"
#include "core/policy/settings.h"
#include "core/seeds/rank_clock_samples.h"
#include "hooks/libc/device_stream.h"
#include "hooks/libc/process.h"
#include "hooks/libc/uncovered_execs.h"
#include "hooks/runtimes/openmp.h"
#include "hooks/runtimes/unseen_runtimes.h"
#include "hooks/support/frozen_clocks.h"

#include <sys/auxv.h>

// What the compiler's start files would define: libc tells by it whose fork handlers are whose.
extern "C" __attribute__((visibility("hidden"))) constinit void* const __dso_handle =
    const_cast<void**>(&__dso_handle);

namespace detshim {
namespace {

extern "C" void* __libc_stack_end; // the loader's: where the kernel put the number of arguments

#if defined(__x86_64__)

/// What compilers put between a frame's variables and its return address, and leave behind in dead
/// frames. Its place, and that its lowest byte is zero, are the ABI's of GCC and glibc.
uint64_t stack_guard() {
  uint64_t guard = 0;
  __asm__ volatile("movq %%fs:0x28, %0" : "=r"(guard));
  return guard;
}

/// Makes of it what libc would have made of `bytes`. Not where a frame is alive that will look for
/// the old one: of a library that was loaded late, say. `stack`: where the constructor was called.
void pin_stack_guard(const char* bytes, const void* stack) {
  if (is_in_valgrind())
    return; // which says of words that were never set that we read them
  const uint64_t before = stack_guard();
  const auto* const end = static_cast<const uint64_t*>(__libc_stack_end);
  for (const auto* at = static_cast<const uint64_t*>(stack); at < end; ++at)
    if (*at == before)
      return;
  uint64_t guard = 0;
  __builtin_memcpy(&guard, bytes, sizeof guard);
  guard &= ~uint64_t{0xFF};
  __asm__ volatile("movq %0, %%fs:0x28" : : "r"(guard));
}

#else

void pin_stack_guard(const char*, const void*) {} // in a page that cannot be written

#endif

/// The kernel's 16 bytes that some runtimes seed their hashes from, and the guard of frames, which
/// libc has taken from them before.
void pin_auxiliary_bytes(const void* stack) {
  if (!options().pins() || makes_secrets())
    return;
  auto* bytes = reinterpret_cast<char*>(getauxval(AT_RANDOM));
  if (bytes == nullptr)
    return;
  Stream(stream_key(this_thread(), Kind::auxv_random)).fill(bytes, 16);
  pin_stack_guard(bytes, stack);
}

/// What was set before the program was loaded (shim/fixed_layout.cpp) has been read by now, and is
/// set again below like the other settings, with their record.
void take_early_settings_back() {
  const char* const mark = environment_value(executed_again_name);
  if (mark == nullptr)
    return;
  const char sign[] = {has_set_dynamic, 0};
  if (contains(mark, sign))
    remove_from_environment(early_dynamic_name);
  remove_from_environment(executed_again_name);
}

void begin(const void* stack) {
  remove_room_from_environment();
  take_early_settings_back();
  if (options().off()) {
    drop_environment();
    return;
  }
  touch_generation();
  detail::call_at_thread_end = call_at_thread_end;
  log_file::remember_stderr();
  publish_identity();
  prepare_for_children();
  prepare_launcher();
  apply_portable_settings();
  apply_settings();
  fix_number_of_threads();
  if (options().pins())
    set_python_hash_seed(process().seed);
  keep_ends_of_environment();
  begin_file_uses(); // before a launcher's mark, which would begin the log without its list
  mark_rank();
  share_clock_samples_with_ranks();
  pin_auxiliary_bytes(stack);
  look_at_inherited_input();
  record_replaced_settings();
  // Go's programs end by a system call of their own.
  if (process().root_pid == process().pid && is_run_listed() && is_of_go())
    begin_log_without_end();
}

__attribute__((constructor)) void construct() {
  const void* const stack = __builtin_frame_address(0);
  on_own_stack([stack] {
    begin(stack);
  });
}

/// A call site that was named by mistake leaves its clock real. Where there were children, one of
/// them may have read there.
void name_unused_freezes() {
  if (options().off() || !is_whole_run())
    return;
  each_unused_freeze([](const char* name) {
    Text<400> text;
    text.add("detshim: DETSHIM_FREEZE: nothing read a clock or an id at ").add(name).add('\n');
    log_file::say(text);
  });
}

__attribute__((destructor)) void end() {
  name_unused_freezes();
  record_runtimes();
  close_log(record_at_end);
}

} // namespace
} // namespace detshim
