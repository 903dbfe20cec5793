// What ranks take in the order in which it comes, and MPI's clock, are reasons. What comes in one
// order is none.
#include "launched.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

/// The functions of the reasons that a job of such a program leads to.
std::set<std::string> racing_calls(const std::string& launch, const std::string& program) {
  const TemporaryFolder scratch;
  const Result result = under_run(scratch, launch + MPI_PROGRAMS + program);
  EXPECT_EQ(result.status, 0) << result.err;
  std::set<std::string> functions;
  const nlohmann::json document = document_of(scratch);
  for (const auto& reason : document["reasons"])
    functions.insert(reason[reason["function"].is_string() ? "function" : "kind"]);
  return functions;
}

bool is_there(const std::string& program) {
  return std::filesystem::exists(MPI_PROGRAMS + program);
}

#define NEEDS_PROGRAM(PROGRAM)                                                                     \
  if (!has_mpi() || !is_there(PROGRAM))                                                            \
  GTEST_SKIP() << "no program of MPI (packages openmpi-bin, libopenmpi-dev, gfortran)"

struct Way {
  const char* name;
  int ranks;
  std::set<std::string> functions; ///< of the reasons
};

class Messages : public testing::TestWithParam<Way> {};

TEST_P(Messages, AreReasonsWhereTheirOrderIsARace) {
  NEEDS_PROGRAM("messages");
  const Way& way = GetParam();
  EXPECT_EQ(racing_calls(mpirun + "-np " + std::to_string(way.ranks) + " ",
                         std::string("messages ") + way.name),
            way.functions);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Messages,
    testing::Values(Way{"from_any", 3, {"MPI_Recv"}}, Way{"from_any", 2, {}},
                    Way{"from_named", 3, {}}, Way{"from_nobody", 3, {}},
                    Way{"wait_any", 3, {"MPI_Waitany"}}, Way{"wait_any", 2, {}},
                    Way{"wait_all", 3, {}}, Way{"test", 2, {"MPI_Test"}},
                    Way{"probe", 3, {"MPI_Probe"}}, Way{"accumulate", 3, {"MPI_Accumulate"}},
                    Way{"lock", 3, {"MPI_Win_lock"}}, Way{"clock", 1, {"clock"}}),
    [](const testing::TestParamInfo<Way>& way) {
      return std::string(way.param.name) + "_of_" + std::to_string(way.param.ranks);
    });

// Open MPI's Fortran calls the names that profilers call.
TEST(Messages, OfFortranAreTold) {
  NEEDS_PROGRAM("fortran_messages");
  EXPECT_EQ(racing_calls(mpirun + "-np 3 ", "fortran_messages"),
            (std::set<std::string>{"PMPI_Recv", "clock"}));
}

// A program finds the hook of a function that its MPI does not have.
TEST(Messages, AreReceivedWhereOnlyTheHookIsThere) {
  NEEDS_PROGRAM("messages");
  const TemporaryFolder scratch;
  const Result result =
      under_run(scratch, mpirun + "-np 3 " MPI_PROGRAMS "messages from_any_by_weak");
  EXPECT_EQ(result.out, "3\n") << result.err;
  EXPECT_EQ(document_of(scratch)["reasons"].size(), 1u);
}

// Its numbers for any rank and for none are the other way round.
TEST(Messages, OfMpichAreTold) {
  if (!is_there("messages_of_mpich") || find_program("mpiexec.mpich").empty())
    GTEST_SKIP() << "no program of MPICH (package mpich)";
  EXPECT_EQ(racing_calls("mpiexec.mpich -n 3 ", "messages_of_mpich"),
            std::set<std::string>{"MPI_Recv"});
  EXPECT_EQ(racing_calls("mpiexec.mpich -n 3 ", "messages_of_mpich none"), std::set<std::string>{});
}

} // namespace
