#include "html_report/html_report.h"

#include "html_report/html_writer.h"
#include "html_report/report_sections.h"
#include "html_report/section_parts.h"
#include "html_report/style_sheet.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace detshim {
namespace {

struct SectionEntry {
  const char *id, *title;
  void (*write)(HtmlWriter&, const ReportSource&);
};

constexpr SectionEntry entries[] = {
    {"first-cause", "First cause", write_first_cause},
    {"metrics", "Metrics", write_metrics},
    {"comparison", "Runs", write_comparison},
    {"discriminators", "Discriminators", write_discriminators},
    {"calls", "Calls", write_calls},
    {"coverage", "Coverage", write_coverage},
    {"processes", "Processes", write_processes},
};

std::string title_of(const ReportSource& source) {
  constexpr std::size_t longest = 80;
  std::string verdict, command;
  if (source.verification) {
    verdict = source.verification->verdict;
    command = command_line(source.verification->command);
  } else {
    verdict = level_name(source.evidence->verdict.level);
    for (const Process& process : source.evidence->log.processes)
      if (command.empty() && !process.starts.empty()) command = describe_command(process.starts.front());
  }
  return verdict + ": " + cut(command, longest) + " - detshim report";
}

void write_head(HtmlWriter& html, const ReportSource& source) {
  const Element head(html, "head");
  html.empty("meta", {{"charset", "utf-8"}});
  // No script, no picture, no request: what slipped through the escapes could still do nothing.
  html.empty(
      "meta",
      {{"http-equiv", "Content-Security-Policy"},
       {"content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}});
  html.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.empty("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  html.element("title", title_of(source));
  html.style_sheet(style_sheet);
}

/// The sections that have something to say, written beforehand: the list of them stands above.
struct Sections {
  std::vector<const SectionEntry*> entries;
  std::string html;
};

Sections write_sections(const ReportSource& source) {
  Sections sections;
  std::ostringstream text;
  HtmlWriter html(text);
  write_verdict(html, source);
  for (const SectionEntry& entry : entries) {
    const auto before = text.tellp();
    entry.write(html, source);
    if (text.tellp() != before) sections.entries.push_back(&entry);
  }
  sections.html = std::move(text).str();
  return sections;
}

} // namespace

void write_html_report(std::ostream& out, const ReportSource& source) {
  const Sections sections = write_sections(source);
  HtmlWriter html(out);
  html.doctype();
  const Element page(html, "html", {{"lang", "en"}});
  write_head(html, source);
  const Element body(html, "body");
  html.element("a", {{"class", "skip"}, {"href", "#content"}}, "Skip to the verdict");
  {
    const Element list(html, "nav", {{"aria-label", "Sections"}});
    const Element links(html, "ul");
    for (const SectionEntry* const entry : sections.entries) {
      const Element item(html, "li");
      html.element("a", {{"href", std::string("#") + entry->id}}, entry->title);
    }
  }
  const Element content(html, "main", {{"id", "content"}});
  out << sections.html;
}

} // namespace detshim
