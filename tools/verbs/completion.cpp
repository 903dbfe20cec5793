// detshim completion: what a shell needs to complete the command's words, made of the command's own
// description, so that it names what this version has.
#include "verbs/completion.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"

#include <CLI/App.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace detshim {
namespace {

/// A verb, or one behind another (`log diff`).
struct Verb {
  std::string name;
  const CLI::App* app = nullptr;
  bool takes_program = false; ///< behind its options, or behind --
};

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* const option : app.get_options())
    if (!option->get_lnames().empty() || !option->get_snames().empty()) options.push_back(option);
  return options;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// On one line, without what a shell's quotes would end at.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n')
      result += ' ';
    else if (std::string_view("'\"`$\\[]:").find(c) == std::string_view::npos)
      result += c;
  }
  return result;
}

std::vector<Verb> verbs_of(const CLI::App& app, const std::vector<std::string>& that_take_programs) {
  std::vector<Verb> verbs;
  for (const CLI::App* const verb : app.get_subcommands(nullptr))
    verbs.push_back({verb->get_name(), verb, std::ranges::count(that_take_programs, verb->get_name()) > 0});
  return verbs;
}

std::string words_of(const Verb& verb) {
  std::string words;
  for (const CLI::Option* const option : options_of(*verb.app))
    for (const std::string& name : names_of(*option)) words += (words.empty() ? "" : " ") + name;
  for (const CLI::App* const behind : verb.app->get_subcommands(nullptr)) words += " " + behind->get_name();
  return words;
}

void print_bash(std::ostream& out, const std::vector<Verb>& verbs) {
  std::string names, programs;
  for (const Verb& verb : verbs) {
    names += verb.name + " ";
    if (verb.takes_program) programs += (programs.empty() ? "" : "|") + verb.name;
  }
  out << "# bash completion of detshim. Put it into /usr/share/bash-completion/completions/detshim, or "
         "source it.\n"
         "_detshim() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words= at\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
         "    COMPREPLY=($(compgen -W '"
      << names
      << "--help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case $verb in\n"
         "    "
      << programs
      << ")\n"
         "      for ((at = 2; at < COMP_CWORD; ++at)); do\n"
         "        if [ \"${COMP_WORDS[at]}\" = -- ]; then\n"
         "          if declare -F _command_offset >/dev/null; then _command_offset $((at + 1)); return; fi\n"
         "          COMPREPLY=($(compgen -A command -A file -- \"$word\" | sort -u))\n"
         "          return\n"
         "        fi\n"
         "      done ;;\n"
         "  esac\n"
         "  case $verb in\n";
  for (const Verb& verb : verbs) out << "    " << verb.name << ") words='" << words_of(verb) << "' ;;\n";
  out << "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
         "}\n"
         "complete -o filenames -F _detshim detshim\n";
}

void print_zsh(std::ostream& out, const std::vector<Verb>& verbs) {
  out << "#compdef detshim\n"
         "# zsh completion of detshim. Put it as _detshim into a folder of $fpath.\n"
         "_detshim_program() {\n"
         "  [[ $words[1] != -- ]] || { shift words; ((CURRENT--)) }\n"
         "  _normal\n"
         "}\n"
         "_detshim() {\n"
         "  local context state line\n"
         "  _arguments -C '--help[help]' '--version[version]' '1: :->verb' '*:: :->rest'\n"
         "  case $state in\n"
         "  verb)\n"
         "    local -a verbs=(\n";
  for (const Verb& verb : verbs)
    out << "      '" << verb.name << ":" << plain(verb.app->get_description()) << "'\n";
  out << "    )\n"
         "    _describe verb verbs ;;\n"
         "  rest)\n"
         "    case $words[1] in\n";
  for (const Verb& verb : verbs) {
    out << "    " << verb.name << ")\n      _arguments";
    for (const CLI::Option* const option : options_of(*verb.app))
      for (const std::string& name : names_of(*option))
        out << " \\\n        '" << name << "[" << plain(option->get_description()) << "]"
            << (option->get_items_expected_min() > 0 ? ":value:_files'" : "'");
    out << " \\\n        " << (verb.takes_program ? "'*:: :_detshim_program'" : "'*:file:_files'") << " ;;\n";
  }
  out << "    esac ;;\n"
         "  esac\n"
         "}\n"
         "_detshim \"$@\"\n";
}

void print_fish(std::ostream& out, const std::vector<Verb>& verbs) {
  out << "# fish completion of detshim. Put it into ~/.config/fish/completions/detshim.fish.\n"
         "complete -c detshim -n __fish_use_subcommand -l help -d help\n"
         "complete -c detshim -n __fish_use_subcommand -l version -d version\n";
  for (const Verb& verb : verbs) {
    out << "complete -c detshim -n __fish_use_subcommand -f -a " << verb.name << " -d '"
        << plain(verb.app->get_description()) << "'\n";
    for (const CLI::Option* const option : options_of(*verb.app)) {
      out << "complete -c detshim -n '__fish_seen_subcommand_from " << verb.name << "'";
      for (const std::string& name : option->get_snames()) out << " -s " << name;
      for (const std::string& name : option->get_lnames()) out << " -l " << name;
      out << (option->get_items_expected_min() > 0 ? " -r" : "") << " -d '"
          << plain(option->get_description()) << "'\n";
    }
    for (const CLI::App* const behind : verb.app->get_subcommands(nullptr))
      out << "complete -c detshim -n '__fish_seen_subcommand_from " << verb.name << "' -a "
          << behind->get_name() << " -d '" << plain(behind->get_description()) << "'\n";
  }
}

} // namespace

void print_completion(std::ostream& out, const std::string& shell, const CLI::App& app,
                      const std::vector<std::string>& that_take_programs) {
  const std::vector<Verb> verbs = verbs_of(app, that_take_programs);
  if (shell == "bash") return print_bash(out, verbs);
  if (shell == "zsh") return print_zsh(out, verbs);
  if (shell == "fish") return print_fish(out, verbs);
  throw UsageError("completion '" + printable(shell) + "' is not accepted: bash, zsh or fish");
}

} // namespace detshim
