#define PCRE2_CODE_UNIT_WIDTH 8
#include "verify/pattern.h"

#include "support/exit_status.h"
#include "support/wording.h"

#include <pcre2.h>

namespace detshim {

struct Pattern::Code {
  explicit Code(pcre2_code* its_code)
      : code(its_code), match(pcre2_match_data_create_from_pattern(its_code, nullptr)) {}
  ~Code() {
    pcre2_match_data_free(match);
    pcre2_code_free(code);
  }
  Code& operator=(Code&&) = delete; // neither copied nor moved

  pcre2_code* code;
  pcre2_match_data* match;
};

Pattern::Pattern(const std::string& text, const char* option) : text_(text) {
  int error = 0;
  PCRE2_SIZE at = 0;
  pcre2_code* const code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                         PCRE2_NEVER_BACKSLASH_C, &error, &at, nullptr);
  if (code == nullptr) {
    PCRE2_UCHAR message[256] = {};
    pcre2_get_error_message(error, message, sizeof message);
    throw UsageError(std::string(option) + " " + in_quotes(text) +
                     " is no regular expression: " + reinterpret_cast<const char*>(message) +
                     " at character " + std::to_string(at + 1));
  }
  code_ = std::make_shared<Code>(code);
}

std::size_t Pattern::groups() const {
  std::uint32_t count = 0;
  pcre2_pattern_info(code_->code, PCRE2_INFO_CAPTURECOUNT, &count);
  return count;
}

void Pattern::each_match(std::string_view line,
                         const std::function<void(Span, Span)>& visit) const {
  const auto* const subject =
      reinterpret_cast<PCRE2_SPTR>(line.data() == nullptr ? "" : line.data());
  std::size_t at = 0;
  while (at <= line.size()) {
    const int groups = pcre2_match(code_->code, subject, line.size(), at, 0, code_->match, nullptr);
    if (groups == PCRE2_ERROR_NOMATCH)
      return;
    if (groups < 0)
      throw UsageError(in_quotes(text_) + " takes too long to match in a line of " +
                       std::to_string(line.size()) + " bytes");
    const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(code_->match);
    const Span match{ends[0], ends[1]};
    if (match.end < match.begin)
      return; // \K within a lookahead
    const bool has_group = groups > 1 && ends[2] != PCRE2_UNSET;
    visit(match, has_group ? Span{ends[2], ends[3]} : Span{});
    at = match.end > match.begin ? match.end : match.end + 1;
  }
}

} // namespace detshim
