// What several runs of one program have in common, and in what a later run differs from it.
#include "evidence/program_state.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using detshim::changed_parts;
using detshim::common_state;
using detshim::ProgramState;

namespace {

using Parts = std::map<std::string, std::string>;
using Words = std::vector<std::string>;

const std::string code = "code: file train.py", library = "libraries: mtrand.so";

ProgramState state(const Parts& parts) {
  ProgramState state;
  state.parts = parts;
  for (const auto& [part, hash] : parts)
    if (part != code)
      state.libraries.insert(part);
  return state;
}

struct Row {
  const char* name;
  std::vector<Parts> runs;
  bool is_remarked;
  std::vector<Parts> later; ///< runs of the same program
  std::vector<Parts> other; ///< and of others
};

class States : public testing::TestWithParam<Row> {};

TEST_P(States, HoldForLaterRunsThatHaveNothingElse) {
  std::vector<ProgramState> states;
  for (const Parts& run : GetParam().runs)
    states.push_back(state(run));
  std::string remark;
  const ProgramState common = common_state(states, remark);
  EXPECT_EQ(!remark.empty(), GetParam().is_remarked) << remark;
  for (const Parts& run : GetParam().later)
    EXPECT_EQ(changed_parts(common, state(run)), Words{}) << testing::PrintToString(run);
  for (const Parts& run : GetParam().other)
    EXPECT_NE(changed_parts(common, state(run)), Words{}) << testing::PrintToString(run);
}

const Parts with_1 = {{code, "1"}, {library, "a"}};
const Parts with_2 = {{code, "2"}, {library, "a"}};
const Parts with_3 = {{code, "3"}, {library, "a"}};
const Parts rebuilt = {{code, "1"}, {library, "b"}};
const Parts without = {{code, "1"}};
const Parts without_code = {{library, "a"}};
const Parts more = {{code, "1"}, {library, "a"}, {"libraries: libz.so.1", "c"}};

INSTANTIATE_TEST_SUITE_P(
    All, States,
    testing::Values(
        Row{"equal", {with_1, with_1}, false, {with_1}, {with_2, rebuilt, without, more}},
        // Its process was ended before it could name what it had loaded.
        Row{"library_named_by_some",
            {with_1, without},
            false,
            {with_1, without},
            {with_2, rebuilt, more, without_code}},
        Row{"library_of_two_builds", {with_1, rebuilt}, true, {}, {}},
        Row{"code_of_some", {with_1, without_code}, true, {}, {}},
        Row{"code_that_changed_once", {with_1, with_2, with_2}, true, {}, {}},
        Row{"output_of_each_run",
            {with_1, with_2, with_3},
            false,
            {with_1, without_code},
            {without}}),
    [](const testing::TestParamInfo<Row>& row) {
      return std::string(row.param.name);
    });

} // namespace
