#include "hooks/libc/inherited_descriptors.h"

#include "common/text.h"
#include "core/identity/process.h"
#include "core/log/records.h"
#include "hooks/libc/device_stream.h"

namespace detshim {
namespace {

/// Calls visit(fd, key) for the streams of this process.
template <typename Visit>
void each_stream(Visit visit) {
  constexpr int numbers = 1024; // a usual limit of open files
  uint64_t key;
  for (int fd = 0; fd < numbers; ++fd)
    if (device::find(fd, key))
      visit(fd, key);
}

/// Puts the kernel's device in the place of a stream.
void give_kernels(int fd, Reason why) {
  const int flags = sys::fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK);
  const int kernels = sys::openat(AT_FDCWD, "/dev/urandom", flags | O_CLOEXEC);
  const bool done = kernels >= 0 && device::take_number(kernels, fd);
  if (kernels >= 0)
    sys::close(kernels);
  if (!done)
    return;
  static constexpr char fields[4][20] = {"path"};
  Text<48> shown;
  shown.add("descriptor ").add(static_cast<uint64_t>(fd));
  record({"libc", "open", fields}, Action::uncovered, nullptr, why, {shown.c_str()});
}

} // namespace

void give_kernels_for_good() {
  if (!device_was_replaced())
    return;
  each_stream([](int fd, uint64_t) {
    give_kernels(fd, Reason::device_given_back);
  });
}

void prepare_descriptors_for(bool is_reached) {
  if (is_reached || !device_was_replaced())
    return;
  // One that is closed may still be a copy's original, in what a spawned child does with its
  // descriptors.
  each_stream([&](int fd, uint64_t key) {
    if (!device::closes_on_exec(fd))
      give_kernels(fd, Reason::device_inherited);
    else
      device::lengthen(fd, key);
  });
}

} // namespace detshim
