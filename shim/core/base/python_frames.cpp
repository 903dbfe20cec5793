// Calls the interpreter's stable interface (Python/C API Reference Manual, "Frame Objects", CPython 3.6 and
// later) through addresses found in the process: the library links to no Python.
#include "core/base/python_frames.h"

namespace detshim {
namespace {

using Object = void;
using ThreadState = void;

/// What is called of an interpreter.
struct Interpreter {
  int (*is_initialized)();
  int (*check)();
  ThreadState* (*of_this_thread)();
  ThreadState* (*current)();
  int (*ensure)();
  void (*release)(int);
  Object* (*current_frame)();                 // borrowed
  Object* (*attribute)(Object*, const char*); // new reference
  Object* (*item)(Object*, const char*);      // borrowed
  const char* (*utf8)(Object*);
  int (*frame_line)(Object*);
  void (*decrement)(Object*);
  void (*fetch_error)(Object**, Object**, Object**);
  void (*restore_error)(Object*, Object*, Object*);
  void (*clear_error)();

  /// True if this thread holds the lock. The interpreter's own check answers 1 before it is up, and always
  /// once it has had a second interpreter in the process.
  bool held() const {
    ThreadState* const mine = is_initialized() != 0 ? of_this_thread() : nullptr;
    return mine != nullptr && current() == mine;
  }
  /// True if this thread certainly does not hold it, is known to the interpreter, and so may take it.
  bool given_up() const {
    ThreadState* const mine = is_initialized() != 0 ? of_this_thread() : nullptr;
    return mine != nullptr && (current() == nullptr || (current() != mine && check() == 0));
  }
};

/// Finds the functions in the object that defines them; false if one is missing.
bool find_functions(const Module& module, Interpreter& python) {
  const struct {
    const char* name;
    void* to;
  } needs[] = {
      {"PyEval_GetFrame", &python.current_frame},
      {"Py_IsInitialized", &python.is_initialized},
      {"PyGILState_Check", &python.check},
      {"PyGILState_GetThisThreadState", &python.of_this_thread},
      {"PyGILState_Ensure", &python.ensure},
      {"PyGILState_Release", &python.release},
      {"PyObject_GetAttrString", &python.attribute},
      {"PyDict_GetItemString", &python.item},
      {"PyUnicode_AsUTF8", &python.utf8},
      {"PyFrame_GetLineNumber", &python.frame_line},
      {"Py_DecRef", &python.decrement},
      {"PyErr_Fetch", &python.fetch_error},
      {"PyErr_Restore", &python.restore_error},
      {"PyErr_Clear", &python.clear_error},
  };
  for (const auto& need : needs) {
    const void* address = module.symbol(need.name);
    if (address == nullptr) return false;
    __builtin_memcpy(need.to, &address, sizeof address);
  }
  const void* current = module.symbol("PyThreadState_GetUnchecked"); // from 3.13 on
  if (current == nullptr) current = module.symbol("_PyThreadState_UncheckedGet");
  __builtin_memcpy(&python.current, &current, sizeof current);
  return current != nullptr;
}

/// The process's interpreter: looked for at each draw, it would cost more than the draw.
constinit Interpreter known = {};
constinit uintptr_t known_at = 0; // its object's address; 1 while `known` is written

bool find_functions_once(const Module& module, Interpreter& python) {
  const uintptr_t at = __atomic_load_n(&known_at, __ATOMIC_ACQUIRE);
  if (at == module.base + 2) {
    python = known;
    return true;
  }
  if (!find_functions(module, python)) return false;
  uintptr_t none = 0;
  if (__atomic_compare_exchange_n(&known_at, &none, uintptr_t{1}, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED)) {
    known = python;
    __atomic_store_n(&known_at, module.base + 2, __ATOMIC_RELEASE);
  }
  return true;
}

/// An attribute of an object, given back at the end.
class Attribute {
public:
  Attribute(const Interpreter& python, Object* of, const char* name)
      : python_(python), object_(of != nullptr ? python.attribute(of, name) : nullptr) {}
  ~Attribute() {
    if (object_ != nullptr) python_.decrement(object_);
  }
  Attribute(const Attribute&) = delete;
  Attribute& operator=(const Attribute&) = delete;

  Object* get() const { return object_; }
  const char* text() const { return object_ != nullptr ? python_.utf8(object_) : nullptr; }

private:
  const Interpreter& python_;
  Object* object_;
};

/// Calls visit(python, frame) for frames of this thread, innermost first, until it returns false.
template <typename Visit>
void each_frame(int limit, Visit visit) {
  Interpreter python;
  Module of_known;
  const uintptr_t at = __atomic_load_n(&known_at, __ATOMIC_ACQUIRE);
  if (at > 1 && find_module(reinterpret_cast<const void*>(known.current_frame), of_known) &&
      of_known.base + 2 == at) // it was not unloaded since
    python = known;
  else if (!each_module([&](const Module& module) { return find_functions_once(module, python); }))
    return;
  if (!python.held()) return;
  Object* type = nullptr;
  Object* value = nullptr;
  Object* trace = nullptr;
  python.fetch_error(&type, &value, &trace);
  Object* frame = python.current_frame();
  bool owned = false;
  for (int i = 0; frame != nullptr && i < limit; ++i) {
    Object* const back = visit(python, frame) ? python.attribute(frame, "f_back") : nullptr;
    if (owned) python.decrement(frame);
    owned = true;
    frame = back;
  }
  if (owned && frame != nullptr) python.decrement(frame);
  python.clear_error();
  python.restore_error(type, value, trace);
}

/// The text lives as long as the frame's globals; nullptr where there is none, as for None, the frame behind
/// the outermost.
const char* module_of(const Interpreter& python, Object* frame) {
  const Attribute globals(python, frame, "f_globals");
  Object* const name = globals.get() != nullptr ? python.item(globals.get(), "__name__") : nullptr;
  return name != nullptr ? python.utf8(name) : nullptr;
}

} // namespace

bool is_python(const Module& module) { return module.symbol("PyEval_GetFrame") != nullptr; }

void each_python_frame(int limit, void (*visit)(const PythonFrame&, void*), void* data) {
  each_frame(limit, [&](const Interpreter& python, Object* frame) {
    const Attribute code(python, frame, "f_code");
    const Attribute file(python, code.get(), "co_filename");
    const Attribute function(python, code.get(), "co_name");
    if (file.text() == nullptr || function.text() == nullptr) return false;
    visit({file.text(), function.text(), python.frame_line(frame)}, data);
    return true;
  });
}

void each_python_module(int limit, bool (*visit)(const char* name, void*), void* data) {
  each_frame(limit, [&](const Interpreter& python, Object* frame) {
    const char* const name = module_of(python, frame);
    return name != nullptr && visit(name, data);
  });
}

PythonLock::PythonLock(const Module& interpreter) {
  Interpreter python;
  if (interpreter.dynamic == nullptr || !find_functions_once(interpreter, python) || !python.given_up())
    return;
  state_ = python.ensure();
  release_ = python.release;
}

PythonLock::~PythonLock() {
  if (release_ != nullptr) release_(state_);
}

} // namespace detshim
