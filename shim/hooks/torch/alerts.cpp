// PyTorch's operators that have no deterministic implementation say so as they are called
// (at::Context::alertNotDeterministic), and PyTorch then raises or warns. Here that becomes a record for each
// operator and line; the program goes on. In mode strict PyTorch raises.
#include "common/text.h"
#include "core/base/python_frames.h"
#include "hooks/torch/framework.h"

namespace detshim {
namespace {

using namespace detshim::torch;

constexpr const char* why = "PyTorch has no deterministic implementation of it";
constexpr const char* why_asked = "the program asked PyTorch to raise here";

/// The interpreter, found once: to look for it at each alert would cost more than the operator.
struct Interpreter {
  const void* address;
  uint32_t epoch; // draw_epoch(): after dlclose it may be gone
};
constinit Interpreter interpreter = {nullptr, ~0U};

bool find_interpreter(Module& found) {
  const void* known = __atomic_load_n(&interpreter.address, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&interpreter.epoch, __ATOMIC_RELAXED) == draw_epoch())
    return known != nullptr && find_module(known, found);
  const bool is_there = each_module([&](const Module& module) {
    if (!is_python(module)) return false;
    found = module;
    return true;
  });
  __atomic_store_n(&interpreter.address, is_there ? static_cast<const void*>(found.dynamic) : nullptr,
                   __ATOMIC_RELEASE);
  __atomic_store_n(&interpreter.epoch, draw_epoch(), __ATOMIC_RELAXED);
  return is_there;
}

/// Code of packages and of Python itself, below which the user's own lies.
bool is_of_package(const char* file) {
  return *file == '<' || contains(file, "/site-packages/") || contains(file, "/dist-packages/") ||
         contains(file, "/lib/python3");
}

/// "train.py:12": the innermost line that is the user's, else the innermost; empty without Python.
class UsersLine {
public:
  UsersLine() {
    constexpr int limit = 64;
    each_python_frame(
        limit, [](const PythonFrame& frame, void* data) { static_cast<UsersLine*>(data)->look_at(frame); },
        this);
  }
  const char* text() const { return text_; }

private:
  void look_at(const PythonFrame& frame) {
    const bool is_users = !is_of_package(frame.file);
    if (is_found_ || (!is_users && text_[0] != 0)) return;
    is_found_ = is_users;
    TextWriter text(text_, sizeof text_);
    text.add(file_name(frame.file)).add(':').add(static_cast<uint64_t>(frame.line > 0 ? frame.line : 0));
    text_[text.length()] = 0;
  }

  char text_[200] = {};
  bool is_found_ = false;
};

/// `asked`: the program asked for errors itself.
template <typename Call>
void record_alert(const Call& call, const char* name, size_t length, bool asked) {
  Text<100> op;
  op.add(name, length);
  // PyTorch gave the interpreter's lock up before the operator, and takes it again as its own hooks and modes
  // run within one.
  Module python;
  const PythonLock lock(find_interpreter(python) ? python : Module{});
  const UsersLine line;
  const Action action = options().strict() ? Action::refuse : asked ? Action::observe : Action::unfixed;
  call.record(action, asked ? why_asked : why, {op.c_str(), line.text()});
}

/// The two ways that a string_view lies in memory.
struct OfC10 {
  const char* text;
  size_t length;
};
struct OfStd { // libstdc++'s
  size_t length;
  const char* text;
};

template <typename Call, typename View>
void alert(const Call& call, const View* name) {
  if (call.passes()) return call.real(name);
  const bool asked = request() == Request::errors;
  record_alert(call, name->text, name->length, asked);
  // It may leave by an exception, which goes through here.
  if (!options().forces() || options().strict() || asked) call.real(name);
}

constexpr Description is_recorded = {
    .action = Action::unfixed,
    .fields = {"operator", "from"},
    .summary =
        "Recorded: an operator of PyTorch's that has no deterministic implementation; it runs without a "
        "warning. Strict lets PyTorch raise.",
};

using AlertOfC10 = Call<void(const OfC10* name)>;
using AlertOfStd = Call<void(const OfStd* name)>;

} // namespace
} // namespace detshim

using namespace detshim;

// static void at::Context::alertNotDeterministic(c10::string_view const&), to 2.5
DETSHIM_TEMPLATE_HOOK(torch, AlertOfC10, _ZN2at7Context21alertNotDeterministicERKN3c1017basic_string_viewIcEE,
                      alert, is_recorded);
// static void at::Context::alertNotDeterministic(std::string_view const&), from 2.6 on
DETSHIM_TEMPLATE_HOOK(torch, AlertOfStd,
                      _ZN2at7Context21alertNotDeterministicERKSt17basic_string_viewIcSt11char_traitsIcEE,
                      alert, is_recorded);

// void at::Context::alertCuBLASConfigNotDeterministic() const, before cuBLAS's calls: raises where
// CUBLAS_WORKSPACE_CONFIG is another than detshim sets.
DETSHIM_HOOK(torch, void, _ZNK2at7Context33alertCuBLASConfigNotDeterministicEv, (const void* self),
             .action = Action::unfixed, .fields = {"operator", "from"},
             .summary =
                 "Recorded where CUBLAS_WORKSPACE_CONFIG is not a deterministic one. Strict lets PyTorch "
                 "raise.") {
  DETSHIM_ENTER(_ZNK2at7Context33alertCuBLASConfigNotDeterministicEv);
  const bool raises = options().strict() || request() == Request::errors;
  if (call.passes() || !options().forces() || raises) return call.real(self);
  auto* const is_good = call.beside<bool(const void*)>("_ZN2at7Context30checkCuBLASConfigDeterministicEv");
  if (is_good != nullptr && is_good(self)) return;
  record_alert(call, "cuBLAS", 6, false);
}
