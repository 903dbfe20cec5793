// The Python line that led to a call, in a process that runs Python.
#pragma once

#include "core/base/modules.h"

#include <cstddef>

namespace detshim {

/// One line of Python code. The texts belong to the interpreter and hold while the visitor runs.
struct PythonFrame {
  const char* file;
  const char* function;
  int line;
};

/// Calls visit(frame) for at most `limit` frames of the calling thread, innermost first. Does nothing where
/// there is no Python, or this thread does not hold the interpreter's lock. Leaves a pending Python exception
/// as it was.
void each_python_frame(int limit, void (*visit)(const PythonFrame&, void*), void* data);

/// The same with the name of the module whose code the frame runs (`nacl.utils`, `__main__`), until
/// visit(name) returns false.
void each_python_module(int limit, bool (*visit)(const char* name, void*), void* data);

/// True if the module is a Python interpreter.
bool is_python(const Module& module);

/// Holds the interpreter's lock while it lives, so that frames can be looked at, where the interpreter itself
/// gave it up for a call of libc's (os.urandom does). Only for a call that came from the interpreter's own
/// code, which takes the lock next anyway, and before any lock of ours.
class PythonLock {
public:
  explicit PythonLock(const Module& interpreter);
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;

private:
  void (*release_)(int) = nullptr;
  int state_ = 0;
};

} // namespace detshim
