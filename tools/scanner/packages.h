// Which files a package manager brought: Debian's lists of files, the RECORD of a Python wheel, and
// conda's lists.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace detshim {

/// Asks the lists of the machine that the log is read on, which is where the program ran. Keep one
/// for many files: it remembers what it read.
class Packages {
public:
  /// `dpkg_info`: the folder of dpkg's lists, another one in tests.
  explicit Packages(std::string dpkg_info = "/var/lib/dpkg/info")
      : dpkg_info_(std::move(dpkg_info)) {}

  /// True if a package brought `file`. A wheel that was installed from a folder, a repository or a
  /// file of the user's own (`pip install .`, which PEP 610 marks by direct_url.json) is the user's
  /// own code.
  bool brought(const std::string& file);

  /// The package of dpkg that brought it: "libc6:amd64"; empty if none did.
  std::string package_of(const std::string& file);

private:
  void read_dpkg_lists();
  bool is_of_a_wheel(const std::string& file);
  bool is_recorded(const std::string& file, const std::string& site_packages);
  bool is_of_conda(const std::string& file);
  const std::vector<std::string>& records_in(const std::string& folder);

  std::string dpkg_info_;
  std::map<std::string, bool> known_;
  std::deque<std::string> dpkg_lists_; ///< read when first needed
  std::unordered_map<std::string_view, std::string>
      dpkg_files_; ///< in all of the lists: by which package
  std::map<std::string, std::vector<std::string>> records_; ///< by folder: texts of RECORD
  /// By the folder of an environment of conda's: what its packages brought, by the paths in it.
  std::map<std::string, std::set<std::string>> conda_files_;
  const std::set<std::string>& conda_files_in(const std::string& prefix);
};

} // namespace detshim
