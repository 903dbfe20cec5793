// Why a record says what it says: a code in the log (docs/LOG_FORMAT.md), a sentence in
// tools/report/.
#pragma once

#include <cstddef>
#include <cstdint>

// All codes, in alphabetical order. A code that a log was written with is never given another
// meaning.
// clang-format off
#define DETSHIM_REASONS(X) \
  X(addition_race) X(address_seed) X(address_unknown) X(adds_in_any_order) X(algorithm_does_not_serve) \
  X(algorithm_selection) X(answered_by_heuristic) X(atomic_adds) X(bare_name) X(batches_by_time) \
  X(boosting_on_gpu) X(boosting_timed) X(boosting_unlocked) X(bound_past_hook) X(callback) \
  X(capture_not_filled) X(choice_cannot_be_kept) X(choosing_variable) X(clock_read) X(clock_seed) \
  X(deepbind) X(default_choice) X(deterministic_algorithm) X(deterministic_engines) \
  X(deterministic_ones_alone) X(deterministic_setting) X(device_given_back) X(device_inherited) \
  X(disable_differs) X(divided_by_time) X(duckdb_threads) X(dynamic_threads) X(emulation) \
  X(ends_without_fallback) X(engines_left_out) X(environment_cleared) X(file_reopened) X(filter_forbids_log) \
  X(finest_division) X(first_handle_unseen) X(flags_not_added) X(frozen_clock) X(further_files) \
  X(further_variables) X(generator_shared) \
  X(go_program) X(graph_unseen) X(group_too_large) X(hash_missing) X(host_address) X(id_seed) \
  X(identifier_shared) X(in_graph) X(java_runtime) X(keep_entropy_differs) X(kept_by_policy) X(kept_choice) \
  X(kept_choice_nondeterministic) X(kept_choice_not_offered) X(kept_plan_other) X(kept_plan_untried) X(key) \
  X(launched) X(layout_unknown) X(learned_seed) X(left_alone) X(library_choice) X(library_missing) \
  X(list_reordered) X(list_unreadable) X(log_not_writable) X(log_out_of_reach) \
  X(may_be_key) X(may_be_nondeterministic) X(memory_filled) X(memory_gone) X(memory_mapped_later) \
  X(memset_failed) X(message_order) X(mindspore_kernels) X(mode_differs) X(musl_program) X(named_by_user) \
  X(names_things) \
  X(never_awaited) X(no_deterministic_algorithm) X(no_deterministic_engine) X(no_deterministic_mode) \
  X(no_hash_kernel) X(no_memory_file) X(no_result_depends) X(no_states) X(no_workspace_size) X(nonblocking) \
  X(nondeterministic) X(nondeterministic_engine) X(nondeterministic_pooling) X(nondeterministic_reduction) \
  X(not_in_tuning_file) X(not_preloaded) X(not_repeatable_value) X(not_seeded) X(not_the_library) \
  X(notes_unreadable) X(nothing_works) X(observed) X(one_candidate) X(one_device) X(one_order) \
  X(one_time_for_all) X(operation_unknown) X(order_by_topology) X(ordered_seed) X(ordering_by_device) X(other_processor) \
  X(other_user) X(other_version) X(outputs_unknown) X(overwritten_before_wait) X(own_environment) \
  X(own_namespace) X(own_stream) X(own_value) X(own_workspace) X(pack_unseen) X(packages_tasks_dealt) \
  X(partly_written) X(parts_in_order) X(plan_cannot_be_made) X(plan_exchanged) \
  X(plan_from_json) X(plan_of_other_thread) X(plugin) X(polars_threads) X(program_asks_deterministic) \
  X(program_choice) X(program_may_time) X(qt6_processor) X(qt_processor) X(quasi_random) X(queue_race) \
  X(r_linked_in) X(random_start) X(ranks_unknown) X(refused_by_library) X(repeatable_per_device) \
  X(repeatable_value) X(runtime_seeds_itself) X(rust_addresses) X(same_in_every_run) X(scales_unknown) \
  X(schedule_race) X(script_unseen) X(second_copy) X(secret_program) X(seed_in_tensor) X(seeded_by_runtime) \
  X(setting_overwritten) X(setting_read_before) X(setting_removed) X(setting_restored) X(setting_unset) \
  X(several_devices) X(shapes_overridden) X(slowest_by_tuner) X(sorted_by_name) X(stale_gradients) \
  X(standard_start) X(states_of_caller) X(static_program) X(stream_unknown) X(taken_plan_fails) X(task_race) \
  X(tasks_dealt) X(tbb_workers) X(tensor_missing) X(tensorflow_needs_seed) X(tensorflow_not_deterministic) \
  X(thread_unnamed) X(timed_algorithm) X(timed_by_library) X(timed_by_tuner) X(timed_engine) X(timed_list) \
  X(timed_list_sorted) X(tokenizers_threads) X(too_many_copies) X(too_many_descriptors) X(too_many_entries) \
  X(too_many_hashes) X(too_many_operands) X(too_many_places) X(tuning_cannot_keep) X(tuning_keeps_fastest) \
  X(tuning_keeps_last_plan) X(tuning_keeps_use) X(type_unknown) X(undocumented) X(unexplained_seed) \
  X(unknown_entry_point) X(unreadable_program) X(unsure_attention) X(uuid_of_time) X(values_not_written) \
  X(version_too_old) X(window_kernels) X(windows_unused) X(work_divided_as_free) X(workspace_bounded) \
  X(workspace_shared) X(workspace_size) X(workspace_too_small)
// clang-format on

namespace detshim {

enum class Reason : uint16_t {
  none,
#define DETSHIM_REASON_MEMBER(code) code,
  DETSHIM_REASONS(DETSHIM_REASON_MEMBER)
#undef DETSHIM_REASON_MEMBER
};

namespace detail {
// One text without pointers, so that the library has nothing to relocate for it at its start.
inline constexpr char reason_codes[] = ""
#define DETSHIM_REASON_CODE(code) "\0" #code
    DETSHIM_REASONS(DETSHIM_REASON_CODE);
#undef DETSHIM_REASON_CODE

/// Of texts that each end in a zero, the one behind so many others.
inline const char* nth_text(const char* texts, unsigned number) {
  for (; number > 0; --number)
    while (*texts++ != 0) {}
  return texts;
}
} // namespace detail

/// How many there are, Reason::none among them.
inline constexpr std::size_t reason_count = 1
#define DETSHIM_REASON_ONE(code) +1
    DETSHIM_REASONS(DETSHIM_REASON_ONE);
#undef DETSHIM_REASON_ONE

/// The code as the log writes it; "" for Reason::none. Walks through all codes before it: not for
/// hot paths.
inline const char* reason_code(Reason reason) {
  return detail::nth_text(detail::reason_codes, static_cast<unsigned>(reason));
}

} // namespace detshim
