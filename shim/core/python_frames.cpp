// Calls the interpreter's stable interface (Python/C API Reference Manual, "Frame Objects", CPython 3.9 and
// later) through addresses found in the process: the library links to no Python.
#include "core/python_frames.h"

#include "core/modules.h"

namespace detshim {
namespace {

using Object = void;

struct Interpreter {
  int (*is_initialized)();
  int (*holds_lock)();
  Object* (*current_frame)();     // borrowed
  Object* (*frame_back)(Object*); // new reference or null
  Object* (*frame_code)(Object*); // new reference
  int (*frame_line)(Object*);
  Object* (*attribute)(Object*, const char*); // new reference
  const char* (*utf8)(Object*);
  void (*decrement)(Object*);
  void (*fetch_error)(Object**, Object**, Object**);
  void (*restore_error)(Object*, Object*, Object*);
};

/// Finds the interpreter in the object that defines it; false if one function is missing.
bool find_interpreter(Interpreter& python) {
  struct Need {
    const char* name;
    void* to;
  } const needs[] = {
      {"Py_IsInitialized", &python.is_initialized},
      {"PyGILState_Check", &python.holds_lock},
      {"PyEval_GetFrame", &python.current_frame},
      {"PyFrame_GetBack", &python.frame_back},
      {"PyFrame_GetCode", &python.frame_code},
      {"PyFrame_GetLineNumber", &python.frame_line},
      {"PyObject_GetAttrString", &python.attribute},
      {"PyUnicode_AsUTF8", &python.utf8},
      {"Py_DecRef", &python.decrement},
      {"PyErr_Fetch", &python.fetch_error},
      {"PyErr_Restore", &python.restore_error},
  };
  return each_module([&](const Module& module) {
    for (const Need& need : needs) {
      const void* address = module.symbol(need.name);
      if (address == nullptr) return false;
      __builtin_memcpy(need.to, &address, sizeof address);
    }
    return true;
  });
}

} // namespace

void each_python_frame(int limit, void (*visit)(const PythonFrame&, void*), void* data) {
  Interpreter python;
  // The state check answers 1 before the interpreter is up, so that is asked first.
  if (!find_interpreter(python) || python.is_initialized() == 0 || python.holds_lock() == 0) return;
  Object* type = nullptr;
  Object* value = nullptr;
  Object* trace = nullptr;
  python.fetch_error(&type, &value, &trace);
  Object* frame = python.current_frame();
  bool owned = false;
  for (int i = 0; frame != nullptr && i < limit; ++i) {
    Object* code = python.frame_code(frame);
    Object* file = python.attribute(code, "co_filename");
    Object* function = python.attribute(code, "co_name");
    const char* file_text = file != nullptr ? python.utf8(file) : nullptr;
    const char* function_text = function != nullptr ? python.utf8(function) : nullptr;
    if (file_text != nullptr && function_text != nullptr)
      visit({file_text, function_text, python.frame_line(frame)}, data);
    if (function != nullptr) python.decrement(function);
    if (file != nullptr) python.decrement(file);
    python.decrement(code);
    Object* const back = python.frame_back(frame);
    if (owned) python.decrement(frame);
    frame = back;
    owned = true;
  }
  if (owned && frame != nullptr) python.decrement(frame);
  python.restore_error(type, value, trace);
}

} // namespace detshim
