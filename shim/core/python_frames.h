// The Python line that led to a call, in a process that runs Python.
#pragma once

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

} // namespace detshim
