// Decides where a Python script lies, by the rules of Python's command line, and what a file is
// called in every installation, by the part of its path below a folder of packages, of Python's own
// library or of the script.
//
// It cannot know the folder of a script whose path is hidden as a secret, nor what a program adds
// to `sys.path` itself.
#include "log_reader/python_files.h"

#include "common/secrets.h"

#include <filesystem>

namespace detshim {
namespace {

/// How Python's command line (docs.python.org/3/using/cmdline.html) goes on after an option.
enum class After { option, value, program };

After after(std::string_view option) {
  if (option == "--check-hash-based-pycs")
    return After::value;
  if (option.starts_with("--"))
    return After::option;
  const std::size_t last =
      option.find_first_of("cmXW", 1); // what follows such a letter is its value
  if (last == option.npos)
    return After::option;
  if (option[last] == 'c' || option[last] == 'm')
    return After::program;
  return last + 1 == option.size() ? After::value : After::option;
}

/// What follows the last of `folder` in the path, empty if it is not there.
std::string_view below(std::string_view path, std::string_view folder) {
  const std::size_t at = path.rfind(folder);
  return at == path.npos ? std::string_view() : path.substr(at + folder.size());
}

} // namespace

std::string script_folder(const Start& start) {
  namespace fs = std::filesystem;
  if (!fs::path(start.program).filename().string().starts_with("python"))
    return {};
  const fs::path& here = start.working_directory;
  for (std::size_t i = 1; i < start.args.size(); ++i) {
    const std::string& argument = start.args[i];
    if (argument == "-")
      return here.string();
    if (!argument.starts_with("-")) {
      if (argument.find(hidden_argument) != std::string::npos)
        return {};
      const fs::path script = (here / argument).lexically_normal();
      return script.is_absolute() ? script.parent_path().string() : std::string();
    }
    const After next = after(argument);
    if (next == After::program)
      return here.string();
    if (next == After::value)
      ++i;
  }
  return here.string();
}

std::string_view below_packages(std::string_view path) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"})
    if (const std::string_view rest = below(path, folder); !rest.empty())
      return rest;
  for (const std::string_view folder : {"/lib/python3", "/lib64/python3"}) // and ".11/"
    if (const std::string_view rest = below(path, folder); rest.find('/') != rest.npos)
      return rest.substr(rest.find('/') + 1);
  return {};
}

std::string_view portable_frame(std::string_view frame, std::string_view own) {
  if (const std::string_view rest = below_packages(frame); !rest.empty())
    return rest;
  const std::string_view path = frame.substr(0, frame.rfind(' ')); // "train.py:12 main"
  const std::size_t inside = own.size() + (own.ends_with('/') ? 0 : 1);
  if (!own.empty() && path.starts_with(own) && path.size() > inside && path[inside - 1] == '/')
    return frame.substr(inside);
  return frame.substr(path.rfind('/') + 1);
}

} // namespace detshim
