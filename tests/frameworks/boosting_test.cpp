// Boosters get parameters with which they repeat, unless the program chose; by doubles of the two
// libraries, and by the real ones where they are installed (DETSHIM_TEST_PYTHON).
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace {

struct Case {
  std::string name;
  std::vector<std::string> given;
  std::string forced;   ///< what the library is given then, in enforce
  std::string recorded; ///< "action requested effective why"; empty: nothing
  std::string in_record_mode;
};
void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }

/// What the program prints, and in `recorded` its one record of the two libraries.
std::string parameters(const Case& tested, const Environment& environment, std::string& recorded) {
  const TemporaryFolder scratch;
  std::vector<std::string> command = {BOOSTING_PROGRAM};
  command.insert(command.end(), tested.given.begin(), tested.given.end());
  const Result result = run(command, under_shim(scratch, environment));
  EXPECT_EQ(result.status, 0) << result.err;
  recorded.clear();
  if (std::filesystem::exists(scratch.log()))
    for (const ProcessLog& log : read_log(scratch.log()))
      for (const auto& call : log.calls())
        if (call["lib"] == tested.given[0])
          for (const char* key : {"do", "requested", "effective", "why"})
            recorded += (recorded.empty() ? "" : " ") + call[key].get<std::string>();
  return result.out;
}

class Boosters : public testing::TestWithParam<Case> {};

TEST_P(Boosters, RepeatUnlessTheProgramChose) {
  std::string recorded, native;
  for (std::size_t i = 1; i < GetParam().given.size(); ++i)
    native += GetParam().given[i] + '\n';
  EXPECT_EQ(parameters(GetParam(), {{"DETSHIM_SEED", "42"}}, recorded), GetParam().forced);
  EXPECT_EQ(recorded, GetParam().recorded);
  EXPECT_EQ(parameters(GetParam(), {{"DETSHIM_SEED", "42"}, {"DETSHIM_MODE", "record"}}, recorded),
            native);
  EXPECT_EQ(recorded, GetParam().in_record_mode);
  EXPECT_EQ(parameters(GetParam(),
                       {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "lightgbm,xgboost"}}, recorded),
            native);
  EXPECT_EQ(recorded, "");
}

const std::string by_time = " boosting_timed", on_gpu = " boosting_on_gpu",
                  unlocked = " boosting_unlocked";

INSTANTIATE_TEST_SUITE_P(
    OfLightGbm, Boosters,
    testing::Values(Case{"nothing",
                         {"lightgbm", "num_threads=2"},
                         "num_threads=2 deterministic=true force_row_wise=true\n",
                         "replace unset true" + by_time,
                         "nondeterministic unset unset" + by_time},
                    Case{"empty",
                         {"lightgbm", ""},
                         " deterministic=true force_row_wise=true\n",
                         "replace unset true" + by_time,
                         "nondeterministic unset unset" + by_time},
                    Case{"the_switch",
                         {"lightgbm", "deterministic=true seed=1"},
                         "deterministic=true seed=1 force_row_wise=true\n",
                         "replace true true" + by_time,
                         "nondeterministic true true" + by_time},
                    Case{"columns",
                         {"lightgbm", "force_col_wise=1"},
                         "force_col_wise=1 deterministic=true\n",
                         "replace unset true" + by_time,
                         "nondeterministic unset unset" + by_time},
                    Case{"both",
                         {"lightgbm", "force_col_wise=true\tdeterministic=True"},
                         "force_col_wise=true\tdeterministic=True\n",
                         "",
                         ""},
                    Case{"refused",
                         {"lightgbm", "deterministic=false"},
                         "deterministic=false force_row_wise=true\n",
                         "nondeterministic false false" + by_time,
                         "nondeterministic false false" + by_time},
                    Case{"neither_way",
                         {"lightgbm", "force_row_wise=false"},
                         "force_row_wise=false deterministic=true\n",
                         "nondeterministic unset true" + by_time,
                         "nondeterministic unset unset" + by_time},
                    Case{"another_name",
                         {"lightgbm", "non_deterministic=true"},
                         "non_deterministic=true deterministic=true force_row_wise=true\n",
                         "replace unset true" + by_time,
                         "nondeterministic unset unset" + by_time},
                    Case{"gpu",
                         {"lightgbm", "device_type=gpu"},
                         "device_type=gpu\n",
                         "nondeterministic unset unset" + on_gpu,
                         "nondeterministic unset unset" + on_gpu},
                    Case{"gpu_by_its_alias",
                         {"lightgbm", "device=cuda"},
                         "device=cuda\n",
                         "nondeterministic unset unset" + on_gpu,
                         "nondeterministic unset unset" + on_gpu},
                    Case{"too_long",
                         {"lightgbm", "categorical_feature=" + std::string(70000, '1')},
                         "categorical_feature=" + std::string(70000, '1') + '\n',
                         "nondeterministic too long too long" + by_time,
                         "nondeterministic too long too long" + by_time}),
    [](const auto& tested) {
      return tested.param.name;
    });

INSTANTIATE_TEST_SUITE_P(
    OfXgBoost, Boosters,
    testing::Values(
        Case{"shotgun",
             {"xgboost", "updater=shotgun"},
             "updater=coord_descent\n",
             "replace shotgun coord_descent" + unlocked,
             "nondeterministic shotgun shotgun" + unlocked},
        Case{"linear",
             {"xgboost", "booster=gblinear"},
             "updater=coord_descent\nbooster=gblinear\n",
             "replace unset coord_descent" + unlocked,
             "nondeterministic unset shotgun" + unlocked},
        Case{"chosen", {"xgboost", "updater=coord_descent"}, "updater=coord_descent\n", "", ""},
        Case{"trees",
             {"xgboost", "booster=gbtree", "tree_method=hist"},
             "booster=gbtree\ntree_method=hist\n",
             "",
             ""},
        Case{"old_on_gpu",
             {"xgboost", "tree_method=gpu_hist"},
             "tree_method=gpu_hist\n",
             "nondeterministic gpu_hist gpu_hist" + on_gpu,
             "nondeterministic gpu_hist gpu_hist" + on_gpu},
        Case{"sampled_on_gpu",
             {"xgboost", "sampling_method=gradient_based"},
             "sampling_method=gradient_based\n",
             "nondeterministic gradient_based gradient_based" + on_gpu,
             "nondeterministic gradient_based gradient_based" + on_gpu}),
    [](const auto& tested) {
      return tested.param.name;
    });

/// What so many runs of the real library predict. `word` precedes the command.
std::set<std::string> predictions(const std::string& library,
                                  const std::vector<std::string>& before, int runs) {
  const char* const python = std::getenv("DETSHIM_TEST_PYTHON");
  std::vector<std::string> command = before;
  for (const std::string& word :
       {python != nullptr ? std::string(python) : "python3", std::string(BOOSTING_SCRIPT), library})
    command.push_back(word);
  std::set<std::string> found;
  for (int i = 0; i < runs; ++i) {
    const Result result = run(command);
    found.insert(result.status == 0 ? result.out : "");
  }
  return found;
}

TEST(Boosting, OfTheRealLibrariesRepeats) {
  const TemporaryFolder scratch;
  int tried = 0;
  for (const std::string library : {"lightgbm", "xgboost"}) {
    const std::set<std::string> native = predictions(library, {}, 5);
    if (native.contains(""))
      continue;
    ++tried;
    EXPECT_TRUE(library == "lightgbm" || native.size() > 1) << "differs natively";
    EXPECT_EQ(
        predictions(library,
                    {DETSHIM_COMMAND, "run", "--quiet", "--log", scratch.log().string(), "--"}, 5)
            .size(),
        1U)
        << library;
    EXPECT_EQ(run({DETSHIM_COMMAND, "log", "--check", scratch.log().string()}).status, 0)
        << library;
  }
  if (tried == 0)
    GTEST_SKIP() << "not installed: lightgbm, xgboost";
}

} // namespace
