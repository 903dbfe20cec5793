// What is known of cuDNN's backend descriptors from the calls that filled them: which operation
// graph one was made of, and which engine config was taken for that graph.
//
// A program that times its candidates finalizes a plan of each, runs them all and keeps the
// fastest. So that times choose nothing, all of them are one: the first of a graph's plans that
// finalizes is taken for it, and the others are made of its engine config. None of them fails:
// whether a program will time its plans cannot be known when it builds them, and one that only
// builds several must get as many. What was taken for a graph stays taken until the graph is gone,
// or until it turns out that the program cannot use it: its plans are destroyed without having run,
// or running one fails.
//
// A graph is known by a number, not by its address: configs outlive it, and another graph may get
// its address.
#pragma once

#include "common/text.h"
#include "hooks/cudnn/backend.h"
#include "hooks/cudnn/descriptions.h"

namespace detshim::cudnn {

/// An engine with its knobs: what two plans of one graph have in common that run the same kernels.
struct Config {
  uint64_t key = 0;   ///< never 0 for a config
  int64_t engine = 0; ///< its index; -1 where it cannot be read
};

/// The config that the descriptor describes: by its engine's index and its knobs, or, where they
/// cannot be read, by its address. `name` gets what names it in another run, "engine 12 knobs 3=1
/// 5=0", and stays empty where the config cannot be read.
Config config_of(const Backend& backend, Descriptor config, TextWriter* name = nullptr);

/// What is known of one descriptor.
struct Note {
  enum Flag : uint32_t {
    nondeterministic = 1, ///< a plan whose engine reports it
    from_json = 2,        ///< a plan whose engine can be read once it is finalized
    plan = 4,             ///< a plan that was given a config
    holds = 8,            ///< a finalized plan of the config that is taken for its graph
    ran = 16,             ///< such a plan has run
    reduction = 32,       ///< a reduction
    repeatable = 64,      ///< a reduction that the program wants deterministic
    sdpa_backward = 128,  ///< an operation
    graph_itself = 256,   ///< an operation graph, not what was made of one
    matmul = 512,         ///< an operation
    unreadable = 1024,    ///< a plan whose engine's notes cannot be read
  };
  const void* descriptor = nullptr;
  uint32_t graph = 0; ///< 0: not known
  uint32_t flags = 0;
  Config config;
};

/// The descriptor's flags, 0 for one that nothing is known of. No lock.
uint32_t flags_of(const void* descriptor);

/// What is known of the descriptor.
Note note_of(const void* descriptor);

/// Writes down what is known of a descriptor, instead of what was. False where there is no room:
/// the descriptor is then as one that nobody has seen.
bool remember(const Note& note);

/// Forgets a descriptor that is about to be destroyed or filled anew. A graph's number ends with
/// it; a plan that has not run gives back what it took. Our own descriptor that nothing needs
/// from then on, to be destroyed by the caller; nullptr without one.
[[nodiscard]] Descriptor forget(const void* descriptor);

/// The descriptor belongs to the graph that another one was made of. True also where that is not
/// known. `stale` is what forget() gives, of what the descriptor was before.
bool inherit_graph(const void* descriptor, const void* from, Descriptor& stale);

/// The graph's number, made where it has none; 0 where there is no room. `stale` is one of our
/// descriptors that nothing needs from then on: a graph that is gone made room, though plans of it
/// may live on.
uint32_t number_of(const void* graph, Descriptor& stale);

/// Remembers that the graph holds an SDPA backward operation.
void mark_sdpa_backward(uint32_t graph);
bool has_sdpa_backward(uint32_t graph);

/// What the graph is, for the tuning file; empty where that is not known.
void name_problem(uint32_t graph, const char* problem);
void copy_problem(uint32_t graph, char* problem, size_t size);

/// The config that the tuning file keeps for the graph is among its engines: no other plan is let
/// in before it was tried, unless the program seems not to try it: it comes back with a plan that
/// was refused before, or more than `others` were.
void want(uint32_t graph, const Config& config, int64_t others);
/// A plan of that config cannot be used: whatever is wanted, it is no longer.
void give_up(const Note& plan);

/// Remembers the config that was run last. False if it was the same before.
bool run_last(const Note& plan);

/// What is taken for a graph.
struct Taken {
  Config config;
  bool by_another_thread;    ///< than this one
  bool is_wanted = false;    ///< by the tuning file: nothing is taken yet
  bool gave_up = false;      ///< what was wanted was not tried, and the plan may go ahead
  Descriptor copy = nullptr; ///< of the config, ours; nullptr where none was made
};

/// Whether another config than the plan's is taken for its graph, or wanted. Counts what is refused
/// for that. The copy is valid while the plan is.
bool is_taken(const Note& plan, Taken& taken);

/// Takes the plan's config for its graph, now that it is finalized. False where another one was
/// taken since.
bool take(const Note& plan);

/// Whether what is taken for the plan's graph has no copy yet.
bool wants_copy(const Note& plan);
/// Keeps our own descriptor that holds the config that is taken for the plan's graph, until the
/// graph is gone with all that was made of it, or the config is no longer taken. False where it is
/// not wanted.
bool keep_copy(const Note& plan, Descriptor copy);

/// Notes whether a plan ran. True if it failed and its config is no longer taken for the graph;
/// `copy` is then the descriptor of our own that is needed no more.
bool ran(const void* plan, bool succeeded, Descriptor& copy);

/// Destroys our own descriptor that nothing needs any more.
template <typename Call>
void release(const Call& call, Descriptor own) {
  if (own == nullptr)
    return;
  if (auto* const destroy = call.template sibling<Destroy>("cudnnBackendDestroyDescriptor"))
    destroy(own);
}

inline constinit uint32_t overflow_recorded_in = 0;

/// Says once a process that a descriptor found no room in what is known of them.
template <typename Call>
void record_overflow_once(const Call& call, std::initializer_list<Value> values) {
  if (overflow_recorded_in == generation())
    return;
  overflow_recorded_in = generation();
  call.record(Action::nondeterministic, Reason::too_many_descriptors, values);
}

} // namespace detshim::cudnn
