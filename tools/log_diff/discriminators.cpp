#include "log_diff/discriminators.h"

#include "log_diff/record_roles.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string_view>

namespace detshim {
namespace {

constexpr std::size_t most_functions = 8, most_rows = 64;

std::vector<Field> attributes_of(const Call& call) {
  std::vector<Field> attributes;
  std::ranges::copy_if(call.fields, std::back_inserter(attributes), [&call](const Field& field) {
    // Of a print what it is, not when it came.
    if (call.is_print && field.name != "to" && field.name != "shape" && field.name != "bytes") return false;
    return role_of(call, field.name) == Role::input;
  });
  return attributes;
}

} // namespace

void Discriminators::add_diverging(const Call& call) {
  const std::pair function(call.library, call.function);
  if (!functions_.contains(function) && functions_.size() == most_functions) return;
  auto& rows = functions_[function];
  const std::vector<Field> attributes = attributes_of(call);
  if (rows.contains(attributes) || rows.size() < most_rows) ++rows[attributes].diverging;
}

std::vector<Discriminator> Discriminators::take(const LoggedRun& run) {
  if (functions_.empty()) return {};
  RecordParser parser;
  const auto take_line = [&](std::string_view line) {
    // Of a log of millions of records few are of these functions.
    if (std::ranges::none_of(functions_, [line](const auto& function) {
          return line.find("\"fn\":\"" + function.first.second + "\"") != std::string_view::npos;
        }))
      return;
    const std::optional<Line> read = parser.parse(line);
    const Call* const call = read ? call_or_print(read->record) : nullptr;
    if (call == nullptr || has_unknown_values(*call)) return;
    const auto function = functions_.find({call->library, call->function});
    if (function == functions_.end()) return;
    const std::vector<Field> attributes = attributes_of(*call);
    if (function->second.contains(attributes) || function->second.size() < most_rows)
      ++function->second[attributes].records;
  };
  for (const std::string& name : run.files) {
    const OpenFile file(run.folder + "/" + name);
    LineSplitter splitter;
    if (file) read_lines(file.descriptor(), splitter, take_line);
  }
  std::vector<Discriminator> result;
  for (const auto& [function, rows] : functions_) {
    Discriminator one{function.first, function.second, {}};
    for (const auto& [attributes, counts] : rows) one.rows.push_back({attributes, counts});
    std::ranges::stable_sort(one.rows, std::ranges::greater(),
                             [](const auto& row) { return row.counts.diverging; });
    result.push_back(std::move(one));
  }
  return result;
}

} // namespace detshim
