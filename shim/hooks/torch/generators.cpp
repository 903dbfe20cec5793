// The seeds of PyTorch's generators.
//
// The default generators, and those that are seeded by torch.seed(), take what
// getNonDeterministicRandom gives. What the program itself passes to manual_seed arrives in a
// virtual function, whose slot the loader fills by name. A fixed number stays, as in every
// generator that Python programs seed; a clock's is replaced.
#include "core/base/thread_memory.h"
#include "core/seeds/python_readings.h"
#include "core/seeds/seeds.h"
#include "hooks/support/entropy_source.h"

namespace detshim {
namespace {

struct Seeds {
  EntropySource<Stream> unseeded;
  uint64_t effective;
};
DETSHIM_THREAD_MEMORY Seeds seeds_of_thread = {};

template <Kind kind, typename Call>
void seed_generator(const Call& call, void* self, uint64_t seed) {
  // Its own: the generator takes what getNonDeterministicRandom gave.
  if (call.passes() || (seed != 0 && seed == of_this_thread(seeds_of_thread).effective))
    return call.real(self, seed);
  if (!options().pins()) {
    call.record(Action::observe, Reason::left_alone, {seed, seed});
    return call.real(self, seed);
  }
  ChosenSeed chosen;
  if (!choose_python_seed(kind, {.whole = seed}, call.caller(), chosen))
    chosen = choose_clock_seed({kind, seed, 64, call.caller()});
  call.record(chosen.action, chosen.why, {seed, chosen.effective});
  call.real(self, chosen.effective);
}

using SetSeed = Call<void(void* self, uint64_t seed)>;
constexpr Description takes_clock = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces a seed that comes from a clock; a fixed one stays (torch.manual_seed).",
};

} // namespace
} // namespace detshim

using namespace detshim;

// uint64_t c10::detail::getNonDeterministicRandom(bool is_cuda)
DETSHIM_HOOK(
    torch, uint64_t, _ZN3c106detail25getNonDeterministicRandomEb, (bool is_cuda),
    .action = Action::pin,
    .summary = "Seeds PyTorch's default generators, and torch.seed(), from this thread's stream.") {
  Seeds& seeds = of_this_thread(seeds_of_thread);
  DETSHIM_DRAW(_ZN3c106detail25getNonDeterministicRandomEb, seeds.unseeded.call_sites);
  if (!draw.pinned)
    return draw.real()(is_cuda);
  uint64_t seed = 0;
  seeds.unseeded.ready(Kind::torch_unseeded, draw).fill(&seed, sizeof seed);
  if (is_cuda)
    seed &= 0x1FFFFFFFFFFFFF; // a whole number in a double, as PyTorch does it
  seeds.effective = seed;
  return seed;
}

// void at::CPUGeneratorImpl::set_current_seed(uint64_t)
DETSHIM_TEMPLATE_HOOK(torch, SetSeed, _ZN2at16CPUGeneratorImpl16set_current_seedEm,
                      seed_generator<Kind::torch_seed>, takes_clock);
// void at::CUDAGeneratorImpl::set_current_seed(uint64_t). One seed for all, as it is without the
// library.
DETSHIM_TEMPLATE_HOOK(torch, SetSeed, _ZN2at17CUDAGeneratorImpl16set_current_seedEm,
                      seed_generator<Kind::torch_seed>, takes_clock);
// void at::XPUGeneratorImpl::set_current_seed(uint64_t), of Intel's GPUs: aten/src/ATen/xpu
DETSHIM_TEMPLATE_HOOK(torch, SetSeed, _ZN2at16XPUGeneratorImpl16set_current_seedEm,
                      seed_generator<Kind::torch_seed>, takes_clock);
// void at_npu::NPUGeneratorImpl::set_current_seed(uint64_t), of Ascend's: torch_npu/csrc/aten
DETSHIM_TEMPLATE_HOOK(torch, SetSeed, _ZN6at_npu16NPUGeneratorImpl16set_current_seedEm,
                      seed_generator<Kind::torch_seed>, takes_clock);
