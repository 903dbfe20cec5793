// Decides what of a process's log is a fact that two runs can have in another way, and what it is
// called in both: files by their names without folders, as they may lie elsewhere. The place of a
// clock and the hashes of variables are no facts; the latter are suspects. Nor is how often calls
// were only seen.
//
// A command line that was cut and has no hash is unknown. It cannot know what a record of an
// unknown kind means: it says only whether both runs have the same ones, in whatever order.
#include "log_diff/facts.h"

#include "support/wording.h"

#include <cstddef>

namespace detshim {
namespace {

/// In quotes where it would not be told apart from two, or from none.
std::string quoted(const std::string& argument) {
  if (!argument.empty() && argument.find_first_of(" '\\") == std::string::npos)
    return argument;
  std::string result = "'";
  for (const char c : argument)
    result += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result + "'";
}

/// With the program's name in place of its path. Empty where it is not known.
std::string command_line(const Start& start) {
  const std::vector<std::string>& arguments = start.args;
  if (start.are_args_cut && !start.args_hash)
    return {};
  std::string result;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    result += i == 0 ? quoted(base_name(arguments[0])) : " " + quoted(arguments[i]);
  if (start.args_hash)
    result += " (cut; hash " + *start.args_hash + ")";
  return result;
}

} // namespace

Facts settings_of(const Start& start, bool with_environment) {
  Facts facts{{{"version of detshim", FactKind::identity}, start.detshim},
              {program_subject, base_name(start.program)},
              {{"path of the program", FactKind::program_path}, start.program},
              {command_line_subject, command_line(start)},
              {{"mode", FactKind::identity}, start.mode},
              {{"policy of seeds"}, start.policy},
              {{"seed", FactKind::identity}, start.seed.value_or("none")},
              {{"seed is from"}, start.seed_from.value_or("nowhere")}};
  if (start.processor)
    facts[{"processor"}] = *start.processor;
  if (start.layout)
    facts[{"layout of the address space"}] = *start.layout;
  if (start.disabled)
    facts[{"DETSHIM_DISABLE"}] = *start.disabled;
  if (with_environment)
    add_environment(facts, start.environment, start.noted, start.readers);
  return facts;
}

void add_environment(Facts& settings, const std::vector<EnvironmentChange>& changes,
                     const std::vector<NotedVariable>& noted,
                     const std::vector<SettingReader>& readers) {
  const auto value = [](const std::string& text) {
    return "'" + text + "'";
  };
  for (const EnvironmentChange& change : changes)
    settings[{change.name}] =
        (change.was ? value(*change.was) : std::string("unset")) + " -> " + value(change.now);
  for (const NotedVariable& variable : noted)
    settings[{variable.name}] = value(variable.value);
  std::map<std::string, std::set<std::string>> files;
  for (const SettingReader& reader : readers)
    files[reader.name].insert(base_name(reader.file));
  for (const auto& [name, by] : files)
    settings[{"readers of " + name, FactKind::readers}] = joined(by);
}

void LibraryFacts::add(const Modules& modules) {
  for (std::size_t i = 0; i < modules.files.size(); ++i)
    files_[base_name(modules.files[i])].insert(i < modules.builds.size() ? modules.builds[i] : "");
}

void LibraryFacts::add(const Exec& exec) {
  others_[{"program that it executed"}].insert(base_name(exec.program));
}

void LibraryFacts::add(const Record& record, std::string_view line) {
  if (const auto* library = std::get_if<Library>(&record)) {
    others_[{"version of " + library->name}].insert(library->version.value_or("not given"));
    others_[{"file of " + library->name}].insert(base_name(library->file));
  } else if (const auto* bound = std::get_if<Bound>(&record)) {
    auto& functions = others_[{"functions of " + bound->library + " that " + base_name(bound->by) +
                               (bound->is_lookup ? " looks up" : " is linked to")}];
    functions.insert(bound->functions.begin(), bound->functions.end());
  } else if (const auto* runtime = std::get_if<Runtime>(&record)) {
    others_[{"runtime " + base_name(runtime->file)}].insert(runtime->why);
  } else if (const auto* framework = std::get_if<Framework>(&record)) {
    others_[{"answer of " + framework->name}].insert(
        framework->is_deterministic ? "deterministic" : "not deterministic");
  } else if (const auto* coverage = std::get_if<Coverage>(&record)) {
    others_[{"hooks of " + coverage->library}].insert(
        std::to_string(coverage->hooks) +
        (coverage->missing.empty() ? "" : " without " + joined(coverage->missing)));
  } else if (const auto* lost = std::get_if<Lost>(&record)) {
    others_[{"log of process " + lost->path + ", " + base_name(lost->program), FactKind::lost_log}]
        .insert("");
  } else if (const auto* rights = std::get_if<Rights>(&record)) {
    others_[{"rights given up by"}].insert(rights->function);
  } else if (std::holds_alternative<UserPlace>(record)) {
    // That a clock was read somewhere is no result, and a rebuilt file has other call sites.
  } else if (std::holds_alternative<VariableHashes>(record)) {
    // Of two terminals some differ always: they are suspects (suspects.h), and no difference.
  } else if (std::holds_alternative<Killed>(record)) {
    ++killed_;
  } else {
    Digest digest;
    digest.add(line);
    ++unknown_records_;
    unknown_key_ += digest.key(); // in whatever order they come
  }
}

void LibraryFacts::add_files_of(const LibraryFacts& other) {
  for (const auto& [name, builds] : other.files_)
    files_[name].insert(builds.begin(), builds.end());
}

void LibraryFacts::add_total(const char* action, std::uint64_t calls) {
  // Whether a call that was only seen comes before the log's first record may be a race.
  if (std::string_view(action) != "observe")
    others_[{std::string("calls in all, ") + action, FactKind::calls}].insert(
        std::to_string(calls));
}

void LibraryFacts::add_unknown_files() {
  others_[{"the files that were loaded", FactKind::unknown_files}].insert("");
}

Facts LibraryFacts::take() {
  Facts facts;
  for (const auto& [name, builds] : files_)
    facts[file_subject(name)] = builds.contains(std::string()) ? "" : "build " + joined(builds);
  for (const auto& [subject, texts] : others_)
    facts[subject] = joined(texts);
  if (killed_ > 0)
    facts[{"processes that it ended", FactKind::killed}] = std::to_string(killed_);
  if (unknown_records_ > 0)
    facts[{"records of kinds that this detshim does not know"}] =
        counted(unknown_records_, "record") + ", digest " + std::to_string(unknown_key_);
  return facts;
}

} // namespace detshim
