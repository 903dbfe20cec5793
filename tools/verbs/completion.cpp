// detshim completion: a script for a shell, which asks this command for the words; and how the help
// of verbs ends (help_ends).
#include "common/modes.h"
#include "run/library_file.h"
#include "support/wording.h"
#include "verbs/texts.h"
#include "verbs/verbs.h"
#include "verdict/finding.h"
#include "verify/perturbations.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

namespace detshim {
namespace {

using Words = std::vector<std::string>;

Words shells() {
  Words names;
  for (const auto& [name, script] : completion_scripts)
    names.emplace_back(name);
  return names;
}

Words finding_kinds() {
  std::set<std::string> kinds; // several findings are of one kind
#define DETSHIM_FINDING_KIND(finding, kind, ...) kinds.insert(kind);
  DETSHIM_FINDINGS(DETSHIM_FINDING_KIND)
#undef DETSHIM_FINDING_KIND
  return {kinds.begin(), kinds.end()};
}

/// Libraries, and their functions.
Words hook_names() {
  std::set<std::string> names;
  for (const HookDescription& hook : read_hooks(find_library(std::nullopt))) {
    names.insert(hook.library);
    names.insert(hook.name);
  }
  return {names.begin(), names.end()};
}

Words modes() { return {std::begin(mode_names), std::end(mode_names)}; }
Words policies() { return {std::begin(policy_names), std::end(policy_names)}; }
Words streams() { return {"stdout", "stderr"}; }

/// Where the shell looks.
enum class Place { none, files, folders };

/// What an option or an argument takes, by its name.
struct ValueRow {
  std::string_view name;
  Words (*values)();
  bool is_list = false; ///< with commas
  Place place = Place::none;
};

constexpr ValueRow value_rows[] = {
    {"--mode", modes},
    {"--policy", policies},
    {"--perturb", perturbation_names, true},
    {"--disable", hook_names, true},
    {"--ignore", streams, false, Place::files},
    {"--accept", finding_kinds},
    {"SHELL", shells},
};

/// The same of all that have no row, by the word for the value in the help. Other words mean
/// numbers and texts.
struct PlaceRow {
  std::string_view type;
  Place place;
};

constexpr PlaceRow place_rows[] = {
    {"DIR", Place::folders}, {"LOG", Place::folders}, {"FILE", Place::files},
    {"PATH", Place::files},  {"GLOB", Place::files},  {"PLACE", Place::files},
};

Place place_of_type(std::string_view type) {
  const auto* const row = std::ranges::find(place_rows, type, &PlaceRow::type);
  return row == std::end(place_rows) ? Place::none : row->place;
}

/// "a, 'b' or more": on one line, for a shell that shows it.
std::string in_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

/// Walks through the words before the last, and offers what may stand in its place.
class WordCompletion {
public:
  WordCompletion(const VerbWords& command, const Words& words) : verb_(&command), words_(words) {}

  void print() {
    const std::size_t last = words_.size() - 1;
    for (std::size_t at = 0; at < last; ++at)
      if (!pass(at))
        return offer_command(at);
    offer(words_[last], last);
  }

private:
  /// False where the words of another program begin: at `at`, or behind it for `--`.
  bool pass(std::size_t& at) {
    const std::string& word = words_[at];
    const OptionWords* const before = std::exchange(option_, nullptr);
    if (before != nullptr)
      return true;
    if (word == "--" && verb_->runs_program)
      return ++at, false;
    if (word.starts_with('-'))
      return pass_option(word), true;
    const auto next = std::ranges::find(verb_->verbs, word, &VerbWords::name);
    if (next == verb_->verbs.end())
      return !verb_->runs_program;
    verb_ = &*next;
    return true;
  }

  void pass_option(const std::string& word) {
    const OptionWords* const option = option_called(word);
    if (option != nullptr && option->takes_value && !option->may_lack_value)
      option_ = option;
  }

  const OptionWords* option_called(const std::string& name) const {
    const auto option = std::ranges::find_if(verb_->options, [&name](const OptionWords& known) {
      return std::ranges::find(known.names, name) != known.names.end();
    });
    return option == verb_->options.end() ? nullptr : &*option;
  }

  void offer(const std::string& word, std::size_t at) const {
    const std::size_t equals = word.find('=');
    if (option_ != nullptr)
      return offer_values(*option_, word);
    if (word.starts_with("--") && equals != word.npos) {
      const OptionWords* const option = option_called(word.substr(0, equals));
      return option == nullptr ? void() : offer_values(*option, word.substr(equals + 1));
    }
    for (const OptionWords& option : verb_->options)
      for (const std::string& name : option.names)
        if (name.starts_with("--"))
          offer_word(name, word, option.what);
    for (const VerbWords& verb : verb_->verbs)
      offer_word(verb.name, word, verb.what);
    if (!word.starts_with('-'))
      offer_argument(word, at);
  }

  void offer_argument(const std::string& word, std::size_t at) const {
    if (verb_->runs_program)
      return offer_command(at);
    for (const std::string& argument : verb_->arguments)
      return offer_named(argument, word, Place::files);
  }

  static void offer_values(const OptionWords& option, const std::string& word) {
    const std::string& name = option.names.front();
    offer_named(name, word, place_of_type(option.type));
  }

  /// `otherwise`: for what has no row.
  static void offer_named(const std::string& name, const std::string& word, Place otherwise) {
    const auto* const row = std::ranges::find(value_rows, name, &ValueRow::name);
    if (row == std::end(value_rows))
      return offer_place(otherwise);
    const std::size_t comma = row->is_list ? word.rfind(',') : word.npos;
    const std::string before = comma == word.npos ? "" : word.substr(0, comma + 1);
    for (const std::string& value : row->values())
      offer_word(before + value, word, "");
    offer_place(row->place);
  }

  static void offer_word(const std::string& offered, const std::string& word,
                         const std::string& what) {
    if (offered.starts_with(word))
      std::cout << offered << '\t' << in_one_line(what) << '\n';
  }

  static void offer_place(Place place) {
    if (place != Place::none)
      std::cout << (place == Place::files ? ":files\n" : ":folders\n");
  }

  static void offer_command(std::size_t at) { std::cout << ":command " << at << '\n'; }

  const VerbWords* verb_;
  const OptionWords* option_ = nullptr; ///< whose value is the next word
  const Words& words_;
};

} // namespace

int completion(const std::string& shell) {
  for (const auto& [name, script] : completion_scripts)
    if (shell == name) {
      std::cout << script;
      return done;
    }
  throw UsageError("completion " + in_quotes(shell) + " is not accepted: bash, zsh or fish");
}

int complete_words(const VerbWords& command, const std::vector<std::string>& words) {
  if (!words.empty())
    WordCompletion(command, words).print();
  return done;
}

std::string help_end(const std::string& verb) {
  const std::string head = "\n[" + verb + "]\n";
  const std::size_t at = help_ends.find(head), begin = at + head.size();
  return at == help_ends.npos
             ? ""
             : std::string(help_ends.substr(begin, help_ends.find("\n[", begin) - begin));
}

} // namespace detshim
