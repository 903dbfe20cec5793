// Parallel Thread Execution ISA 9.0. A statement ends with a semicolon; labels and braces stand
// alone.
#include "gpu_code/ptx.h"

#include "support/wording.h"

#include <algorithm>
#include <map>
#include <optional>

namespace detshim {
namespace {

/// A colon is one too: labels' are taken away before, and the others are pairs (shared::cta).
bool is_name_character(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' ||
         character == '$' || character == '%' || character == '.' || character == ':';
}

/// The names and numbers of a statement, and each other character that is no space.
std::vector<std::string_view> tokens_of(std::string_view statement) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < statement.size();) {
    std::size_t end = at;
    while (end < statement.size() && is_name_character(statement[end]))
      ++end;
    if (end == at)
      ++end;
    if (std::isspace(static_cast<unsigned char>(statement[at])) == 0)
      tokens.push_back(statement.substr(at, end - at));
    at = end;
  }
  return tokens;
}

bool is_float_type(std::string_view part) {
  return is_any_of(part, {"f16", "f16x2", "bf16", "bf16x2", "f32", "f64"});
}

/// A comment is a space; carriage returns end lines as newlines do.
std::string without_comments(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at, 2);
    if (rest == "//" || rest == "/*") {
      const std::size_t end = text.find(rest == "//" ? "\n" : "*/", at + 2);
      if (end == std::string_view::npos)
        break;
      at = rest == "//" ? end - 1 : end + 1;
      result += ' ';
    } else {
      result += text[at] == '\r' ? '\n' : text[at];
    }
  }
  return result;
}

/// What is read may be another thing in each run.
std::optional<GpuEffect> effect_of_register(std::string_view name) {
  if (starts_with_any_of(name, {"%clock", "%globaltimer", "%pm"}))
    return GpuEffect::clock;
  if (is_any_of(name, {"%smid", "%warpid"}))
    return GpuEffect::place;
  return {};
}

/// The parts of an instruction's name: "atom", "global", "add", "f32".
class NameParts {
public:
  explicit NameParts(const std::string& name) : parts_(split(name, '.')) {}

  const std::string& first() const { return parts_[0]; }
  bool has(const char* part) const { return std::ranges::find(parts_, part) != parts_.end(); }
  bool has_any_of(std::initializer_list<const char*> wanted) const {
    return std::ranges::any_of(wanted, [this](const char* part) {
      return has(part);
    });
  }
  bool is_of_floats() const { return std::ranges::any_of(parts_, is_float_type); }
  bool adds_floats() const { return has("add") && is_of_floats(); }

private:
  std::vector<std::string> parts_;
};

/// A load that sees what others write while the kernel runs.
bool is_shared_load(const NameParts& parts) {
  return parts.first() == "ld" && !parts.has_any_of({"shared", "local"}) &&
         parts.has_any_of({"volatile", "mmio", "gpu", "sys", "cluster", "cv", "cg"});
}

GpuEffect effect_of_switch(const NameParts& parts) {
  return parts.adds_floats() ? GpuEffect::switch_sum : GpuEffect::order_free;
}

/// The type is the tensor's, which the host says.
GpuEffect effect_of_tensor(const NameParts& parts) {
  return parts.has("add") ? GpuEffect::tensor_sum : GpuEffect::order_free;
}

GpuEffect effect_of_atomic(const NameParts& parts) {
  if (parts.adds_floats())
    return GpuEffect::adds_floats;
  if (parts.has("cas"))
    return GpuEffect::swaps;
  return parts.has("exch") ? GpuEffect::exchanges : GpuEffect::order_free;
}

/// Instructions whose effect on others is noted, by how their names begin, dots included; the first
/// row counts.
struct PtxRow {
  std::string_view beginning;
  GpuEffect (*effect)(const NameParts& parts);
};

constexpr PtxRow ptx_rows[] = {
    {"multimem.ld_reduce.", effect_of_switch},
    {"cp.reduce.async.bulk.tensor.", effect_of_tensor},
    {"cp.reduce.", effect_of_atomic},
    {"multimem.red.", effect_of_atomic},
    {"atom.", effect_of_atomic},
    {"red.", effect_of_atomic},
    {"sured.", effect_of_atomic},
};

/// Nothing for an instruction that others do not notice.
std::optional<GpuEffect> effect_of_instruction(const std::string& name, const NameParts& parts) {
  if (is_shared_load(parts))
    return GpuEffect::shared_read;
  for (const PtxRow& row : ptx_rows)
    if ((name + '.').starts_with(row.beginning))
      return row.effect(parts);
  return {};
}

class PtxReader {
public:
  explicit PtxReader(std::string_view text) : text_(without_comments(text)) {}

  ArchitectureCode read() {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char character = text_[at];
      if (character == ':' && is_label(at)) {
        begin = at + 1;
        statement_.clear();
      } else if (is_end(character, std::string_view(text_).substr(begin, at - begin))) {
        statement_ += std::string_view(text_).substr(begin, at - begin);
        begin = at + 1;
        end_statement(character);
        statement_.clear();
      }
    }
    resolve_calls();
    resolve_files();
    return std::move(result_);
  }

private:
  struct OldValue {
    std::size_t note;
    std::string name; ///< the register's
  };

  bool is_label(std::size_t at) const {
    return text_[at - (at > 0 ? 1 : 0)] != ':' && text_[std::min(at + 1, text_.size() - 1)] != ':';
  }

  /// True if a statement ends there. In one that has begun, braces hold a vector's registers.
  bool is_end(char character, std::string_view rest) {
    if (character == '\n')
      return is_line_of_its_own(rest);
    if (character != '{' && character != '}')
      return character == ';';
    constexpr const char* spaces = " \t\r\n";
    return !is_in_function_ || (statement_.find_first_not_of(spaces) == std::string::npos &&
                                rest.find_first_not_of(spaces) == std::string_view::npos);
  }

  /// .version, .target, .file and .loc have no semicolon. What is before `rest` is another
  /// statement's.
  bool is_line_of_its_own(std::string_view rest) {
    constexpr const char* spaces = " \t\r\n";
    if (statement_.find_first_not_of(spaces) != std::string::npos)
      return false;
    statement_.clear();
    rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
    return starts_with_any_of(rest, {".version", ".target", ".address_size", ".file", ".loc"});
  }

  void end_statement(char by) {
    const std::vector<std::string_view> tokens = tokens_of(statement_);
    if (by == '{') {
      if (depth_ == 0)
        read_directive(tokens);
      if (depth_++ == 0)
        begin_function(tokens);
      return;
    }
    if (by == '}') {
      if (--depth_ <= 0)
        end_function();
      return;
    }
    if (tokens.empty())
      return;
    if (depth_ <= 0)
      read_directive(tokens);
    else
      read_instruction(tokens);
  }

  void read_directive(const std::vector<std::string_view>& tokens) {
    if (const auto target = std::ranges::find(tokens, ".target"); tokens.end() - target > 1)
      result_.architecture =
          "compute_" + std::string(target[1].substr(std::min<std::size_t>(3, target[1].size())));
    if (!tokens.empty() && tokens[0] == ".file")
      read_file(tokens);
  }

  /// .file 1 "/path/reduce.cu"
  void read_file(const std::vector<std::string_view>& tokens) {
    const std::size_t open = statement_.find('"'), close = statement_.rfind('"');
    const auto number = tokens.size() > 1 ? number_in<unsigned>(tokens[1]) : std::nullopt;
    if (number && open < close)
      files_[*number] = base_name(statement_.substr(open + 1, close - open - 1));
  }

  void begin_function(const std::vector<std::string_view>& tokens) {
    const auto kind = std::ranges::find_if(tokens, [](std::string_view token) {
      return token == ".entry" || token == ".func";
    });
    if (kind == tokens.end())
      return; // a list of initial values
    CodeFunction& function = result_.functions.emplace_back();
    function.is_kernel = *kind == ".entry";
    auto name = kind + 1;
    if (name != tokens.end() && *name == "(") // what it returns
      name = std::min(std::find(name, tokens.end(), ")") + 1, tokens.end());
    if (name < tokens.end())
      function.name = *name;
    is_in_function_ = true;
    place_ = {};
  }

  /// An atomic in PTX always has a register for the old value. It is used if another statement
  /// names it.
  void end_function() {
    depth_ = 0;
    if (!is_in_function_)
      return;
    is_in_function_ = false;
    CodeFunction& function = result_.functions.back();
    for (const OldValue& old : old_values_)
      if (uses_[old.name] > 1)
        function.notes[old.note].effect = GpuEffect::old_value_used;
    old_values_.clear();
    uses_.clear();
  }

  void read_instruction(std::vector<std::string_view> tokens) {
    if (tokens[0] == ".file")
      return read_file(tokens);
    if (tokens[0] == ".loc")
      return read_place(std::move(tokens));
    if (!is_in_function_)
      return;
    remove_guard(tokens);
    if (tokens.empty())
      return;
    note_registers(tokens);
    const std::string name = name_in(tokens);
    const NameParts parts(name);
    if (parts.first() == "call")
      return read_call(tokens);
    if (const auto effect = effect_of_instruction(name, parts)) {
      add(*effect, name);
      note_old_value(parts, tokens);
    }
  }

  /// @%p1, @!%p1
  static void remove_guard(std::vector<std::string_view>& tokens) {
    if (tokens[0] != "@")
      return;
    const std::ptrdiff_t guard = tokens.size() > 1 && tokens[1] == "!" ? 3 : 2;
    tokens.erase(tokens.begin(), tokens.begin() + std::min(guard, std::ssize(tokens)));
  }

  void note_registers(const std::vector<std::string_view>& tokens) {
    for (const std::string_view token : tokens) {
      if (token.starts_with('%'))
        ++uses_[std::string(token)];
      if (const auto effect = effect_of_register(token))
        add(*effect, std::string(token));
    }
  }

  /// With the parts that stand apart.
  static std::string name_in(const std::vector<std::string_view>& tokens) {
    std::string name(tokens[0]);
    for (std::size_t i = 1; i < tokens.size() && tokens[i].starts_with('.'); ++i)
      name += tokens[i];
    return name;
  }

  /// Of an atomic that leaves the same whatever the order was, what it found may differ.
  void note_old_value(const NameParts& parts, const std::vector<std::string_view>& tokens) {
    const std::vector<GpuNote>& notes = result_.functions.back().notes;
    if (parts.first() == "atom" && tokens.size() > 1 &&
        notes.back().effect == GpuEffect::order_free)
      old_values_.push_back({notes.size() - 1, std::string(tokens[1])});
  }

  /// call.uni (result), function, (arguments): by a register where the function is not known.
  void read_call(const std::vector<std::string_view>& tokens) {
    auto name = tokens.begin() + 1;
    if (name != tokens.end() && *name == "(") {
      name = std::find(name, tokens.end(), ")");
      while (name != tokens.end() && (*name == ")" || *name == ","))
        ++name;
    }
    if (name == tokens.end())
      return;
    calls_.push_back({result_.functions.size() - 1, std::string(*name), statement_place()});
  }

  /// .loc 1 41 3[, function_name NAME[+N], inlined_at 2 9 5], and on the same line perhaps a
  /// statement.
  void read_place(std::vector<std::string_view> tokens) {
    auto end = tokens.begin() + std::min<std::ptrdiff_t>(4, std::ssize(tokens));
    if (const auto into = std::ranges::find(tokens, "inlined_at"); into != tokens.end())
      end = into + std::min<std::ptrdiff_t>(4, tokens.end() - into);
    if (end != tokens.end())
      read_instruction({end, tokens.end()});
    tokens.erase(end, tokens.end());
    if (tokens.size() < 3)
      return;
    const auto file = number_in<unsigned>(tokens[1]), line = number_in<unsigned>(tokens[2]);
    if (!file || !line)
      return;
    // What was inlined comes with the place that it was inlined into: the user's line is that.
    const auto into = std::ranges::find(tokens, "inlined_at");
    if (into != tokens.end() && tokens.end() - into > 2) {
      const auto outer_file = number_in<unsigned>(into[1]),
                 outer_line = number_in<unsigned>(into[2]);
      if (outer_file && outer_line) {
        place_.file = std::to_string(*outer_file);
        place_.line = *outer_line;
        return;
      }
    }
    place_.file = std::to_string(*file);
    place_.line = *line;
  }

  SourcePlace statement_place() const {
    SourcePlace place = place_;
    place.function = result_.functions.back().name;
    return place;
  }

  void add(GpuEffect effect, std::string instruction) {
    result_.functions.back().notes.push_back(
        {effect, std::move(instruction), 0, statement_place()});
  }

  /// Which file a number represents is said at the end of the text.
  void resolve_files() {
    for (CodeFunction& function : result_.functions)
      for (GpuNote& note : function.notes)
        if (const auto number = number_in<unsigned>(note.place.file))
          note.place.file = files_[*number];
  }

  void resolve_calls() {
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < result_.functions.size(); ++i)
      by_name[result_.functions[i].name] = i;
    for (const Call& call : calls_) {
      CodeFunction& from = result_.functions[call.from];
      if (const auto to = by_name.find(call.to); to != by_name.end())
        from.calls.push_back(to->second);
      else if (!is_of_driver(call.to))
        from.notes.push_back(
            {GpuEffect::unknown_call, call.to.starts_with('%') ? "" : call.to, 0, call.place});
    }
  }

  struct Call {
    std::size_t from;
    std::string to;
    SourcePlace place;
  };

  std::string text_;
  std::string statement_;
  int depth_ = 0;
  bool is_in_function_ = false;
  ArchitectureCode result_;
  std::map<unsigned, std::string> files_;
  SourcePlace place_;
  std::vector<OldValue> old_values_;
  std::map<std::string, std::size_t> uses_;
  std::vector<Call> calls_;
};

} // namespace

ArchitectureCode read_ptx(std::string_view text) { return PtxReader(text).read(); }

} // namespace detshim
