#include "hooks/cuda/library.h"

namespace detshim {

thread_local constinit uint8_t cuda_depth = 0;

namespace {

constinit uint32_t runtime_recorded_in = 0;
constinit uint32_t driver_recorded_in = 0;

bool is_of_driver(const Hook& hook) { return same_text(hook.info().library, "cuda"); }

} // namespace

const Hook& driver_behind(const Hook& hook) {
  if (is_of_driver(hook)) return hook;
  Hook& driver = *find_hook("cuMemAlloc_v2");
  if (driver.state != Hook::State::hooked) find_real(driver);
  return driver;
}

void record_cuda_once(const Hook& hook) {
  const bool driver = is_of_driver(hook);
  record_library_once(hook, driver ? driver_recorded_in : runtime_recorded_in, [&](auto& text) {
    int version = 0;
    auto* get = find_beside<int(int*)>(hook, driver ? "cuDriverGetVersion" : "cudaRuntimeGetVersion");
    if (get != nullptr && get(&version) == 0) text.add(static_cast<uint64_t>(version));
  });
}

} // namespace detshim
