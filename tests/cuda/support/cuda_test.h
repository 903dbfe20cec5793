// What the tests of the CUDA libraries share: a program of the test's folder, run with the library
// and without it.
//
// The programs are unmodified users of cuRAND, cuDNN, cuBLAS …, each linked to its library and each
// reaching it by dlopen and dlsym. Every expectation is compared with a run without the library, or
// shown to vanish when the hook is opted out of: one that holds anyway proves nothing.
#pragma once

#include "files.h"
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using Arguments = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// A run under the library, with its log.
struct Shimmed {
  Result result;
  Lines out;
  std::vector<nlohmann::json> records;
  std::vector<ProcessLog> processes; ///< the same records, with their counts

  /// Whether a call of `function` was recorded with this action.
  bool did(const std::string& action, const std::string& function) const;
  /// How often a call of `function` was recorded with this action.
  uint64_t count(const std::string& action, const std::string& function) const;
  bool recorded(const std::string& function) const;
  nlohmann::json start() const;
};

std::ostream& operator<<(std::ostream& stream, const Shimmed& run);

/// The values of a field in the records of a function.
std::set<std::string> values(const Shimmed& run, const std::string& function,
                             const std::string& field);

inline const Environment enforce{{"DETSHIM_SEED", "42"}};
inline const Environment strict{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}};
inline const Environment observe{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "observe"}};
inline const Environment record{{"DETSHIM_MODE", "record"}};

inline Environment operator+(Environment a, const Environment& b) {
  for (const auto& [name, value] : b)
    a[name] = value;
  return a;
}

inline Environment disabled(const std::string& what) {
  return enforce + Environment{{"DETSHIM_DISABLE", what}};
}

/// One way to a library; the parameter of every test here.
struct Way {
  const char* name;
  const char* suffix; ///< of the program
};

inline std::ostream& operator<<(std::ostream& stream, const Way& way) { return stream << way.name; }

/// The folder of this test's binary: its programs lie in it, and its doubles in the folders of it
/// that CMakeLists.txt names, `doubles` in general.
const std::string& test_folder();

/// How the doubles are told to misbehave.
inline Environment misbehaving(const std::string& how) { return {{"DOUBLE_MISBEHAVE", how}}; }

/// A program of the test's folder with the libraries that it finds.
class CudaTest : public testing::TestWithParam<Way> {
protected:
  /// The program, with the doubles in these folders of the test's.
  void use(const std::string& program, const std::vector<std::string>& folders = {"doubles"});

  /// The same program with the doubles in these folders.
  void set_doubles(const std::vector<std::string>& folders);

  /// The program, with the real library called so, which is in `folder`: skips the test if that is
  /// empty.
  void use_real(const std::string& program, const std::string& library, const std::string& folder);

  /// More libraries, which are found before the others.
  void add_libraries(const std::string& folder);

  Lines native(const Arguments& arguments, const Environment& environment = {}) const;

  Shimmed shimmed(const Arguments& arguments, const Environment& environment = enforce) const;

  /// A run that ends with `status`.
  Shimmed ended(const Arguments& arguments, const Environment& environment, int status) const;

  /// What the doubles recorded of the latest run.
  Lines calls() const;

  /// The program with its arguments, and the environment in which it finds its libraries.
  Arguments command(const Arguments& arguments) const;
  Environment paths() const;

private:
  std::filesystem::path double_log() const;

  TemporaryFolder scratch_;
  std::string program_, libraries_;
};

inline bool contains(const Lines& all, std::string_view part) {
  return std::ranges::any_of(all, [&](const std::string& line) {
    return line.find(part) != line.npos;
  });
}

inline std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }
inline const auto both_ways = testing::Values(Way{"Linked", ""}, Way{"Opened", "_dlopen"});
