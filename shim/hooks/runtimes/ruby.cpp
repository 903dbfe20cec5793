// Ruby mixes the clock, the process's id and an address into the seeds of its generators. Random.urandom and
// SecureRandom draw from the kernel alone, which libc's hooks see.
#include "loader/hook.h"

namespace detshim {
namespace {

// Each unseeded generator is seeded with what Random.urandom gives, this process's and thread's own: the
// default one, that of a forked child, and those that the program makes.
constexpr const char* take_seeds = R"(
lambda do
  raise 'before Ruby 3.1 a forked child cannot be reached' if (RUBY_VERSION.split('.').map(&:to_i) <=> [3, 1]) < 0
  ::Random.singleton_class.prepend(Module.new do
    def new_seed
      ::Random.urandom(16).unpack('L4').each_with_index.sum { |word, i| word << 32 * i }
    end

    def srand(seed = ::Random.new_seed)
      super(seed)
    end
  end)
  ::Random.prepend(Module.new do
    def initialize(seed = ::Random.new_seed)
      super(seed)
    end
  end)
  again = Module.new do
    private def srand(seed = ::Random.new_seed)
      super(seed)
    end
  end
  ::Kernel.prepend(again)
  ::Kernel.singleton_class.prepend(Module.new do
    def srand(seed = ::Random.new_seed)
      super(seed)
    end
  end)
  ::Process.singleton_class.prepend(Module.new do
    def _fork
      super.tap { |child| ::Random.srand if child == 0 }
    end
  end)
  ::Random.srand
end.call
)";

} // namespace
} // namespace detshim

using namespace detshim;

// The program's script is read, and nothing of it has run.
DETSHIM_HOOK(libruby, int, ruby_run_node, (void* script), .action = Action::pin,
             .summary = "Has Ruby's unseeded generators seeded by Random.urandom alone, without the clock.") {
  DETSHIM_ENTER(ruby_run_node);
  if (call.passes() || !options().pins()) {
    if (!call.passes()) call.record(Action::unfixed, Reason::observed, {});
    return call.real(script);
  }
  auto* const evaluate = call.beside<uintptr_t(const char*, int*)>("rb_eval_string_protect");
  auto* const forget_error = call.beside<void(uintptr_t)>("rb_set_errinfo");
  int error = evaluate == nullptr || forget_error == nullptr;
  if (error == 0) {
    int none = 0;
    const uintptr_t nil = evaluate("nil", &none);
    evaluate(take_seeds, &error);
    if (error != 0) forget_error(nil);
  }
  call.record(error == 0 ? Action::pin : Action::unfixed,
              error == 0 ? Reason::seeded_by_runtime : Reason::seeded_by_runtime, {});
  return call.real(script);
}
