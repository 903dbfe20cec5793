#include "verify/artifact_formats/pickle.h"

#include "verify/artifact_formats/bytes.h"

#include <deque>
#include <optional>
#include <utility>

namespace detshim {
namespace {

struct Value;
using Shared = Value*; ///< of the machine's: values may hold each other in circles, and as deep as they like

struct Value {
  enum Kind { other, mark, text, integer, global, tuple, list, dictionary, storage, tensor } kind = other;
  std::string words = {};         ///< a text; a global's name; a storage's key
  std::uint64_t number = 0;       ///< an integer
  std::vector<Shared> items = {}; ///< of a dictionary: keys and values in turn; of a tensor: its storage
  std::vector<std::uint64_t> shape = {};
};

/// "torch FloatStorage", as PyTorch names them.
std::optional<ElementType> storage_type(const std::string& global) {
  struct Known {
    const char* name;
    Encoding encoding;
    std::size_t size, numbers;
  };
  static constexpr Known known[] = {{"DoubleStorage", Encoding::binary_float, 8, 1},
                                    {"FloatStorage", Encoding::binary_float, 4, 1},
                                    {"HalfStorage", Encoding::binary_float, 2, 1},
                                    {"BFloat16Storage", Encoding::bfloat16, 2, 1},
                                    {"LongStorage", Encoding::signed_integer, 8, 1},
                                    {"IntStorage", Encoding::signed_integer, 4, 1},
                                    {"ShortStorage", Encoding::signed_integer, 2, 1},
                                    {"CharStorage", Encoding::signed_integer, 1, 1},
                                    {"ByteStorage", Encoding::unsigned_integer, 1, 1},
                                    {"BoolStorage", Encoding::boolean, 1, 1},
                                    {"ComplexFloatStorage", Encoding::binary_float, 8, 2},
                                    {"ComplexDoubleStorage", Encoding::binary_float, 16, 2}};
  for (const Known& one : known)
    if (global == std::string("torch ") + one.name)
      return ElementType{one.name, one.encoding, one.size, false, one.numbers};
  return {};
}

/// The pickle machine, as far as PyTorch's pickles need it (CPython's Lib/pickletools.py has its operations).
class Machine {
public:
  explicit Machine(std::string_view pickle) : reader_(pickle) {}

  std::map<std::string, StorageUse> run() {
    while (reader_.is_good() && step()) {
    }
    if (!stack_.empty()) name(stack_.back(), "", 0);
    return std::move(found_);
  }

private:
  Shared make(Value::Kind kind, std::string words = {}, std::uint64_t number = 0) {
    return &values_.emplace_back(Value{kind, std::move(words), number});
  }
  void push(Shared value) { stack_.push_back(value); }
  Shared pop() {
    if (stack_.empty()) return make(Value::other);
    Shared value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<Shared> pop_to_mark() {
    std::size_t at = stack_.size();
    while (at > 0 && stack_[at - 1]->kind != Value::mark) --at;
    std::vector<Shared> items(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end());
    stack_.resize(at > 0 ? at - 1 : 0);
    return items;
  }
  std::vector<Shared> pop_some(std::size_t count) {
    std::vector<Shared> items(count);
    for (std::size_t i = count; i > 0; --i) items[i - 1] = pop();
    return items;
  }
  void push_tuple(std::vector<Shared> items) {
    Shared value = make(Value::tuple);
    value->items = std::move(items);
    push(value);
  }
  void add_items(const std::vector<Shared>& items) {
    if (stack_.empty()) return;
    Value& to = *stack_.back();
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  std::string line() {
    std::string text;
    for (;;) {
      const std::string_view character = reader_.take(1);
      if (character.empty() || character == "\n") return text;
      text += character;
    }
  }
  void remember(std::uint64_t at) {
    if (!stack_.empty()) memory_[at] = stack_.back();
  }
  void recall(std::uint64_t at) {
    const auto found = memory_.find(at);
    push(found == memory_.end() ? make(Value::other) : found->second);
  }

  /// ('storage', torch.FloatStorage, '0', 'cpu', 12)
  void push_storage(Shared id) {
    Shared storage = make(Value::storage);
    if (id->kind == Value::tuple && id->items.size() >= 3) {
      storage->words = id->items[2]->words;
      if (const std::optional<ElementType> type = storage_type(id->items[1]->words))
        found_.emplace(storage->words, StorageUse{*type, {}, {}});
    }
    push(storage);
  }

  /// A call: of what rebuilds a tensor or a parameter, of collections.OrderedDict, or of something else.
  void call(Shared function, Shared arguments) {
    const std::vector<Shared>& items = arguments->items;
    const std::string& what = function->words;
    if (what.starts_with("torch._utils _rebuild_tensor") && items.size() >= 4 &&
        items[0]->kind == Value::storage) {
      Shared tensor = make(Value::tensor);
      tensor->items = {items[0]};
      for (Shared extent : items[2]->items) tensor->shape.push_back(extent->number);
      push(tensor);
    } else if (what.starts_with("torch._utils _rebuild_parameter") && !items.empty()) {
      push(items[0]);
    } else {
      push(make(what == "collections OrderedDict" ? Value::dictionary : Value::other));
    }
  }

  bool step();
  void name(Shared value, const std::string& path, unsigned depth);

  ByteReader reader_;
  std::deque<Value> values_; ///< all that there ever were
  std::vector<Shared> stack_;
  std::map<std::uint64_t, Shared> memory_;
  std::map<std::string, StorageUse> found_;
  std::size_t named_ = 0;
};

/// False at the end, and at what it does not know.
bool Machine::step() {
  const std::string_view operation = reader_.take(1);
  if (operation.empty()) return false;
  switch (static_cast<unsigned char>(operation[0])) {
  case 0x80: // PROTO
    reader_.take(1);
    return true;
  case 0x95: // FRAME
    reader_.take(8);
    return true;
  case '(': // MARK
    push(make(Value::mark));
    return true;
  case '}': // EMPTY_DICT
    push(make(Value::dictionary));
    return true;
  case ']': // EMPTY_LIST
    push(make(Value::list));
    return true;
  case ')': // EMPTY_TUPLE
    push(make(Value::tuple));
    return true;
  case 'N':
  case 0x88:
  case 0x89: // NONE, NEWTRUE, NEWFALSE
    push(make(Value::other));
    return true;
  case 'X':
    push(make(Value::text, std::string(reader_.take(reader_.number(4)))));
    return true;
  case 0x8c:
    push(make(Value::text, std::string(reader_.take(reader_.number(1)))));
    return true;
  case 0x8d:
    push(make(Value::text, std::string(reader_.take(reader_.number(8)))));
    return true;
  case 'J': // BININT
    push(make(Value::integer, {}, reader_.number(4)));
    return true;
  case 'K': // BININT1
    push(make(Value::integer, {}, reader_.number(1)));
    return true;
  case 'M': // BININT2
    push(make(Value::integer, {}, reader_.number(2)));
    return true;
  case 0x8a: { // LONG1
    ByteReader digits(reader_.take(reader_.number(1)));
    push(make(Value::integer, {}, digits.number(digits.left() < 8 ? digits.left() : 8)));
    return true;
  }
  case 'G': // BINFLOAT
    reader_.take(8);
    push(make(Value::other));
    return true;
  case 'c': { // GLOBAL
    const std::string module = line();
    push(make(Value::global, module + " " + line()));
    return true;
  }
  case 0x93: { // STACK_GLOBAL
    const std::vector<Shared> names = pop_some(2);
    push(make(Value::global, names[0]->words + " " + names[1]->words));
    return true;
  }
  case 't': // TUPLE
    push_tuple(pop_to_mark());
    return true;
  case 0x85: // TUPLE1
    push_tuple(pop_some(1));
    return true;
  case 0x86: // TUPLE2
    push_tuple(pop_some(2));
    return true;
  case 0x87: // TUPLE3
    push_tuple(pop_some(3));
    return true;
  case 'q': // BINPUT
    remember(reader_.number(1));
    return true;
  case 'r': // LONG_BINPUT
    remember(reader_.number(4));
    return true;
  case 0x94: // MEMOIZE
    remember(memory_.size());
    return true;
  case 'h': // BINGET
    recall(reader_.number(1));
    return true;
  case 'j': // LONG_BINGET
    recall(reader_.number(4));
    return true;
  case 'Q': // BINPERSID
    push_storage(pop());
    return true;
  case 'R':
  case 0x81: { // REDUCE, NEWOBJ
    const std::vector<Shared> both = pop_some(2);
    call(both[0], both[1]);
    return true;
  }
  case 's': // SETITEM
    add_items(pop_some(2));
    return true;
  case 'u':
  case 'e': // SETITEMS, APPENDS
    add_items(pop_to_mark());
    return true;
  case 'a': // APPEND
    add_items(pop_some(1));
    return true;
  case 'b':
  case '0': // BUILD, POP
    pop();
    return true;
  default:
    return false; // STOP, and the rest
  }
}

/// Walks what was built, and names each tensor by the keys that lead to it.
void Machine::name(Shared value, const std::string& path, unsigned depth) {
  constexpr unsigned deepest = 20;
  constexpr std::size_t most = 1'000'000;
  if (depth > deepest || ++named_ > most) return;
  const auto inner = [&path](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (value->kind == Value::tensor) {
    const auto found = found_.find(value->items[0]->words);
    if (found == found_.end() || !found->second.tensor.empty()) return;
    found->second.tensor = path;
    found->second.shape = value->shape;
  } else if (value->kind == Value::dictionary) {
    for (std::size_t i = 0; i + 1 < value->items.size(); i += 2) {
      const Value& key = *value->items[i];
      const std::string word = key.kind == Value::integer ? std::to_string(key.number) : key.words;
      name(value->items[i + 1], inner(word), depth + 1);
    }
  } else if (value->kind == Value::list || value->kind == Value::tuple) {
    for (std::size_t i = 0; i < value->items.size(); ++i)
      name(value->items[i], inner(std::to_string(i)), depth + 1);
  }
}

} // namespace

std::map<std::string, StorageUse> read_storages(std::string_view pickle) { return Machine(pickle).run(); }

} // namespace detshim
