// What earlier comparisons say of a run.
//
// Decides which kept entry bears on it: the one of this very state, else the newest of the same
// command and seed, else the newest of the program; and whether the program is the same, changed or
// unknown, from the parts of both states. It believes only a file of this user's or root's. It
// cannot know whether a comparison was of what matters to the user, nor why runs differed. Who has
// edited the file is believed.
#include "evidence/evidence_file.h"

#include "environment/kept_environments.h"
#include "support/exit_status.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int evidence_schema = 1;
constexpr std::size_t most_bytes = 16 << 20;
constexpr std::ptrdiff_t most_states = 5; ///< of one command and seed

bool is_of_same_command(const EvidenceEntry& entry, const ProgramState& state) {
  return entry.state.command == state.command && entry.state.seed == state.seed;
}

EvidenceEntry entry_of(const Json& json) {
  EvidenceEntry entry;
  entry.state.command = json.at("command");
  entry.state.seed = json.at("seed");
  entry.is_equal = json.at("equal");
  entry.runs = json.at("runs");
  entry.perturbations = json.at("perturbations");
  entry.compared = json.at("compared");
  entry.date = json.at("date");
  entry.difference = json.at("difference");
  entry.can_differ = json.at("can_differ").get<std::set<std::string>>();
  entry.state.parts = json.at("state").get<std::map<std::string, std::string>>();
  entry.state.seldom = json.value("seldom", std::set<std::string>());
  return entry;
}

Json json_of(const EvidenceEntry& entry) {
  return {{"command", entry.state.command},
          {"seed", entry.state.seed},
          {"equal", entry.is_equal},
          {"runs", entry.runs},
          {"perturbations", entry.perturbations},
          {"compared", entry.compared},
          {"date", entry.date},
          {"difference", entry.difference},
          {"can_differ", entry.can_differ},
          {"state", entry.state.parts},
          {"seldom", entry.state.seldom}};
}

/// "python3 train.py" of "python3 train.py --lr 1"; all of one word.
std::string_view program_in(std::string_view command) {
  return command.substr(0, command.find(' ', command.find(' ') + 1));
}

/// The entry for this state; else the newest of the same command and seed; else the newest of the
/// program; else nullptr.
const EvidenceEntry* find_entry(const std::vector<EvidenceEntry>& entries,
                                const ProgramState& state) {
  const EvidenceEntry *newest = nullptr, *of_program = nullptr;
  for (const EvidenceEntry& entry : entries) {
    const bool is_same = is_of_same_command(entry, state);
    if (is_same && changed_parts(entry.state, state).empty())
      return &entry;
    if (program_in(entry.state.command) != program_in(state.command))
      continue;
    const EvidenceEntry*& best = is_same ? newest : of_program;
    if (best == nullptr || best->date <= entry.date)
      best = &entry;
  }
  return newest != nullptr ? newest : of_program;
}

struct Document {
  std::vector<EvidenceEntry> programs;
  std::vector<std::string> learned_seeds;
};

Document read_document(const std::string& file) {
  const std::string name = in_quotes(file) + " ";
  struct stat state;
  if (::stat(file.c_str(), &state) != 0)
    return {};
  // A stranger's would have a run called verified.
  if (state.st_uid != ::geteuid() && state.st_uid != 0)
    throw UsageError(name + "is another user's: it is not believed");
  std::ifstream input(file);
  if (!S_ISREG(state.st_mode) || static_cast<std::size_t>(state.st_size) > most_bytes || !input)
    throw UsageError(name +
                     "cannot be read as evidence: accepted is a file that detshim verify wrote");
  Document document;
  try {
    const Json json = Json::parse(input);
    if (json.at("schema_version") != evidence_schema)
      throw UsageError(name + "is of another schema_version than " +
                       std::to_string(evidence_schema) + ": run detshim verify again");
    for (const Json& program : json.at("programs"))
      document.programs.push_back(entry_of(program));
    document.learned_seeds = json.value(learned_seeds_key, std::vector<std::string>());
  } catch (const Json::exception&) {
    throw UsageError(name + "is damaged: remove it, and run detshim verify again");
  }
  return document;
}

void write_document(const std::string& file, const Document& document) {
  Json programs = Json::array();
  for (const EvidenceEntry& one : document.programs)
    programs.push_back(json_of(one));
  const Json json = {{"schema_version", evidence_schema},
                     {learned_seeds_key, document.learned_seeds},
                     {"programs", std::move(programs)}};
  write_whole(file, json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

} // namespace

std::vector<EvidenceEntry> read_evidence(const std::string& file) {
  return read_document(file).programs;
}

void keep_learned_seeds(const std::string& file, const std::vector<std::string>& entries) {
  const auto call_site = [](const std::string& entry) {
    return entry.substr(0, entry.find(' '));
  };
  Document document = read_document(file);
  for (const std::string& entry : entries) {
    std::erase_if(document.learned_seeds, [&](const std::string& known) {
      return call_site(known) == call_site(entry);
    });
    document.learned_seeds.push_back(entry);
  }
  write_document(file, document);
}

void keep_evidence(const std::string& file, EvidenceEntry entry) {
  Document document = read_document(file);
  std::vector<EvidenceEntry>& entries = document.programs;
  std::erase_if(entries, [&](const EvidenceEntry& other) {
    return is_of_same_command(other, entry.state) && other.state.parts == entry.state.parts;
  });
  auto others = std::ranges::count_if(entries, [&](const EvidenceEntry& other) {
    return is_of_same_command(other, entry.state);
  });
  std::erase_if(entries, [&](const EvidenceEntry& other) { // the oldest stand first
    return is_of_same_command(other, entry.state) && others-- >= most_states;
  });
  entries.push_back(std::move(entry));
  write_document(file, document);
}

Evidence evidence_of(const std::vector<EvidenceEntry>& entries, const ProgramState& state) {
  using enum Evidence::Program;
  Evidence evidence;
  evidence.command = state.command;
  const EvidenceEntry* const entry = find_entry(entries, state);
  if (entry == nullptr)
    return evidence;
  evidence.were_equal = entry->is_equal;
  evidence.runs = entry->runs;
  evidence.date = entry->date;
  evidence.difference = entry->difference;
  evidence.can_differ = entry->can_differ;
  evidence.program = unknown;
  if (!state.is_captured)
    return evidence;
  evidence.names = changed_parts(entry->state, state);
  if (!evidence.names.empty()) {
    evidence.program = changed;
    return evidence;
  }
  // That runs differed counts also where something is not known: nothing speaks for the program.
  if (entry->is_equal && !state.unknown.empty())
    evidence.names = state.unknown;
  else
    evidence.program = same;
  return evidence;
}

} // namespace detshim
