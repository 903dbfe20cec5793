#include "verify/heap_file.h"

#include "log_reader/record.h"
#include "log_reader/source_lines.h"
#include "report/log_report.h"
#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <unordered_set>

namespace detshim {
namespace {

HeapSearch read_head(std::ifstream& in, const std::filesystem::path& file) {
  HeapSearch head = {};
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != is_heap_search)
    throw UsageError("cannot read " + in_quotes(file.string()));
  return head;
}

bool is_of(const char* library, const std::string& frame) { return base_name(frame).starts_with(library); }

/// Leaves what says something: libc begins a program and a thread, and `new` calls malloc.
void drop_machinery(Call& call) {
  while (!call.frames.empty() && is_of("libc.so", call.frames.back())) call.frames.pop_back();
  const auto is_of_new = [](const std::string& frame) {
    return is_of("libstdc++.so", frame) || is_of("libc++", frame);
  };
  if (call.frames.empty() || !is_of_new(call.at) || is_of_new(call.frames.front())) return;
  call.at = call.frames.front();
  call.frames.erase(call.frames.begin());
}

} // namespace

void write_heap_file(const std::filesystem::path& file, const HeapChoice& choice) {
  HeapSearch head = {};
  head.magic = is_heap_search;
  head.change = choice.change;
  head.sites_are = choice.sites_are;
  head.first = choice.first;
  head.last = choice.last;
  std::vector<std::uint64_t> chosen = choice.chosen;
  std::ranges::sort(chosen);
  head.chosen = chosen.size();
  head.refined = choice.refined;
  head.distance = choice.distance;
  head.mask = choice.mask;
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(&head), sizeof head);
  out.seekp(heap_chosen_at);
  out.write(reinterpret_cast<const char*>(chosen.data()),
            static_cast<std::streamsize>(chosen.size() * sizeof(std::uint64_t)));
  out.close();
  std::error_code error;
  if (out)
    std::filesystem::resize_file(file, heap_search_size, error);
  else
    error = std::error_code(errno != 0 ? errno : EIO, std::generic_category());
  if (error) throw UsageError("cannot write " + in_quotes(file.string()) + ": " + error.message());
}

HeapAnswer read_heap_answer(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const HeapSearch head = read_head(in, file);
  HeapAnswer answer{head.processes, head.foreign, head.longest, head.changed, head.unmoved, 0, {}};
  answer.sites.resize(std::min<std::uint64_t>(head.sites, most_heap_sites));
  answer.unlisted = head.unlisted + (head.sites - answer.sites.size());
  in.seekg(heap_sites_at);
  in.read(reinterpret_cast<char*>(answer.sites.data()),
          static_cast<std::streamsize>(answer.sites.size() * sizeof(std::uint64_t)));
  if (!in) throw UsageError("cannot read " + in_quotes(file.string()));
  std::unordered_set<std::uint64_t> seen = {0}; // a process that was killed may have left a hole
  std::erase_if(answer.sites, [&](std::uint64_t name) { return !seen.insert(name).second; });
  return answer;
}

std::vector<HeapSite> read_heap_sites(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const HeapSearch head = read_head(in, file);
  std::string texts(std::min<std::uint64_t>(head.text_length, heap_texts_size), '\0');
  in.seekg(heap_texts_at);
  in.read(texts.data(), static_cast<std::streamsize>(texts.size()));
  std::vector<HeapSite> sites;
  RecordParser parser;
  SourceLines source_lines;
  for (const std::string& line : split(texts, '\n')) {
    HeapSite site;
    const char* const end = line.data() + line.size();
    const auto name = std::from_chars(line.data(), end, site.name, 16);
    const auto size = std::from_chars(std::min(name.ptr + 1, end), end, site.size);
    const std::size_t record = line.find('{');
    if (name.ec != std::errc() || size.ec != std::errc() || record == std::string::npos) continue;
    const auto parsed = parser.parse(std::string_view(line).substr(record));
    const Call* const call = parsed ? std::get_if<Call>(&parsed->record) : nullptr;
    if (call == nullptr) continue;
    Call described = *call;
    drop_machinery(described);
    site.place = describe_call_site(described.at, described.frames, described.python, source_lines);
    sites.push_back(std::move(site));
  }
  return sites;
}

} // namespace detshim
