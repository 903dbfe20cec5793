// The seeds of oneMKL's generators for SYCL queues: those of Intel's GPUs, and of processors by
// OpenCL. dpnp draws by them.
//
// A generator gets its seed as it is made: engine(queue, seed), or a list of seeds. A fixed one
// stays; a clock's is replaced. A queue is passed by its address, since it has a copy constructor,
// and a list as address and length (Itanium C++ ABI, 3.1.1; System V ABI, 3.2.3). What seeds itself
// from the device (`nondeterministic`) is recorded.
//
// Symbols: libmkl_sycl_rng.so.6 of onemkl-sycl-rng 2026.2. A compiler calls the first of a
// constructor's two symbols (C1) where it makes an object of that class.
#include "core/seeds/python_readings.h"
#include "core/seeds/seeds.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// What becomes of a seed; written down.
template <typename Seed, typename Call>
Seed chosen_seed(const Call& call, Seed seed) {
  if (!options().pins()) {
    call.record(Action::observe, Reason::left_alone, {uint64_t{seed}, uint64_t{seed}});
    return seed;
  }
  ChosenSeed chosen;
  if (!choose_python_seed(Kind::onemkl_seed, {.whole = seed}, call.caller(), chosen))
    chosen = choose_seed({Kind::onemkl_seed, seed, 8 * sizeof seed, call.caller()});
  call.record(chosen.action, chosen.why, {uint64_t{seed}, chosen.effective});
  return static_cast<Seed>(chosen.effective);
}

template <typename Seed, typename Call>
void make_engine(const Call& call, void* engine, const void* queue, Seed seed) {
  call.real(engine, queue, call.passes() ? seed : chosen_seed(call, seed));
}

template <typename Seed, typename Call>
void make_engine_of_list(const Call& call, void* engine, const void* queue, const Seed* seeds,
                         size_t count) {
  constexpr size_t most = 32; // a longer list stays, and is recorded
  if (call.passes() || seeds == nullptr || count == 0)
    return call.real(engine, queue, seeds, count);
  if (count > most) {
    call.record(Action::nondeterministic, Reason::too_many_entries, {uint64_t{seeds[0]}, ""});
    return call.real(engine, queue, seeds, count);
  }
  Seed effective[most];
  for (size_t i = 0; i < count; ++i)
    effective[i] = chosen_seed(call, seeds[i]);
  call.real(engine, queue, effective, count);
}

template <typename Seed>
using Make = Call<void(void* engine, const void* queue, Seed seed)>;
template <typename Seed>
using MakeOfList = Call<void(void* engine, const void* queue, const Seed* seeds, size_t count)>;
using Word = uint32_t;
using Long = uint64_t;

constexpr Description takes_clock = {
    .action = Action::pin,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces a seed that comes from a clock; a fixed one stays.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(onemkl, Make<Long>, _ZN6oneapi3mkl3rng13philox4x32x10C1EN4sycl3_V15queueEm,
                      make_engine<Long>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Long>, _ZN6oneapi3mkl3rng5mcg59C1EN4sycl3_V15queueEm,
                      make_engine<Long>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Long>, _ZN6oneapi3mkl3rng4ars5C1EN4sycl3_V15queueEm,
                      make_engine<Long>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng7mt19937C1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng9sfmt19937C1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng6mt2203C1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng7mcg31m1C1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng8mrg32k3aC1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng4r250C1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, Make<Word>, _ZN6oneapi3mkl3rng13wichmann_hillC1EN4sycl3_V15queueEj,
                      make_engine<Word>, takes_clock);

DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Long>,
                      _ZN6oneapi3mkl3rng13philox4x32x10C1EN4sycl3_V15queueESt16initializer_listImE,
                      make_engine_of_list<Long>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Long>,
                      _ZN6oneapi3mkl3rng4ars5C1EN4sycl3_V15queueESt16initializer_listImE,
                      make_engine_of_list<Long>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Word>,
                      _ZN6oneapi3mkl3rng7mt19937C1EN4sycl3_V15queueESt16initializer_listIjE,
                      make_engine_of_list<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Word>,
                      _ZN6oneapi3mkl3rng9sfmt19937C1EN4sycl3_V15queueESt16initializer_listIjE,
                      make_engine_of_list<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Word>,
                      _ZN6oneapi3mkl3rng6mt2203C1EN4sycl3_V15queueESt16initializer_listIjE,
                      make_engine_of_list<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Word>,
                      _ZN6oneapi3mkl3rng8mrg32k3aC1EN4sycl3_V15queueESt16initializer_listIjE,
                      make_engine_of_list<Word>, takes_clock);
DETSHIM_TEMPLATE_HOOK(onemkl, MakeOfList<Word>,
                      _ZN6oneapi3mkl3rng13wichmann_hillC1EN4sycl3_V15queueESt16initializer_listIjE,
                      make_engine_of_list<Word>, takes_clock);

// oneapi::mkl::rng::nondeterministic::nondeterministic(sycl::queue)
DETSHIM_HOOK(
    onemkl, void, _ZN6oneapi3mkl3rng16nondeterministicC1EN4sycl3_V15queueE,
    (void* engine, const void* queue), .action = Action::nondeterministic,
    .summary = "Recorded: draws by instructions of the processor, which nothing can pin.") {
  DETSHIM_ENTER(_ZN6oneapi3mkl3rng16nondeterministicC1EN4sycl3_V15queueE);
  if (!call.passes())
    call.record(Action::nondeterministic, Reason::nondeterministic, {});
  call.real(engine, queue);
}
