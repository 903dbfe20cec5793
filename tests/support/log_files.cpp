#include "log_files.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace {

[[noreturn]] void wrong(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error(file.string() + ": " + what);
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream)
    wrong(file, "cannot be read");
  return {std::istreambuf_iterator<char>{stream}, {}};
}

std::vector<nlohmann::json> read_records(const std::filesystem::path& file) {
  std::vector<nlohmann::json> records;
  const std::string text = content(file);
  if (!text.ends_with('\n'))
    wrong(file, "the last line has no newline");
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty())
      continue;
    if (line.size() >= 4096)
      wrong(file, "a line is too long: " + line);
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("t"))
      wrong(file, "not a record: " + line);
    records.push_back(record);
  }
  return records;
}

uint32_t action_number(const std::string& name) {
  const std::vector<std::string> names = {"",       "observe",          "pin",      "replace",
                                          "refuse", "nondeterministic", "uncovered"};
  return static_cast<uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

template <typename Number>
Number number_at(const std::string& bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

std::vector<Count> read_counts(const std::filesystem::path& file, const std::string& run) {
  const std::string bytes = content(file);
  if (bytes.size() < 64 || bytes.size() % 16 != 0)
    wrong(file, "no room for the header or for whole entries");
  if (bytes.substr(0, 8) != "DETSHIMC")
    wrong(file, "does not begin with DETSHIMC");
  if (number_at<uint32_t>(bytes, 8) != 1)
    wrong(file, "is not of version 1");
  if (number_at<uint32_t>(bytes, 12) != 16)
    wrong(file, "the size of an entry is not 16");
  if (bytes.substr(16, 32) != run + std::string(32 - run.size(), '\0'))
    wrong(file, "is not of the run " + run);
  if (number_at<uint32_t>(bytes, 48) > 1 || bytes.substr(52, 12) != std::string(12, '\0'))
    wrong(file, "the end of the header is wrong");
  std::vector<Count> counts;
  for (size_t at = 64; at < bytes.size(); at += 16) {
    counts.push_back({number_at<uint64_t>(bytes, at), number_at<uint32_t>(bytes, at + 8),
                      number_at<uint32_t>(bytes, at + 12)});
    if (counts.back().action > 6 && counts.back().action != 255)
      wrong(file, "there is no such action");
    if (counts.back().is_final > 1)
      wrong(file, "an entry is neither final nor not");
  }
  return counts;
}

/// What is of a further process as if it had a file of its own: with all that its start and its end
/// do not repeat.
ProcessLog own_log(const std::filesystem::path& file, uint64_t number,
                   const std::vector<nlohmann::json>& records, const nlohmann::json& start,
                   const std::map<std::string, nlohmann::json>& modules) {
  ProcessLog log;
  if (records.front()["t"] != "start" || !records.front().contains("path"))
    wrong(file, "process " + std::to_string(number) + " begins without a start");
  for (nlohmann::json record : records) {
    record.erase("proc");
    if (record["t"] == "start") {
      nlohmann::json whole = start;
      whole.erase("env");
      whole.update(record);
      record = whole;
    } else if (record["t"] == "end" && record.contains("modules")) {
      if (!modules.contains(record["modules"]))
        wrong(file, "no such set of modules: " + record.dump());
      log.records.push_back(modules.at(record["modules"]));
      record.erase("modules");
    } else if (record["t"] == "modules") {
      record.erase("set");
    }
    log.records.push_back(record);
  }
  const nlohmann::json& own = log.records.front();
  log.name = std::to_string(own["rank"].get<int>()) + "-" + own["path"].get<std::string>() + "-" +
             std::to_string(own["pid"].get<int>());
  return log;
}

/// The processes that write in that file; the one that it is named after comes first.
std::vector<ProcessLog> read_file(const std::filesystem::path& file) {
  std::map<uint64_t, std::vector<nlohmann::json>> by_process;
  std::map<std::string, nlohmann::json> modules;
  nlohmann::json start;
  for (const nlohmann::json& record : read_records(file)) {
    const uint64_t number = record.value("proc", 0);
    if (number == 0 && record["t"] == "start")
      start = record;
    if (number != 0 && start.is_null())
      wrong(file, "a further process comes before the first start");
    by_process[number].push_back(record);
    if (record["t"] == "modules" && record.contains("set")) {
      modules[record["set"]] = record;
      modules[record["set"]].erase("set");
      modules[record["set"]].erase("proc");
    }
  }
  std::vector<ProcessLog> logs;
  for (const auto& [number, records] : by_process)
    logs.push_back(number == 0 ? ProcessLog{file.stem().string(), records, {}}
                               : own_log(file, number, records, start, modules));
  std::filesystem::path counts_file = file;
  counts_file.replace_extension(".counts");
  // Not there, or killed as it was made: each record has happened once.
  if (!std::filesystem::exists(counts_file) || std::filesystem::file_size(counts_file) == 0) {
    for (ProcessLog& log : logs)
      for (const nlohmann::json& record : log.records)
        if (record["t"] == "call" && record.contains("c")) {
          const size_t index = record["c"];
          log.counts.resize(std::max(log.counts.size(), index + 1));
          log.counts[index] = {1, action_number(record["do"])};
        }
    return logs;
  }
  const std::vector<Count> counts = read_counts(counts_file, logs.at(0).records.at(0).at("run"));
  for (ProcessLog& log : logs)
    log.counts = counts;
  return logs;
}

} // namespace

std::vector<nlohmann::json> ProcessLog::calls(const std::string& function) const {
  std::vector<nlohmann::json> result;
  for (const nlohmann::json& record : records)
    if (record["t"] == "call" && (function.empty() || record["fn"] == function))
      result.push_back(record);
  return result;
}

uint64_t ProcessLog::count(const nlohmann::json& record) const {
  return counts.at(record.at("c").get<size_t>()).calls;
}

std::vector<ProcessLog> read_log(const std::filesystem::path& folder) {
  std::vector<ProcessLog> logs;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    const std::filesystem::path& file = entry.path();
    const std::string ending = file.extension();
    if (ending == ".counts" || ending == ".seed" || ending == ".files" || ending == ".readings" ||
        ending.starts_with(".said-"))
      continue;
    if (ending == ".json" && file.filename().string().starts_with("environment."))
      continue;
    if (file.extension() != ".jsonl")
      wrong(file, "is neither a record file nor a counts file");
    for (ProcessLog& log : read_file(file))
      logs.push_back(std::move(log));
  }
  std::ranges::sort(logs, {}, &ProcessLog::name);
  return logs;
}
