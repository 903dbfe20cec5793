// Decides whether an address is in a library of infrastructure. A thread remembers the answer for
// each caller.
#include "loader/infrastructure.h"

#include "loader/once_in_thread.h"

namespace detshim {

bool is_of_infrastructure(const void* caller) {
  Module module;
  return find_module(caller, module) && is_of_infrastructure(module);
}

bool InfrastructureCallers::look(const void* caller) {
  static constexpr char question = 0;
  const bool is_one = once_in_thread(&question, caller, [&] {
                        return is_of_infrastructure(caller);
                      }) != 0;
  has_some_ = has_some_ || is_one;
  return is_one;
}

} // namespace detshim
