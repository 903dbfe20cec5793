// What the tests of the CUDA libraries share: a program of this folder, run with the library and without it.
//
// The programs are unmodified users of cuRAND, cuDNN, cuBLAS …, each linked to its library and each reaching
// it by dlopen and dlsym. Every expectation is compared with a run without the library, or shown to vanish
// when the hook is opted out of: one that holds anyway proves nothing.
#pragma once

#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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
  bool did(const std::string& action, const std::string& function) const {
    return std::ranges::any_of(records, [&](const nlohmann::json& record) {
      return record["t"] == "call" && record["fn"] == function && record["do"] == action;
    });
  }
  /// How often a call of `function` was recorded with this action.
  uint64_t count(const std::string& action, const std::string& function) const {
    uint64_t sum = 0;
    for (const ProcessLog& process : processes)
      for (const nlohmann::json& record : process.records)
        if (record["t"] == "call" && record["fn"] == function && record["do"] == action)
          sum += process.count(record);
    return sum;
  }
  bool recorded(const std::string& function) const {
    return std::ranges::any_of(records, [&](const nlohmann::json& record) {
      return record["t"] == "call" && record["fn"] == function;
    });
  }
  nlohmann::json start() const {
    const auto found =
        std::ranges::find_if(records, [](const auto& record) { return record["t"] == "start"; });
    return found == records.end() ? nlohmann::json{} : *found;
  }
};

inline std::ostream& operator<<(std::ostream& stream, const Shimmed& run) {
  stream << "exit status " << run.result.status << "\n" << run.result.out << run.result.err;
  for (const auto& record : run.records) stream << record << "\n";
  return stream;
}

/// The values of a field in the records of a function.
inline std::set<std::string> values(const Shimmed& run, const std::string& function,
                                    const std::string& field) {
  std::set<std::string> found;
  for (const auto& entry : run.records)
    if (entry["t"] == "call" && entry["fn"] == function && entry.contains(field))
      found.insert(entry[field].get<std::string>());
  return found;
}

inline const Environment enforce{{"DETSHIM_SEED", "42"}};
inline const Environment strict{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "strict"}};
inline const Environment observe{{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "observe"}};
inline const Environment record{{"DETSHIM_MODE", "record"}};

inline Environment operator+(Environment a, const Environment& b) {
  for (const auto& [name, value] : b) a[name] = value;
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

/// A program of this folder with the libraries that it finds.
class CudaTest : public testing::TestWithParam<Way> {
protected:
  /// `folder` is where the libraries are; null skips the test for `reason`.
  void use(const std::string& program, const char* folder, const char* reason) {
    unsetenv("CUBLAS_WORKSPACE_CONFIG"); // the tester's own value is none of the programs' business
    if (!folder) GTEST_SKIP() << reason;
    program_ = std::string{DETSHIM_TEST_PROGRAMS "/"} + program + GetParam().suffix;
    libraries_ = folder;
  }

  Lines native(const Arguments& arguments, const Environment& environment = {}) const {
    const Result result = run(command(arguments), environment + paths());
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return lines(result.out);
  }

  Shimmed shimmed(const Arguments& arguments, const Environment& environment = enforce) const {
    return ended(arguments, environment, 0);
  }

  /// A run that ends with `status`.
  Shimmed ended(const Arguments& arguments, const Environment& environment, int status) const {
    const TemporaryFolder scratch;
    Shimmed shimmed;
    shimmed.result = run(command(arguments), under_shim(scratch, environment + paths()));
    EXPECT_EQ(shimmed.result.status, status) << shimmed.result.out << shimmed.result.err;
    shimmed.out = lines(shimmed.result.out);
    if (!std::filesystem::exists(scratch.log())) return shimmed;
    shimmed.processes = read_log(scratch.log());
    for (const ProcessLog& process : shimmed.processes)
      shimmed.records.insert(shimmed.records.end(), process.records.begin(), process.records.end());
    return shimmed;
  }

  /// What the doubles recorded of the latest run.
  Lines calls() const {
    std::ifstream file(double_log());
    return lines(std::string{std::istreambuf_iterator<char>{file}, {}});
  }

  void set_libraries(const std::string& folder) { libraries_ = folder; }

private:
  Arguments command(const Arguments& arguments) const {
    std::filesystem::remove(double_log());
    Arguments result{program_};
    result.insert(result.end(), arguments.begin(), arguments.end());
    return result;
  }
  Environment paths() const {
    return {{"LD_LIBRARY_PATH", libraries_}, {"DOUBLE_LOG", double_log().string()}};
  }
  std::filesystem::path double_log() const { return scratch_.path() / "calls"; }

  TemporaryFolder scratch_;
  std::string program_, libraries_;
};

inline bool contains(const Lines& all, std::string_view part) {
  return std::ranges::any_of(all, [&](const std::string& line) { return line.find(part) != line.npos; });
}

inline std::string name_of_way(const testing::TestParamInfo<Way>& info) { return info.param.name; }
inline const auto both_ways = testing::Values(Way{"Linked", ""}, Way{"Opened", "_dlopen"});

/// cuDNN's three convolutions.
inline const std::string passes[] = {"forward", "data", "filter"};

/// The configs of a list, without its first line.
inline Lines configs(const Lines& out) { return out.empty() ? Lines{} : Lines(out.begin() + 1, out.end()); }
