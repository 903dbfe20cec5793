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
#include <optional>
#include <sstream>

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

} // namespace
