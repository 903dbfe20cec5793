// The document of an environment: what is written is read again with its kinds and states, and one
// of the first schema with the same.
#include "environment/environment_difference.h"
#include "environment/kept_environments.h"
#include "run.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "verbs/environments.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace {

using namespace detshim;
using enum EnvironmentSection;

constexpr const char* first_document = DETSHIM_ENVIRONMENT_DATA "/schema_1.json";

class EnvironmentSchema : public testing::Test {
protected:
  detshim::Environment written_and_read(const detshim::Environment& environment) const {
    return read(environment_json(environment));
  }

  detshim::Environment read(const std::string& text) const {
    const std::string file = scratch_.path() / "environment.json";
    std::ofstream(file) << text;
    return read_environment_file(file);
  }

  TemporaryFolder scratch_;
};

std::optional<ValueState> state_in(const detshim::Environment& environment,
                                   EnvironmentSection section, const Subject& subject) {
  const auto& values = environment.of(section).values;
  const auto found = values.find(subject);
  return found == values.end() ? std::nullopt : std::optional(found->second.state);
}

// Names that read like another kind, or like all of one.
TEST_F(EnvironmentSchema, KeepsKindsAndStates) {
  detshim::Environment environment;
  for (std::size_t kind = 0; kind < subject_kind_words.size(); ++kind)
    for (const char* name : {"", "*", "a *", "file a", "python", "limit of", "\xC3\xA4", "a: b"})
      environment.of(code).set_fact({static_cast<SubjectKind>(kind), name}, name);
  environment.of(others).values["hidden"] = {ValueState::hidden, ""};
  environment.of(others).values["of no run"] = {ValueState::of_no_run, ""};
  environment.of(others).set_unknown(whole_section, "nobody looked");
  environment.of(others).set_unknown({SubjectKind::file, ""}, "set; it may be a secret");
  const detshim::Environment again = written_and_read(environment);
  for (std::size_t section = 0; section < environment_sections; ++section) {
    const auto& before = environment.sections[section].values;
    const auto& after = again.sections[section].values;
    ASSERT_EQ(after.size(), before.size());
    for (const auto& [subject, value] : before) {
      ASSERT_TRUE(after.contains(subject)) << subject_text(subject);
      EXPECT_EQ(after.at(subject).state, value.state) << subject_text(subject);
      EXPECT_EQ(after.at(subject).text, value.text) << subject_text(subject);
    }
  }
}

TEST_F(EnvironmentSchema, RefusesAKindAndAStateThatItDoesNotKnow) {
  detshim::Environment environment;
  environment.of(code).set_fact({SubjectKind::link, "a"}, "leads to b");
  const std::string whole = environment_json(environment);
  for (const std::string word : {"\"link\"", "\"known\"", "\"schema_version\": 2"}) {
    std::string other = whole;
    other.replace(other.find(word), word.size(),
                  word.back() == '"' ? "\"new\"" : "\"schema_version\": 3");
    ASSERT_NE(other, whole) << word;
    EXPECT_THROW(read(other), UsageError) << word;
  }
}

// It was written by detshim as it was before schema 2.
TEST_F(EnvironmentSchema, ReadsTheFirst) {
  const detshim::Environment old = read_environment_file(first_document);
  using Kind = SubjectKind;
  using State = ValueState;
  EXPECT_EQ(state_in(old, settings, {Kind::variable, "HF_TOKEN"}), State::hidden);
  EXPECT_EQ(state_in(old, code, "program"), State::of_no_run);
  EXPECT_EQ(state_in(old, libraries, whole_section), State::of_no_run);
  EXPECT_EQ(state_in(old, packages, {Kind::debian, ""}), State::of_no_run);
  EXPECT_EQ(state_in(old, versions, {Kind::python, "broken-1"}), State::unknown);
  EXPECT_EQ(state_in(old, versions, {Kind::python, "foo"}), State::known);
  EXPECT_EQ(state_in(old, versions, {Kind::start_file, "paths.pth"}), State::known);
  EXPECT_EQ(state_in(old, versions, {Kind::conda, "mkl"}), State::known);
  EXPECT_EQ(state_in(old, code, {Kind::git, "untracked files"}), State::known);
  EXPECT_EQ(state_in(old, session, {Kind::limit, "stack size"}), State::known);
  EXPECT_EQ(state_in(old, machine, "kernel"), State::known);
  EXPECT_EQ(old.of(versions).fact_text({Kind::python, "foo"}), "1");
  EXPECT_EQ(old.place("python folders"), old.of(versions).fact_text("python's folders") + "\n");
  const EnvironmentComparison found = compare_environments(old, written_and_read(old));
  EXPECT_TRUE(found.differences.empty());
  EXPECT_EQ(found.unknown.size(), 1U) << "the distribution that is broken";
  EXPECT_EQ(found.hidden.size(), 1U) << "the token";
}

// Of the first schema, texts that mean all of a kind.
TEST_F(EnvironmentSchema, ReadsTheFirstsPatterns) {
  const std::string whole = read_file(first_document);
  using Kind = SubjectKind;
  const std::pair<const char*, Subject> patterns[] = {{"python *", {Kind::python, ""}},
                                                      {"conda packages", {Kind::conda, ""}},
                                                      {"python broken*", {Kind::python, "broken*"}},
                                                      {"", whole_section}};
  for (const auto& [text, subject] : patterns) {
    std::string document = whole;
    const std::string known = "python broken-1";
    document.replace(document.find(known), known.size(), text);
    EXPECT_EQ(state_in(read(document), versions, subject), ValueState::unknown) << text;
  }
}

// By its name such a file is no pattern.
TEST_F(EnvironmentSchema, DoesNotTakeANameForAllThatBeginSo) {
  detshim::Environment a, b;
  a.of(code).set_unknown({SubjectKind::file, "data*"}, "it cannot be read");
  b.of(code).set_unknown({SubjectKind::file, "data*"}, "it cannot be read");
  b.of(code).set_fact({SubjectKind::file, "data.csv"}, "contents 1");
  const EnvironmentComparison found = compare_environments(a, b);
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].subject.name, "data.csv");
  a.of(code).set_unknown({SubjectKind::file, ""}, "the list is cut");
  EXPECT_TRUE(compare_environments(a, b).differences.empty());
}

// What two runs have of one subject, by state.
TEST_F(EnvironmentSchema, ComparesStates) {
  const auto compared = [](const Value& in_a, const Value& in_b) {
    detshim::Environment a, b;
    a.of(settings).values["subject"] = in_a;
    b.of(settings).values["subject"] = in_b;
    const EnvironmentComparison found = compare_environments(a, b);
    return std::array{found.same, found.differences.size(), found.hidden.size(),
                      found.unknown.size()};
  };
  const Value one = {ValueState::known, "1"}, hidden = {ValueState::hidden, ""};
  const Value unknown = {ValueState::unknown, "why"}, of_no_run = {ValueState::of_no_run, ""};
  using Counts = std::array<std::size_t, 4>;
  EXPECT_EQ(compared(one, one), (Counts{1, 0, 0, 0}));
  EXPECT_EQ(compared(one, {ValueState::known, "2"}), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(compared(hidden, hidden), (Counts{0, 0, 1, 0}));
  EXPECT_EQ(compared(one, hidden), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(compared(one, {ValueState::known, value_text(hidden)}), (Counts{0, 1, 0, 0}));
  EXPECT_EQ(compared(hidden, {ValueState::known, value_text(hidden)}), (Counts{0, 1, 0, 0}))
      << "a value that reads like the state is none";
  EXPECT_EQ(compared(unknown, unknown), (Counts{0, 0, 0, 1}));
  EXPECT_EQ(compared(one, unknown), (Counts{0, 0, 0, 1}));
  EXPECT_EQ(compared(of_no_run, of_no_run), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(compared(one, of_no_run), (Counts{0, 0, 0, 1}));
  EXPECT_EQ(compared(of_no_run, {ValueState::unknown, value_text(of_no_run)}),
            (Counts{0, 0, 0, 1}));
}

// The machine's name stands apart from what differs on it.
TEST(EnvironmentHosts, DoNotHideThatProcessorsDiffer) {
  EnvironmentComparison found;
  found.differences.push_back({machine, "model name", "old", "new", "node1, "});
  std::ostringstream text;
  print_comparison(text, found, {});
  EXPECT_NE(text.str().find("node1, model name"), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("DETSHIM_PORTABLE=1"), std::string::npos) << text.str();
}

/// What a section has of a subject: nothing, a value, or all of its kind or of the section.
struct SideOfSubject {
  const char* name;
  std::optional<Subject> subject;
  Value value;
};

/// By both sides: how many differences, what is unknown, hidden, and the same.
TEST(EnvironmentComparisons, OfASubjectAreByBothSides) {
  const Subject subject = {SubjectKind::file, "a"};
  const Subject all_files = {SubjectKind::file, ""};
  using enum ValueState;
  const SideOfSubject sides[] = {
      {"absent", std::nullopt, {}},
      {"x", subject, {known, "x"}},
      {"y", subject, {known, "y"}},
      {"hidden", subject, {hidden, ""}},
      {"unknown", subject, {unknown, "why"}},
      {"of no run", subject, {of_no_run, ""}},
      {"no file is known", all_files, {unknown, "why"}},
      {"nothing is known", whole_section, {unknown, "why"}},
      {"all of no run", whole_section, {of_no_run, ""}},
  };
  constexpr const char *none = "0 0 0 0", *differ = "1 0 0 0", *not_known = "0 1 0 0",
                       *both_hidden = "0 0 1 0", *same = "0 0 0 1", *two_unknown = "0 2 0 0";
  const char* const expected[std::size(sides)][std::size(sides)] = {
      {none, differ, differ, differ, not_known, not_known, not_known, not_known, not_known},
      {differ, same, differ, differ, not_known, not_known, not_known, not_known, not_known},
      {differ, differ, same, differ, not_known, not_known, not_known, not_known, not_known},
      {differ, differ, differ, both_hidden, not_known, not_known, not_known, not_known, not_known},
      {not_known, not_known, not_known, not_known, not_known, not_known, two_unknown, two_unknown,
       two_unknown},
      {not_known, not_known, not_known, not_known, not_known, none, two_unknown, two_unknown,
       not_known},
      {not_known, not_known, not_known, not_known, two_unknown, two_unknown, not_known, two_unknown,
       two_unknown},
      {not_known, not_known, not_known, not_known, two_unknown, two_unknown, two_unknown, not_known,
       not_known},
      {not_known, not_known, not_known, not_known, two_unknown, not_known, two_unknown, not_known,
       none},
  };
  for (std::size_t i = 0; i < std::size(sides); ++i)
    for (std::size_t j = 0; j < std::size(sides); ++j) {
      detshim::Environment a, b;
      if (sides[i].subject)
        a.of(machine).values[*sides[i].subject] = sides[i].value;
      if (sides[j].subject)
        b.of(machine).values[*sides[j].subject] = sides[j].value;
      const EnvironmentComparison found = compare_environments(a, b);
      std::ostringstream counts;
      counts << found.differences.size() << ' ' << found.unknown.size() << ' '
             << found.hidden.size() << ' ' << found.same;
      EXPECT_EQ(counts.str(), expected[i][j]) << sides[i].name << " and " << sides[j].name;
    }
}

// Of two equal texts in which a word is hidden, that word is not known to be the same.
TEST(EnvironmentComparisons, OfHiddenWordsSayIt) {
  detshim::Environment a;
  a.of(code).set_fact("arguments", std::string("train ") + hidden_argument);
  const EnvironmentComparison found = compare_environments(a, a);
  EXPECT_EQ(found.same, 1U);
  ASSERT_EQ(found.hidden.size(), 1U);
  EXPECT_FALSE(found.hidden[0].is_whole);
}

/// Which of the kept files are of a run, by the runs and hosts that they hold.
TEST_F(EnvironmentSchema, IsFoundByItsRunAndHost) {
  const auto keep = [&](const std::string& name, const std::string& run, const std::string& host) {
    detshim::Environment environment;
    environment.run = run;
    environment.host = host;
    std::ofstream(scratch_.path() / name) << environment_json(environment);
  };
  const auto kept = [&](const std::string& run) {
    std::string found;
    for (const KeptEnvironment& one : kept_environments(scratch_.path(), run).all)
      found += one.environment.run + '/' + one.environment.host + ' ';
    return found;
  };
  const auto place = [&](const std::string& run, const std::string& host) {
    detshim::Environment environment;
    environment.run = run;
    environment.host = host;
    return std::filesystem::path(place_to_keep(scratch_.path(), environment)).filename().string();
  };
  EXPECT_EQ(kept(""), "");
  EXPECT_EQ(place("r1", "h"), "environment.json");
  keep("environment.json", "r1", "h");
  EXPECT_EQ(kept(""), "r1/h ");
  EXPECT_EQ(kept("r1"), "r1/h ");
  EXPECT_EQ(kept("r2"), "");
  EXPECT_EQ(place("r1", "h"), "environment.json");
  EXPECT_EQ(place("r1", "a"), "environment.r1.a.json");
  EXPECT_EQ(place("r2", "a/b"), "environment.r2.a_b.json");
  keep("environment.r1.a.json", "r1", "a");
  EXPECT_EQ(kept("r1"), "r1/a r1/h ") << "by host";
  EXPECT_EQ(place("r1", "a"), "environment.r1.a.json");
  keep("environment.r2.h.json", "r2", "h");
  EXPECT_EQ(kept(""), "r2/h ") << "of the newest run";
  EXPECT_EQ(kept("r1"), "r1/a r1/h ");
  keep("environment.r2.z.json", "r1", "z"); // of another run than its name says
  EXPECT_EQ(kept("r2"), "r2/h ");
  keep("my.environment.r2.h.json", "r2", "x");
  keep("environment.r2.x.txt", "r2", "x");
  EXPECT_EQ(kept("r2"), "r2/h ") << "no names of environments";
  std::filesystem::create_symlink("environment.r2.h.json",
                                  scratch_.path() / "environment.r2.link.json");
  EXPECT_EQ(kept("r2"), "r2/h ");
  EXPECT_EQ(kept_environments(scratch_.path(), "r2").problems.size(), 1U) << "it is a link";
}

} // namespace
