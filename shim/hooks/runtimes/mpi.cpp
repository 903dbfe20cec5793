// MPI: what a program takes in the order in which the ranks send it. Nothing is forced, because a
// rank that waits for another order may wait forever. A receive from any rank, the first of several
// requests, whether a message has come yet, and what several ranks add to one window or write at
// one file's shared pointer: MPI leaves each to time (MPI 4.0, sections 3.5, 3.7.5, 12.7 and
// 14.4.4). Messages of one rank do not overtake each other, so that a named source repeats.
//
// Each function has two names. C and mpi4py call the first one, and so do the Fortran bindings of
// MPICH; profilers and the Fortran bindings of Open MPI call the second one. Handles are integers
// in MPICH and pointers in Open MPI, and are only handed on.
#include "core/base/modules.h"
#include "hooks/runtimes/runtime_clock.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

/// "Any rank" as a source: -2 in MPICH and its like, -1 in Open MPI and in the standard binary
/// interface (mpi.h of Open MPI 4.1 and MPICH 4.0; mpi_abi.h of MPI 5.0). The other ones' -1 and -2
/// are no rank at all, from which nothing comes.
int any_source(const Hook& hook) {
  Module module;
  const bool is_standard =
      find_module(hook.real, module) && starts_with(file_name(module.path), "libmpi_abi");
  static constinit SiblingFunction<void()> of_open_mpi{"ompi_mpi_comm_world"};
  return is_standard || of_open_mpi.of(hook) != nullptr ? -1 : -2;
}

/// Two ranks have one sender each. Between two groups the size tells nothing.
bool has_several_senders(const Hook& hook, Word communicator) {
  static constinit SiblingFunction<int(Word, int*)> get_size{"PMPI_Comm_size"};
  static constinit SiblingFunction<int(Word, int*)> get_inter{"PMPI_Comm_test_inter"};
  int size = 0;
  int is_inter = 0;
  if (!get_size.succeeds(hook, communicator, &size) ||
      !get_inter.succeeds(hook, communicator, &is_inter))
    return true;
  return size > 2 || is_inter != 0;
}

int number_of(Word word) { return static_cast<int>(reinterpret_cast<intptr_t>(word)); }

/// Records a call that may take from any of several ranks.
template <typename Call>
void note_source(const Call& call, Word source, Word communicator) {
  if (number_of(source) == any_source(call.hook()) &&
      has_several_senders(call.hook(), communicator))
    call.record(Action::nondeterministic, Reason::message_order, {});
}

/// The body of a hook with a source and a communicator at those places of its arguments.
template <int source, int communicator, typename Call, typename... Arguments>
int receive(const Call& call, Arguments... arguments) {
  const Word words[] = {arguments...};
  const int status = call.real(arguments...);
  if (!call.passes() && status == 0)
    note_source(call, words[source], words[communicator]);
  return status;
}

/// The same of a function that came with MPI 4.0 and counts in 64 bits. mpi4py asks by a weak
/// reference whether there is one, and finds ours: where the library has none, it is `plain`.
template <auto& plain, int count, int other_count, int source, int communicator, typename Guard,
          typename... Arguments>
int receive_many(const Guard& call, Arguments... arguments) {
  if (call.hook().real != nullptr)
    return receive<source, communicator>(call, arguments...);
  const Word words[] = {arguments...};
  constexpr int error_count = 2; // MPI_ERR_COUNT of Open MPI and MPICH
  for (const int i : {count, other_count})
    if (reinterpret_cast<intptr_t>(words[i]) != number_of(words[i]))
      return error_count;
  const Call<int(Arguments...)> instead(plain, call.caller());
  return receive<source, communicator>(instead, arguments...);
}

/// The body of a hook whose first argument counts requests, of which the first ones are taken.
template <typename Call, typename... Arguments>
int take_first(const Call& call, Word count, Arguments... arguments) {
  const int status = call.real(count, arguments...);
  if (!call.passes() && status == 0 && number_of(count) > 1)
    call.record(Action::nondeterministic, Reason::message_order, {});
  return status;
}

template <int count>
using Words = CallOfWords<int, count>;
using Time = Call<double()>;

constexpr Description any_rank = {
    .action = Action::nondeterministic,
    .summary = "Recorded where it takes from any of several ranks: which one is first is a race."};
constexpr Description first_request = {
    .action = Action::nondeterministic,
    .summary = "Recorded with several requests: which of them is done first is a race."};
constexpr Description polled = {.action = Action::nondeterministic,
                                .summary =
                                    "Recorded: whether a message has come yet is decided by time."};
constexpr Description shared = {
    .action = Action::nondeterministic,
    .summary =
        "Recorded: ranks take it, add to it or write there in the order in which they come."};

} // namespace
} // namespace detshim

using namespace detshim;

// After each name: how many arguments it takes, and which of them the source and the communicator
// are, from 0.
#define FROM_ANY(NAME, COUNT, SOURCE, COMMUNICATOR)                                                \
  DETSHIM_TEMPLATE_HOOKS(mpi, Words<COUNT>, NAME, P##NAME, (receive<SOURCE, COMMUNICATOR>),        \
                         any_rank)

FROM_ANY(MPI_Recv, 7, 3, 5);
FROM_ANY(MPI_Irecv, 7, 3, 5);
FROM_ANY(MPI_Recv_init, 7, 3, 5);
FROM_ANY(MPI_Sendrecv, 12, 8, 10);
FROM_ANY(MPI_Sendrecv_replace, 9, 5, 7);
FROM_ANY(MPI_Probe, 4, 0, 2);
FROM_ANY(MPI_Mprobe, 5, 0, 2);

// The counts among them too, of which there may be two.
#define MANY_FROM_ANY(NAME, WORDS, COUNT, OTHER_COUNT, SOURCE, COMMUNICATOR)                       \
  DETSHIM_TEMPLATE_HOOKS(                                                                          \
      mpi, Words<WORDS>, NAME##_c, P##NAME##_c,                                                    \
      (receive_many<::detshim::hooks::NAME, COUNT, OTHER_COUNT, SOURCE, COMMUNICATOR>), any_rank)

MANY_FROM_ANY(MPI_Recv, 7, 1, 1, 3, 5);
MANY_FROM_ANY(MPI_Irecv, 7, 1, 1, 3, 5);
MANY_FROM_ANY(MPI_Recv_init, 7, 1, 1, 3, 5);
MANY_FROM_ANY(MPI_Sendrecv, 12, 1, 6, 8, 10);
MANY_FROM_ANY(MPI_Sendrecv_replace, 9, 1, 1, 5, 7);

DETSHIM_TEMPLATE_HOOKS(mpi, Words<4>, MPI_Waitany, PMPI_Waitany, take_first, first_request);
DETSHIM_TEMPLATE_HOOKS(mpi, Words<5>, MPI_Waitsome, PMPI_Waitsome, take_first, first_request);
DETSHIM_TEMPLATE_HOOKS(mpi, Words<5>, MPI_Testany, PMPI_Testany, take_first, first_request);
DETSHIM_TEMPLATE_HOOKS(mpi, Words<5>, MPI_Testsome, PMPI_Testsome, take_first, first_request);

// After each name: how many arguments it takes.
#define BY_TIME(NAME, COUNT, DESCRIPTION)                                                          \
  DETSHIM_TEMPLATE_HOOKS(mpi, Words<COUNT>, NAME, P##NAME,                                         \
                         record_nondeterministic<Reason::message_order>, DESCRIPTION)

BY_TIME(MPI_Test, 3, polled);
BY_TIME(MPI_Testall, 4, polled);
BY_TIME(MPI_Request_get_status, 3, polled);
BY_TIME(MPI_Iprobe, 5, polled);
BY_TIME(MPI_Improbe, 6, polled);

BY_TIME(MPI_Accumulate, 9, shared);
BY_TIME(MPI_Raccumulate, 10, shared);
BY_TIME(MPI_Get_accumulate, 12, shared);
BY_TIME(MPI_Rget_accumulate, 13, shared);
BY_TIME(MPI_Fetch_and_op, 7, shared);
BY_TIME(MPI_Compare_and_swap, 7, shared);
BY_TIME(MPI_Win_lock, 4, shared);
BY_TIME(MPI_Win_lock_all, 2, shared);
BY_TIME(MPI_File_read_shared, 5, shared);
BY_TIME(MPI_File_write_shared, 5, shared);
BY_TIME(MPI_File_iread_shared, 5, shared);
BY_TIME(MPI_File_iwrite_shared, 5, shared);

DETSHIM_TEMPLATE_HOOKS(mpi, Time, MPI_Wtime, PMPI_Wtime, read_clock_of_runtime,
                       notes_clock_of_runtime);
