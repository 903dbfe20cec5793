// Lists that are looked through from end to end.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace detshim {

template <typename Range, typename Value, typename Member = std::identity>
bool contains(const Range& range, const Value& value, Member member = {}) {
  return std::ranges::find(range, value, member) != std::end(range);
}

template <typename Value>
void add_once(std::vector<Value>& to, Value value) {
  if (!contains(to, value))
    to.push_back(std::move(value));
}

} // namespace detshim
