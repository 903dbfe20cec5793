#include "supervisor/listener.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

namespace detshim {
namespace {

// Linux 6.6: the one who waits and the one who answers take turns on one processor.
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
constexpr unsigned long wake_on_same_processor = 1; // SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP

std::size_t words(std::size_t bytes) { return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t); }

} // namespace

Listener::Listener(OwnedDescriptor descriptor) : descriptor_(std::move(descriptor)) {
  seccomp_notif_sizes sizes = {};
  ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes);
  request_.resize(words(std::max<std::size_t>(sizes.seccomp_notif, sizeof(seccomp_notif))));
  response_words_ = words(std::max<std::size_t>(sizes.seccomp_notif_resp, sizeof(seccomp_notif_resp)));
  ::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, wake_on_same_processor);
}

const seccomp_notif* Listener::receive() {
  std::ranges::fill(request_, 0); // the kernel insists
  const bool has_one = ::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_RECV, request_.data()) == 0;
  return has_one ? reinterpret_cast<const seccomp_notif*>(request_.data()) : nullptr;
}

bool Listener::is_abandoned() const {
  pollfd state = {descriptor_.number(), 0, 0};
  return ::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
}

bool Listener::still_waits(const seccomp_notif& call) const {
  return ::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0;
}

bool Listener::send(const seccomp_notif& call, std::int64_t result, std::uint32_t flags) const {
  std::array<std::uint64_t, 16> room = {};
  static_assert(sizeof(seccomp_notif_resp) <= sizeof room / 2);
  if (response_words_ > room.size()) return false; // a kernel of another age
  auto* response = reinterpret_cast<seccomp_notif_resp*>(room.data());
  response->id = call.id;
  response->val = result;
  response->flags = flags;
  return ::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_SEND, response) == 0;
}

bool Listener::answer(const seccomp_notif& call, std::int64_t result) const { return send(call, result, 0); }

bool Listener::let_go_on(const seccomp_notif& call) const {
  return send(call, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE);
}

bool Listener::answer_with_descriptor(const seccomp_notif& call, int fd, int number,
                                      bool close_on_exec) const {
  seccomp_notif_addfd request = {};
  request.id = call.id;
  request.srcfd = static_cast<std::uint32_t>(fd);
  request.flags = SECCOMP_ADDFD_FLAG_SEND | (number >= 0 ? SECCOMP_ADDFD_FLAG_SETFD : 0);
  request.newfd = number >= 0 ? static_cast<std::uint32_t>(number) : 0;
  request.newfd_flags = close_on_exec ? O_CLOEXEC : 0;
  if (::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_ADDFD, &request) >= 0) return true;
  if (errno != EINVAL) return false;
  request.flags &= ~static_cast<std::uint32_t>(SECCOMP_ADDFD_FLAG_SEND); // before Linux 5.14
  const int effective = ::ioctl(descriptor_.number(), SECCOMP_IOCTL_NOTIF_ADDFD, &request);
  return effective >= 0 && answer(call, effective);
}

} // namespace detshim
