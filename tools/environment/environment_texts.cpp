// How subjects and values of an environment read.
#include "environment/environment.h"

namespace detshim {

std::string subject_text(const Subject& subject) {
  if (subject.kind == SubjectKind::plain)
    return subject.name;
  return std::string(word_of(subject.kind)) + ' ' + (subject.name.empty() ? "*" : subject.name);
}

std::string value_text(const Value& value) {
  if (value.state == ValueState::hidden)
    return "set; it may be a secret, and its value is not kept";
  return value.state == ValueState::of_no_run ? "this is of no run" : value.text;
}

} // namespace detshim
