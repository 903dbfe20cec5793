// MindSpore's kernels for processors: into how many parts each is divided is chosen by time, and
// those that draw let their parts share a generator.
//
// ParallelLaunchAutoSearch (cpu_kernel.cc) divides the first calls of a kernel more and more
// finely, five calls each, and keeps what took least time by mindspore::GetTime(), which it gets
// from another library. It is told that each way is quicker than the one before: the finest is
// kept, whatever else the machine does.
//
// The parts of a kernel that draws (dropout_cpu_kernel.cc) take their numbers out of one engine of
// the kernel's without a lock, so that a mask is another one whenever two parts meet. They are run
// one after the other, as on a machine with one core. Parts come through a virtual function of the
// thread pool's, whose symbol fills the slots of its tables as the library is loaded; what kernel
// it is, the run-time type of the content says that it hands on.
#include "core/base/modules.h"
#include "loader/hook.h"

#include <typeinfo>

namespace detshim {
namespace {

constexpr const char* kernels_file = "libmindspore_ops_cpu";

/// In the names of the kernels that draw. Those that divide nothing are not slower for being here.
constexpr const char* drawing[] = {"Dropout",   "Random",  "Uniform", "StandardNormal", "Laplace",
                                   "Bernoulli", "Poisson", "Gamma",   "Multinomial"};

bool is_in_kernels(const void* address) {
  Module module;
  return find_module(address, module) && starts_with(file_name(module.path), kernels_file);
}

/// True if `content` is a kernel that draws.
bool draws(const void* content) {
  if (content == nullptr)
    return false;
  struct Known {
    const void* const* table;
    bool draws;
  };
  static thread_local constinit Known known = {};
  const void* const* table = nullptr;
  __builtin_memcpy(&table, content, sizeof table);
  if (table == nullptr || known.table == table)
    return table != nullptr && known.draws;
  known = {table, false};
  if (!is_in_kernels(table))
    return false; // it has no run-time type, or is no kernel
  // Before a class's functions lies its run-time type (Itanium C++ ABI, 2.5.2).
  const auto* const type = static_cast<const std::type_info*>(table[-1]);
  if (!is_in_kernels(type))
    return false;
  for (const char* part : drawing)
    known.draws |= contains(type->name(), part);
  return known.draws;
}

/// `task`: a std::function of the C++ library that MindSpore was built with, whose layout is not
/// known here. So MindSpore calls it: ThreadPool::SyncRunFunc() runs the parts from `first` to the
/// one before `end`, in the calling thread.
template <typename Call>
int launch_parts(const Call& call, void* pool, const void* task, void* content, int parts) {
  if (call.passes() || parts < 2 || !draws(content))
    return call.real(pool, task, content, parts);
  using RunParts = int(const void* pool, const void* task, void* content, int first, int end);
  auto* const run_parts = call.template sibling<RunParts>(
      "_ZNK9mindspore10ThreadPool11SyncRunFuncERKSt8functionIFiPviffEES2_ii");
  if (!options().forces() || run_parts == nullptr) {
    call.record(Action::nondeterministic, Reason::generator_shared, {});
    return call.real(pool, task, content, parts);
  }
  call.record(Action::replace, Reason::parts_in_order, {});
  return run_parts(pool, task, content, 0, parts);
}

/// What a kernel is told of the clock as it begins, and as it ends: it pairs the two in one thread.
double next_time() {
  static constinit uint64_t ends = 0; // of all threads, since a kernel's calls come from several
  static thread_local constinit bool is_end = false;
  is_end = !is_end;
  return is_end ? 0.0
                : 1.0 / static_cast<double>(1 + __atomic_add_fetch(&ends, 1, __ATOMIC_RELAXED));
}

using LaunchParts = Call<int(void*, const void*, void*, int)>;
constexpr Description runs_in_order = {
    .action = Action::replace,
    .summary = "A kernel whose parts share a generator (dropout) runs them one after the other."};

} // namespace
} // namespace detshim

using namespace detshim;

// double mindspore::GetTime()
DETSHIM_HOOK(
    mindspore, double, _ZN9mindspore7GetTimeEv, (), .action = Action::replace,
    .summary = "Kernels for processors are divided alike in each run, not as time decides.") {
  DETSHIM_ENTER(_ZN9mindspore7GetTimeEv);
  if (call.passes() || !is_in_kernels(call.caller()))
    return call.real();
  if (!options().forces()) {
    call.record(Action::nondeterministic, Reason::divided_by_time, {});
    return call.real();
  }
  call.record(Action::replace, Reason::finest_division, {});
  return next_time();
}

// int mindspore::ThreadPool::ParallelLaunch(const std::function<int(void*, int, float, float)>&,
// void*, int)
DETSHIM_TEMPLATE_HOOK(mindspore, LaunchParts,
                      _ZN9mindspore10ThreadPool14ParallelLaunchERKSt8functionIFiPviffEES2_i,
                      launch_parts, runs_in_order);
// The same of mindspore::ParallelThreadPool
DETSHIM_TEMPLATE_HOOK(mindspore, LaunchParts,
                      _ZN9mindspore18ParallelThreadPool14ParallelLaunchERKSt8functionIFiPviffEES2_i,
                      launch_parts, runs_in_order);
