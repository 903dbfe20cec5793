#include "hooks/libc/inherited_descriptors.h"

#include "common/text.h"
#include "core/identity/process.h"
#include "core/log/records.h"
#include "hooks/libc/device_stream.h"

namespace detshim {
namespace {

struct Inherited {
  int fd;
  uint64_t key;
};

/// The streams of this process, up to `most` of them; how many there are.
int find_streams(Inherited* streams, int most) {
  constexpr int numbers = 1024; // a usual limit of open files
  int count = 0;
  for (int fd = 0; fd < numbers && count < most; ++fd) {
    uint64_t key;
    if (device::find_anew(fd, key)) streams[count++] = {fd, key};
  }
  return count;
}

/// Puts the kernel's device in the place of a stream.
bool take_kernels(int fd) {
  const int flags = sys::fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK);
  const int kernels = sys::openat(AT_FDCWD, "/dev/urandom", flags | O_CLOEXEC);
  const bool done = kernels >= 0 && device::take_number(kernels, fd);
  if (kernels >= 0) sys::close(kernels);
  return done;
}

void record_given(int fd, Reason why) {
  static constexpr char fields[4][20] = {"path"};
  Text<48> shown;
  shown.add("descriptor ").add(static_cast<uint64_t>(fd));
  record({"libc", "open", fields}, Action::uncovered, nullptr, why, {shown.c_str()});
}

} // namespace

void InheritedDescriptors::give_kernels(int fd) {
  const int stream = sys::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (stream < 0) return;
  if (!take_kernels(fd)) {
    sys::close(stream);
    return;
  }
  given_[count_++] = {fd, stream};
  if (!device::closes_on_exec(fd)) record_given(fd, Reason::device_inherited);
}

void give_kernels_for_good() {
  if (!device_was_replaced()) return;
  Inherited streams[8];
  const int count = find_streams(streams, 8);
  for (int i = 0; i < count; ++i)
    if (take_kernels(streams[i].fd)) record_given(streams[i].fd, Reason::device_given_back);
}

InheritedDescriptors::InheritedDescriptors(Reach reach) {
  if (reach == Reach::covered || !device_was_replaced()) return;
  Inherited streams[most];
  const int count = find_streams(streams, most);
  for (int i = 0; i < count; ++i)
    if (reach == Reach::uncovered)
      give_kernels(streams[i].fd);
    else
      device::lengthen(streams[i].fd, streams[i].key);
}

InheritedDescriptors::~InheritedDescriptors() {
  while (count_ > 0) {
    const Given& effective = given_[--count_];
    device::take_number(effective.stream, effective.fd);
    sys::close(effective.stream);
  }
}

} // namespace detshim
