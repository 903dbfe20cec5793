// Octave mixes the clock and the process's id into the random numbers that it seeds its generators with.
#include "core/identity/thread.h"
#include "loader/hook.h"

using namespace detshim;

// octave::init_mersenne_twister(), which asks std::random_device too. Called for each kind of numbers
// (uniform, normal, …) where the program has set no state.
DETSHIM_HOOK(liboctave, void, _ZN6octave21init_mersenne_twisterEv, (), .action = Action::pin,
             .summary = "Seeds one of Octave's generators from this thread's stream, without the clock.") {
  DETSHIM_ENTER(_ZN6octave21init_mersenne_twisterEv);
  if (call.passes() || !options().pins()) {
    if (!call.passes()) call.record(Action::unfixed, Reason::observed, {});
    return call.real();
  }
  auto* const seed = call.beside<void(const uint32_t*, int)>("_ZN6octave21init_mersenne_twisterEPKji");
  if (seed == nullptr) {
    call.record(Action::unfixed, Reason::seeded_by_runtime, {});
    return call.real();
  }
  static thread_local constinit uint64_t seeded = 0;
  static thread_local constinit uint32_t seeded_in = 0;
  const Thread& thread = this_thread();
  if (seeded_in != thread.generation) seeded = 0, seeded_in = thread.generation;
  constexpr int count = 36; // as many as Octave itself gathers
  uint32_t words[count];
  Stream(stream_key(thread, Kind::octave_seed, seeded++)).fill(words, sizeof words);
  call.record(Action::pin, Reason::seeded_by_runtime, {});
  seed(words, count);
}
