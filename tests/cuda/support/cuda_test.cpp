#include "cuda_test.h"

namespace {

bool is_call(const nlohmann::json& entry, const std::string& function) {
  return entry["t"] == "call" && entry["fn"] == function;
}

} // namespace

bool Shimmed::did(const std::string& action, const std::string& function) const {
  return std::ranges::any_of(records, [&](const nlohmann::json& entry) {
    return is_call(entry, function) && entry["do"] == action;
  });
}

uint64_t Shimmed::count(const std::string& action, const std::string& function) const {
  uint64_t sum = 0;
  for (const ProcessLog& process : processes)
    for (const nlohmann::json& entry : process.records)
      if (is_call(entry, function) && entry["do"] == action)
        sum += process.count(entry);
  return sum;
}

bool Shimmed::recorded(const std::string& function) const {
  return std::ranges::any_of(records, [&](const nlohmann::json& entry) {
    return is_call(entry, function);
  });
}

nlohmann::json Shimmed::start() const {
  const auto found = std::ranges::find_if(records, [](const auto& entry) {
    return entry["t"] == "start";
  });
  return found == records.end() ? nlohmann::json{} : *found;
}

std::ostream& operator<<(std::ostream& stream, const Shimmed& run) {
  stream << "exit status " << run.result.status << "\n" << run.result.out << run.result.err;
  for (const auto& entry : run.records)
    stream << entry << "\n";
  return stream;
}

std::set<std::string> values(const Shimmed& run, const std::string& function,
                             const std::string& field) {
  std::set<std::string> found;
  for (const auto& entry : run.records)
    if (is_call(entry, function) && entry.contains(field))
      found.insert(entry[field].get<std::string>());
  return found;
}

const std::string& test_folder() {
  static const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder;
}

Lines CudaTest::native(const Arguments& arguments, const Environment& environment) const {
  const Result result = run(command(arguments), environment + paths());
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  return lines(result.out);
}

Shimmed CudaTest::shimmed(const Arguments& arguments, const Environment& environment) const {
  return ended(arguments, environment, 0);
}

Shimmed CudaTest::ended(const Arguments& arguments, const Environment& environment,
                        int status) const {
  const TemporaryFolder scratch;
  Shimmed shimmed;
  shimmed.result = run(command(arguments), under_shim(scratch, environment + paths()));
  EXPECT_EQ(shimmed.result.status, status) << shimmed.result.out << shimmed.result.err;
  shimmed.out = lines(shimmed.result.out);
  if (!std::filesystem::exists(scratch.log()))
    return shimmed;
  shimmed.processes = read_log(scratch.log());
  for (const ProcessLog& process : shimmed.processes)
    shimmed.records.insert(shimmed.records.end(), process.records.begin(), process.records.end());
  return shimmed;
}

Lines CudaTest::calls() const { return lines(contents(double_log())); }

void CudaTest::use(const std::string& program, const std::vector<std::string>& folders) {
  unsetenv("CUBLAS_WORKSPACE_CONFIG"); // the tester's own value is not for the programs
  program_ = test_folder() + "/" + program + GetParam().suffix;
  set_doubles(folders);
}

void CudaTest::set_doubles(const std::vector<std::string>& folders) {
  libraries_.clear();
  for (const std::string& folder : folders)
    libraries_ += (libraries_.empty() ? "" : ":") + test_folder() + "/" + folder;
}

void CudaTest::use_real(const std::string& program, const std::string& library,
                        const std::string& folder) {
  if (folder.empty())
    GTEST_SKIP() << "the real " << library << " was not found when the build was configured";
  use(program, {});
  libraries_ = folder;
}

void CudaTest::add_libraries(const std::string& folder) { libraries_ = folder + ":" + libraries_; }

Arguments CudaTest::command(const Arguments& arguments) const {
  std::filesystem::remove(double_log());
  Arguments result{program_};
  result.insert(result.end(), arguments.begin(), arguments.end());
  return result;
}

Environment CudaTest::paths() const {
  return {{"LD_LIBRARY_PATH", libraries_}, {"DOUBLE_LOG", double_log().string()}};
}

std::filesystem::path CudaTest::double_log() const { return scratch_.path() / "calls"; }
