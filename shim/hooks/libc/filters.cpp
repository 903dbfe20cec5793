// prctl and seccomp where they put a filter on the process (core/base/filters.h). One under which
// the log cannot go on is recorded first, and the log is closed.
//
// Symbols: sys/prctl.h; libc has no function for seccomp(2).
#include "core/base/filters.h"

#include "common/sys.h"
#include "core/identity/process.h"
#include "core/log/closing.h"
#include "hooks/libc/inherited_descriptors.h"
#include "hooks/libc/process.h"
#include "hooks/libc/raw_calls.h"

#include <cstdarg>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

namespace detshim {

namespace {

/// What the log writes with, once it has begun.
bool lets_log_go_on(const Filter* filter) {
  constexpr long log = 48; // a descriptor of its
  return allows(filter, SYS_fstat, log) && allows(filter, SYS_write, log) &&
         allows(filter, SYS_pwrite64, log);
}

/// Around the call that puts a filter on, `make`, which gives 0 where the kernel took it. `program`
/// is nullptr for strict mode. A hook that passes keeps the filter too: the library still finds
/// functions.
template <typename Call, typename Make>
auto under_filter(const Call& call, const sock_fprog* program, Make make) {
  Filter* const filter = is_own_memory() ? copy_filter(program) : nullptr;
  if (filter == nullptr)
    return make();
  const Hook& hook = call.hook();
  const bool records = !call.passes();
  if (records && (!allows(filter, SYS_lseek) || !allows(filter, SYS_fstat)))
    give_kernels_for_good();
  if (records && !lets_log_go_on(filter)) {
    record({hook.info().library, hook.info().name, hook.info().fields}, Action::uncovered,
           call.caller(), Reason::filter_forbids_log, {});
    close_log_of_this_process();
  }
  put_on(filter);
  const auto result = make();
  if (result < 0)
    take_off(filter), go_on_with_log();
  return result;
}

const sock_fprog* program_at(unsigned long address) {
  return reinterpret_cast<const sock_fprog*>(address);
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, prctl, (int option, ...), .action = Action::observe,
             .summary =
                 "Of a seccomp filter: keeps the library's own system calls within it, and records "
                 "one under which the log cannot go on.") {
  DETSHIM_ENTER(prctl);
  va_list arguments;
  va_start(arguments, option);
  unsigned long a[4];
  for (unsigned long& argument : a)
    argument = va_arg(arguments, unsigned long);
  va_end(arguments);
  const auto make = [&] {
    return call.real(option, a[0], a[1], a[2], a[3]);
  };
  if (option != PR_SET_SECCOMP)
    return make();
  if (a[0] == SECCOMP_MODE_STRICT)
    return under_filter(call, nullptr, make);
  if (a[0] != SECCOMP_MODE_FILTER || a[1] == 0)
    return make();
  return under_filter(call, program_at(a[1]), make);
}

long detshim::filter_by_number(const RawCall& call, long number, unsigned long a, unsigned long b,
                               unsigned long c, unsigned long d, unsigned long e) {
  if (number == SYS_prctl) // as by its name, which decides what is to be done
    return detshim_prctl(static_cast<int>(a), b, c, d, e);
  const auto make = [&] {
    return call.real(number, a, b, c);
  };
  if (a == SECCOMP_SET_MODE_STRICT && b == 0 && c == 0)
    return under_filter(call, nullptr, make);
  if (a != SECCOMP_SET_MODE_FILTER || c == 0)
    return make();
  return under_filter(call, program_at(c), make);
}
