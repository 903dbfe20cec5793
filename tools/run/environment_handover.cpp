#include "run/environment_handover.h"

#include "common/run_agreements.h"

#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace detshim {
namespace {

/// True for what an earlier `detshim run` has handed over, and no program has taken: its reader never began.
bool is_handed_over(int descriptor) {
  constexpr std::size_t length = sizeof environment_beginning - 1;
  char beginning[length];
  return ::fcntl(descriptor, F_GET_SEALS) == environment_seals &&
         ::pread(descriptor, beginning, length, 0) == static_cast<ssize_t>(length) &&
         std::string_view(beginning, length) == environment_beginning;
}

} // namespace

void hand_over_environment(const Environment& start) {
  if (is_handed_over(environment_descriptor))
    ::close(environment_descriptor); // of a run around this one, which it is not
  else if (::fcntl(environment_descriptor, F_GETFD) != -1)
    return; // somebody else has something there
  std::string text = environment_json(start);
  text = text.substr(text.find(environment_beginning)); // without the brace before it
  if (text.size() > static_cast<std::size_t>(largest_environment_handed_over)) return;
  const int file = ::memfd_create("detshim-environment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return;
  if (::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fcntl(file, F_ADD_SEALS, environment_seals) == 0)
    ::dup2(file, environment_descriptor);
  ::close(file);
}

} // namespace detshim
