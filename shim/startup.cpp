// What happens when the library is loaded and when the process ends. No hook needs it to have run: another
// library's constructor may draw before.
#include "core/base/generations.h"
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

/// The kernel's 16 bytes that some runtimes seed their hashes from. The stack's guard was taken from them
/// before.
void pin_auxiliary_bytes() {
  if (!options().pins() || makes_secrets()) return;
  auto* bytes = reinterpret_cast<char*>(getauxval(AT_RANDOM));
  if (bytes != nullptr) Stream(stream_key(this_thread(), Kind::auxv_random)).fill(bytes, 16);
}

__attribute__((constructor)) void begin() {
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
  if (options().pins()) set_python_hash_seed(process().seed);
  mark_rank();
  share_clock_samples_with_ranks();
  pin_auxiliary_bytes();
  look_at_inherited_input();
  record_replaced_settings();
  begin_file_uses();
  // Go's programs end by a system call of their own.
  if (process().root_pid == process().pid && is_run_listed() && is_of_go()) begin_log_without_end();
}

/// A call site that was named by mistake leaves its clock real. Where there were children, one of them may
/// have read there.
void name_unused_freezes() {
  if (options().off() || !is_whole_run()) return;
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
