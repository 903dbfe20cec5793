// The Python line that led to a call, in a process that runs Python.
#pragma once

#include "core/base/modules.h"

#include <cstddef>

namespace detshim {

/// One line of Python code. The texts belong to the interpreter and hold until the frame is left.
struct PythonFrame {
  const char* file = nullptr;
  const char* function = nullptr;
  int line = 0;
};

/// Where the calling thread is in Python code: of its frames those that say most, innermost first. They are
/// the innermost one, the one that the user's code called, the user's, and a few behind it; the machinery of
/// imports is left out.
struct PythonPlace {
  static constexpr int limit = 6;
  PythonFrame frames[limit];
  int count = 0;
  int user = -1; ///< the index of the innermost frame outside of Python's own library and installed packages

  /// Tells places apart by the user's line, without one by the innermost; 0 without frames.
  uint64_t key() const;
};

/// Finds it, whether or not this thread holds the interpreter's lock. Where the interpreter's version is not
/// known, only if it does. No frames where there is no Python. `looks_for_python`: whether to look for an
/// interpreter if none was found before, which takes as long as there are loaded objects.
void find_python_place(PythonPlace& place, bool looks_for_python);

/// Calls visit(name) for at most `limit` frames of the calling thread, innermost first, with the name of the
/// module whose code the frame runs (`nacl.utils`, `__main__`), until visit(name) returns false. Does nothing
/// where there is no Python, or this thread does not hold the interpreter's lock. Leaves a pending Python
/// exception as it was.
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
