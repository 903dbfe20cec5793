// Reads the log that a run left, strictly: a test wants to know of every line that is not as
// documented in docs/LOG_FORMAT.md.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

struct Count {
  uint64_t calls = 0;
  uint32_t action = 0;
  uint32_t is_final = 0;
};

/// What one process wrote.
struct ProcessLog {
  std::string name; ///< of its files, without the ending: 0-0-4711
  std::vector<nlohmann::json> records;
  std::vector<Count> counts; ///< empty if there is no counts file

  /// Records of type "call", of one function or of all.
  std::vector<nlohmann::json> calls(const std::string& function = {}) const;
  /// How often the call happened that `record` represents.
  uint64_t count(const nlohmann::json& record) const;
};

/// The logs of all processes, by name. Throws std::runtime_error at the first thing that is not as
/// it should be.
std::vector<ProcessLog> read_log(const std::filesystem::path& folder);
