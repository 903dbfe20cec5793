// Files of Python's by where they lie: a program's own, those of packages, of Python itself.
#pragma once

#include "log_reader/record.h"

#include <string>
#include <string_view>

namespace detshim {

/// The folder of the script that a process of Python's runs, or for `-c`, `-m` and a pipe its
/// working directory: what `sys.path` begins with. Empty if that is not known, and for other
/// programs.
std::string script_folder(const Start& start);

/// The path of a file, or a frame, below `site-packages` or `dist-packages`, or below Python's own
/// library; a view into it. Empty where it lies in neither: then it is the user's.
std::string_view below_packages(std::string_view path);

/// How a frame of Python's ("/venv/lib/python3.11/site-packages/a/b.py:7 f") is called wherever the
/// program and its packages lie: by its path below a folder of packages, of Python's own library or
/// `own`; else by its file's name alone. A view into `frame`.
std::string_view portable_frame(std::string_view frame, std::string_view own);

} // namespace detshim
