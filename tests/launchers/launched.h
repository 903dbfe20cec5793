// What the tests of launchers have in common.
#pragma once

#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using Lines = std::vector<std::string>;

/// mpirun of Open MPI on this machine, as root too.
inline const std::string mpirun = "mpirun.openmpi --oversubscribe ";
inline const Environment mpi_as_root = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};

inline bool has_mpi() { return !find_program("mpirun.openmpi").empty(); }

/// The lines that begin so, in order.
inline Lines lines_of(const std::string& text, const std::string& start = "") {
  Lines all = lines(text);
  std::erase_if(all, [&](const std::string& line) {
    return !line.starts_with(start);
  });
  std::ranges::sort(all);
  return all;
}

/// What stands behind the last blank of each: what was drawn.
inline std::set<std::string> drawn(const Lines& lines) {
  std::set<std::string> values;
  for (const std::string& line : lines)
    values.insert(line.substr(line.rfind(' ') + 1));
  return values;
}

/// What `detshim log` says of the last run in the folder.
inline nlohmann::json document_of(const TemporaryFolder& scratch) {
  const Result log = run({DETSHIM_COMMAND, "log", "--json", "--all"}, {}, scratch.path());
  EXPECT_EQ(log.status, 0) << log.err;
  return nlohmann::json::parse(log.out, nullptr, false);
}

/// The launchers whose ranks the verdict misses, each with how many: "mpirun: 2 of 4".
inline Lines missing_ranks(const TemporaryFolder& scratch) {
  const nlohmann::json document = document_of(scratch);
  Lines found;
  for (const auto& job : document["jobs"])
    if (job["missing"] != 0)
      found.push_back(job["launcher"].get<std::string>() + ": " + job["missing"].dump() + " of " +
                      job["size"].dump());
  const auto reasons = std::ranges::count_if(document["reasons"], [](const auto& reason) {
    return reason["kind"] == "missing_ranks";
  });
  EXPECT_EQ(static_cast<std::size_t>(reasons), found.size())
      << document["reasons"] << document["jobs"];
  return found;
}

/// A script under `detshim run`, in a folder of its own.
inline Result under_run(const TemporaryFolder& scratch, const std::string& script,
                        const Environment& more = {}) {
  Environment environment = mpi_as_root;
  for (const auto& [name, value] : more)
    environment[name] = value;
  return run({DETSHIM_COMMAND, "run", "--seed", "42", "--library", DETSHIM_LIBRARY, "--", "sh",
              "-c", script},
             environment, scratch.path());
}
