#include "core/seeds/seed_order.h"

#include "core/identity/thread.h"

namespace detshim {

uint64_t instance_in_order(uint64_t value) {
  constexpr uint64_t label_of_values = 0x6F72646572;
  return derive(label_of_values, value);
}

bool is_order_fixed() { return this_thread().label == 0 && is_alone(); }

} // namespace detshim
