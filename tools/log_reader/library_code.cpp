// Decides by the path of a file: folders of the system, of toolkits and of packages, the `lib` of
// an environment of Python's or conda's, and the folders of header libraries that are copied into
// projects. What lies in /usr/local/src and /usr/local/bin is the user's.
//
// It cannot know who wrote a file: a library that was built in a home folder is the user's own code
// here.
#include "log_reader/library_code.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <system_error>

namespace detshim {
namespace {

constexpr std::array library_folders = {
    "/usr/",        "/lib/",           "/lib64/",         "/opt/rocm",
    "/opt/nvidia/", "/opt/intel/",     "/opt/conda/lib/", "/opt/hpc_sdk",
    "/nix/store/",  "/usr/local/cuda", "/usr/local/lib/", "/gnu/store/",
};

constexpr std::array library_parts = {
    "/site-packages/",        "/dist-packages/",      "/include/c++/",
    "/targets/x86_64-linux/", "/targets/sbsa-linux/", "library/std/src/",
    "library/core/src/",      "library/alloc/src/", // Rust's, as it was built
};

/// Folders of headers that are copied into projects.
constexpr std::array wrappers = {
    "/cudnn_frontend", "/thrust/",   "/cub/",   "/cuda/std/",   "/cutlass/", "/cute/",
    "/libcudacxx/",    "/boost/",    "/Eigen/", "/ATen/",       "/c10/",     "/rmm/",
    "/raft/",          "/nlohmann/", "/fmt/",   "/abseil-cpp/",
};

constexpr std::array header_endings = {".h",   ".hh",  ".hpp", ".hxx", ".cuh", ".inl",
                                       ".inc", ".tcc", ".ipp", ".h++", ".impl"};

bool is_header(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.find('.') == std::string_view::npos || // <vector>
         std::ranges::any_of(header_endings, [&](const char* ending) {
           return name.ends_with(ending);
         });
}

/// True for the folder of an environment: it has conda's lists, or a folder of packages in its
/// `lib`.
bool is_environment(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder / "conda-meta", error))
    return true;
  for (std::filesystem::directory_iterator entry(folder / "lib", error), end;
       !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("python3") &&
        std::filesystem::is_directory(entry->path() / "site-packages"))
      return true;
  return false;
}

/// True for a library that a package laid beside Python's folder: lib/libmkl_core.so.2.
bool is_in_environment(std::string_view file) {
  static std::map<std::string, bool, std::less<>> known;
  const std::string plain = std::filesystem::path(file).lexically_normal();
  const std::size_t lib = plain.rfind("/lib/");
  if (lib == plain.npos || plain.find(".so", lib) == plain.npos)
    return false;
  const std::string folder = plain.substr(0, lib);
  const auto place = known.find(folder);
  return place != known.end() ? place->second
                              : known.emplace(folder, is_environment(folder)).first->second;
}

bool is_in_library_folder(std::string_view file) {
  // What somebody builds there is his own.
  if (file.starts_with("/usr/local/src/") || file.starts_with("/usr/local/bin/"))
    return false;
  return std::ranges::any_of(library_folders,
                             [&](const char* folder) {
                               return file.starts_with(folder);
                             }) ||
         std::ranges::any_of(library_parts,
                             [&](const char* part) {
                               return file.find(part) != file.npos;
                             }) ||
         is_in_environment(file);
}

} // namespace

bool is_library_source(std::string_view file) {
  return is_in_library_folder(file) ||
         (is_header(file) && std::ranges::any_of(wrappers, [&](const char* part) {
            return file.find(part) != file.npos;
          }));
}

bool is_library_file(std::string_view file) {
  return is_in_library_folder(file) ||
         file.substr(file.rfind('/') + 1).starts_with("libdetshim.so");
}

} // namespace detshim
