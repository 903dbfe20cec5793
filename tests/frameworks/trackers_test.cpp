// Tools that keep track of runs, three times under one seed in one folder: they name what they
// make, and no run may meet the names of the one before; what is drawn beside them is the same each
// time.
#include "files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace {

struct Tracker {
  const char* script; ///< prints a line "drawn: ..."; its argument is the number of the run
  const char* module;
  std::size_t longest_folder = 1000; ///< of temporary files: sockets have 107 characters
};

std::ostream& operator<<(std::ostream& out, const Tracker& tracker) {
  return out << tracker.script;
}

class Trackers : public testing::TestWithParam<Tracker> {};

/// What it drew in a run of that number, without a seed natively; empty where it failed.
std::string drawn(const TemporaryFolder& folder, int number, const std::string& seed) {
  const TemporaryFolder scratch;
  const std::string script = std::string{TRACKERS_FOLDER "/"} + Trackers::GetParam().script + ".py";
  Environment environment{{"HOME", folder.path()}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  if (!seed.empty()) {
    environment["DETSHIM_SEED"] = seed;
    environment = under_shim(scratch, environment);
  }
  const Result result =
      run({TRACKERS_PYTHON, script, std::to_string(number)}, environment, folder.path());
  EXPECT_EQ(result.status, 0) << result.err;
  for (const std::string& line : lines(result.out))
    if (line.starts_with("drawn: "))
      return line;
  return "";
}

TEST_P(Trackers, HaveNewNamesInEachRunAndTheSameNumbers) {
  if (run({TRACKERS_PYTHON, "-c", std::string{"import "} + GetParam().module}).status != 0)
    GTEST_SKIP() << "no " << GetParam().module;
  if (std::filesystem::temp_directory_path().string().size() > GetParam().longest_folder)
    GTEST_SKIP() << "TMPDIR is too long for its sockets";
  const TemporaryFolder natively, folder;
  const std::string native = drawn(natively, 1, "");
  EXPECT_NE(drawn(natively, 2, ""), native);
  const std::string first = drawn(folder, 1, "42");
  EXPECT_FALSE(first.empty());
  for (int number = 2; number <= 3; ++number)
    EXPECT_EQ(drawn(folder, number, "42"), first);
  EXPECT_NE(drawn(folder, 4, "43"), first);
}

INSTANTIATE_TEST_SUITE_P(
    All, Trackers,
    testing::Values(Tracker{"aim_runs", "aim"}, Tracker{"clearml_offline", "clearml"},
                    Tracker{"comet_offline", "comet_ml"}, Tracker{"dask_tokens", "dask, numpy"},
                    Tracker{"datasets_map", "datasets"}, Tracker{"hydra_sweep", "hydra, numpy"},
                    Tracker{"joblib_memory", "joblib, numpy"},
                    Tracker{"matplotlib_files", "matplotlib"}, Tracker{"mlflow_files", "mlflow"},
                    Tracker{"mlflow_sqlite", "mlflow, sqlalchemy, alembic"},
                    Tracker{"neptune_offline", "neptune"}, Tracker{"optuna_sqlite", "optuna"},
                    Tracker{"ray_tasks", "ray, numpy", 30}, Tracker{"wandb_offline", "wandb"}),
    [](const auto& tested) {
      return std::string{tested.param.script};
    });

} // namespace
