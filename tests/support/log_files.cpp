#include "log_files.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

[[noreturn]] void wrong(const std::filesystem::path& file, const std::string& what) {
  throw std::runtime_error(file.string() + ": " + what);
}

std::string content(const std::filesystem::path& file) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream) wrong(file, "cannot be read");
  return {std::istreambuf_iterator<char>{stream}, {}};
}

std::vector<nlohmann::json> read_records(const std::filesystem::path& file) {
  std::vector<nlohmann::json> records;
  const std::string text = content(file);
  if (!text.ends_with('\n')) wrong(file, "the last line has no newline");
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.size() >= 4096) wrong(file, "a line is too long: " + line);
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || !record.contains("t")) wrong(file, "not a record: " + line);
    records.push_back(record);
    at = end + 1;
  }
  return records;
}

template <typename Number>
Number number_at(const std::string& bytes, size_t offset) {
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

std::vector<Count> read_counts(const std::filesystem::path& file, const std::string& run) {
  const std::string bytes = content(file);
  if (bytes.size() < 64 || bytes.size() % 16 != 0) wrong(file, "no room for the header or for whole entries");
  if (bytes.substr(0, 8) != "DETSHIMC") wrong(file, "does not begin with DETSHIMC");
  if (number_at<uint32_t>(bytes, 8) != 1) wrong(file, "is not of version 1");
  if (number_at<uint32_t>(bytes, 12) != 16) wrong(file, "the size of an entry is not 16");
  if (bytes.substr(16, 48) != run + std::string(48 - run.size(), '\0'))
    wrong(file, "is not of the run " + run);
  std::vector<Count> counts;
  for (size_t at = 64; at < bytes.size(); at += 16) {
    counts.push_back({number_at<uint64_t>(bytes, at), number_at<uint32_t>(bytes, at + 8)});
    if (counts.back().action > 6) wrong(file, "there is no such action");
    if (number_at<uint32_t>(bytes, at + 12) > 1) wrong(file, "the end of an entry is neither 0 nor 1");
  }
  return counts;
}

} // namespace

std::vector<nlohmann::json> ProcessLog::calls(const std::string& function) const {
  std::vector<nlohmann::json> result;
  for (const nlohmann::json& record : records)
    if (record["t"] == "call" && (function.empty() || record["fn"] == function)) result.push_back(record);
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
    if (ending == ".counts" || ending == ".seed" || ending == ".readings" || ending.starts_with(".said-")) continue;
    if (file.extension() != ".jsonl") wrong(file, "is neither a record file nor a counts file");
    ProcessLog log{file.stem().string(), read_records(file), {}};
    std::filesystem::path counts = file;
    counts.replace_extension(".counts");
    if (std::filesystem::exists(counts)) log.counts = read_counts(counts, log.records.at(0).at("run"));
    logs.push_back(std::move(log));
  }
  std::ranges::sort(logs, {}, &ProcessLog::name);
  return logs;
}
