// Whose code made a call that a record has the call site of. Decided here, for the verdict, for
// what a comparison of logs suspects, and for the places that `run --freeze-from` freezes.
#pragma once

#include "log_reader/record.h"
#include "log_reader/source_lines.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

enum class CallOwner {
  user,        ///< a line of the user's own source
  text,        ///< Python text without a file: `python -c`, or what runs as Python starts (.pth)
  package,     ///< an installed package, and for no seed
  data_loader, ///< PyTorch's: it deals tasks, and takes their results, in a fixed order
  library,     ///< source of a library, and no line of the user's behind it
  unknown,     ///< machine code without debug information
};

struct OwnedCall {
  CallOwner owner = CallOwner::unknown;
  std::string line;  ///< "train.py:12", of `user` and `text`; else empty
  std::string place; ///< of machine code: where that line is, or the call itself
};

/// Of a call at `at` with `frames` behind it; of Python code where `python` has frames.
OwnedCall owner_of_call(const std::string& at, const std::vector<std::string>& frames,
                        const PythonFrames& python, SourceLines& lines);

enum class FileOwner {
  user,
  package, ///< of Python's
  library, ///< the system's, a toolkit's, Python's own; headers that are copied into projects
};

/// Of a source, by its path.
FileOwner owner_of_file(std::string_view path);

/// True for a frame of Python whose file was installed.
bool is_frame_of_package(const std::string& frame);

/// "/home/me/train.py:12 main".
struct FrameParts {
  std::string file;
  int line = 0;
  std::string function;
};

/// Nothing for a text that is no frame of Python's.
std::optional<FrameParts> parts_of_frame(const std::string& frame);

/// "train.py:12" of "/home/me/train.py:12 main".
std::string line_of_frame(const std::string& frame);

/// The line of a file that a frame of Python's names, as it stands now; empty where it cannot be
/// read.
std::string text_of_line(const std::string& frame);

} // namespace detshim
