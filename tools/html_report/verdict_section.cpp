#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <string_view>

namespace detshim {
namespace {

/// "under one seed, ..." of "different - under one seed, ...".
std::string behind_the_word(const std::string& text, const std::string& word) {
  const std::string start = word + " - ";
  if (text.starts_with(start)) return text.substr(start.size());
  return text == word ? "" : text;
}

void write_word(HtmlWriter& html, const std::string& word, const std::string& looks,
                const std::string& text) {
  html.open("h1");
  html.element("span", {{"class", "hidden"}}, "Verdict: ");
  html.element("span", {{"class", "word " + looks}}, word);
  html.close();
  if (!text.empty()) html.element("p", {{"class", "lead"}}, text);
}

void write_reason(HtmlWriter& html, const VerdictReason& reason) {
  const std::string subject = subject_of(reason);
  const Element item(html, "li");
  html.element("span", {{"class", std::string("tag ") + level_name(reason.level)}}, level_name(reason.level));
  html.text(" ");
  html.element("b", reason.kind + (subject.empty() ? "" : ":" + subject));
  html.text(" - " + reason.text);
  if (!reason.remedy.empty()) html.element("span", {{"class", "remedy"}}, " Remedy: " + reason.remedy);
}

void write_reasons(HtmlWriter& html, const LogEvidence& evidence) {
  constexpr std::size_t shown = 20;
  const std::vector<VerdictReason>& reasons = evidence.verdict.reasons;
  for (std::size_t begin = 0; begin < reasons.size(); begin += std::min(shown, reasons.size() - begin)) {
    const bool is_folded = begin > 0;
    const std::size_t end = is_folded ? reasons.size() : std::min(shown, reasons.size());
    if (is_folded) {
      html.open("details");
      html.element("summary", counted(end - begin, "more reason"));
    }
    html.open("ul", {{"class", "reasons"}});
    for (std::size_t i = begin; i < end; ++i) write_reason(html, reasons[i]);
    html.close();
    if (!is_folded) continue;
    html.close();
    break;
  }
  for (const Acceptance& acceptance : evidence.verdict.acceptances)
    write_note(html,
               acceptance.reasons > 0
                   ? "Accepted: " + printable(acceptance.name) + ", " + counted(acceptance.reasons, "reason")
                   : "Accepted, but no reason has that name: " + printable(acceptance.name));
  if (evidence.verdict.has_refused)
    write_note(html, "Calls failed on purpose (mode strict): the program did not do what it wanted.");
}

void write_log_facts(HtmlWriter& html, const LogEvidence& evidence) {
  const Log& log = evidence.log;
  const auto with_start =
      std::ranges::find_if(log.processes, [](const Process& process) { return !process.starts.empty(); });
  if (with_start != log.processes.end()) {
    const Start& start = with_start->starts.front();
    write_fact(html, "Program", describe_command(start));
    write_fact(html, "Seed", start.seed.value_or("none"));
    write_fact(html, "Mode", start.mode + ", policy " + start.policy);
    write_fact(html, "Left alone", start.disabled.value_or(""));
    write_fact(html, "Version", "detshim " + start.detshim);
  }
  write_fact(html, "Log", log.folder + (log.run.empty() ? "" : ", run " + log.run));
}

void write_counts(HtmlWriter& html, const LogEvidence& evidence) {
  const Summary& summary = evidence.summary;
  write_fact(html, "Ran as",
             counted(summary.ranks, "rank") + ", " + counted(summary.processes, "process", "processes") +
                 ", " + counted(summary.threads, "thread"));
  const Log& log = evidence.log;
  if (!log.other_runs.empty())
    write_note(html, counted(log.other_runs.size(), "other run") + " in this folder: FOLDER/RUN names one.");
  if (log.is_incomplete())
    write_note(html, "Some of the log could not be read: " + counted(log.damaged_lines, "damaged line") +
                         ", " + counted(log.unreadable_files.size() + log.other_format_files.size(), "file") +
                         " left out.");
}

void write_verification(HtmlWriter& html, const VerifyDocument& document) {
  write_word(html, document.verdict, document.verdict, behind_the_word(document.text, document.verdict));
  {
    const Element facts(html, "dl", {{"class", "facts"}});
    write_fact(html, "Program", command_line(document.command));
    write_fact(html, "Seed", document.seed);
    write_fact(html, "Mode", document.mode);
    write_fact(html, "Kept in", document.folder);
  }
  if (!document.problems.empty()) {
    html.element("h2", {{"id", html.unique_id("problems")}},
                 document.verdict == "unverified" ? "Why this proves too little" : "Problems");
    const Element list(html, "ul", {{"class", "reasons"}});
    for (const VerifyDocument::Problem& problem : document.problems) {
      const Element item(html, "li");
      html.element("b", problem.kind);
      html.text(" - " + problem.text);
    }
  }
  if (!document.bound.empty()) write_note(html, document.bound + ".");
  for (const std::string& note : document.notes) write_note(html, note);
}

} // namespace

void write_verdict(HtmlWriter& html, const ReportSource& source) {
  const Element header(html, "header");
  html.element("p", {{"class", "kicker"}}, source.verification ? "detshim verify" : "detshim log");
  if (source.verification) write_verification(html, *source.verification);
  if (!source.evidence) return;
  const LogEvidence& evidence = *source.evidence;
  const std::string level = level_name(evidence.verdict.level);
  if (!source.verification) {
    write_word(html, level, level, meaning_of(evidence.verdict.level));
    {
      const Element facts(html, "dl", {{"class", "facts"}});
      write_log_facts(html, evidence);
      write_counts(html, evidence);
    }
    write_reasons(html, evidence);
    write_note(html, "One log shows what passed detshim, not what differs: `detshim verify` runs the program "
                     "again and compares.");
    return;
  }
  html.element("h2", {{"id", html.unique_id("log")}}, "The log of the first run: " + level);
  html.element("p", meaning_of(evidence.verdict.level));
  write_reasons(html, evidence);
}

} // namespace detshim
