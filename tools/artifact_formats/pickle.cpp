#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

namespace detshim {
namespace {

struct Value;
using Shared =
    Value*; ///< of the machine's: values may hold each other in circles, and as deep as they like

struct Value {
  enum Kind {
    other,
    mark,
    text,
    integer,
    global,
    tuple,
    list,
    dictionary,
    storage,
    tensor
  } kind = other;
  std::string words = {};   ///< a text; a global's name; a storage's key
  std::uint64_t number = 0; ///< an integer
  std::vector<Shared> items =
      {}; ///< of a dictionary: keys and values in turn; of a tensor: its storage
  std::vector<std::uint64_t> shape = {};
};

/// The pickle machine, as far as PyTorch's pickles need it (CPython's Lib/pickletools.py has its
/// operations).
class Machine {
public:
  explicit Machine(std::string_view pickle) : reader_(pickle) {}

  std::map<std::string, StorageUse> run() {
    while (reader_.is_good() && step()) {}
    if (!stack_.empty())
      name(stack_.back(), "", 0);
    return std::move(found_);
  }

private:
  Shared make(Value::Kind kind, std::string words = {}, std::uint64_t number = 0) {
    return &values_.emplace_back(Value{kind, std::move(words), number});
  }
  void push(Shared value) { stack_.push_back(value); }
  Shared pop() {
    if (stack_.empty())
      return make(Value::other);
    Shared value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<Shared> pop_to_mark() {
    std::size_t at = stack_.size();
    while (at > 0 && stack_[at - 1]->kind != Value::mark)
      --at;
    std::vector<Shared> items(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end());
    stack_.resize(at > 0 ? at - 1 : 0);
    return items;
  }
  std::vector<Shared> pop_some(std::size_t count) {
    std::vector<Shared> items(count);
    for (std::size_t i = count; i > 0; --i)
      items[i - 1] = pop();
    return items;
  }
  void push_text(std::size_t size_of_length) {
    push(make(Value::text, std::string(reader_.take(reader_.number(size_of_length)))));
  }
  void push_integer(std::size_t size) { push(make(Value::integer, {}, reader_.number(size))); }
  void push_long() {
    ByteReader digits(reader_.take(reader_.number(1)));
    push(make(Value::integer, {}, digits.number(std::min<std::size_t>(digits.left(), 8))));
  }
  void push_float() {
    reader_.take(8);
    push(make(Value::other));
  }
  void push_global() {
    const std::string module = line();
    push(make(Value::global, module + " " + line()));
  }
  void push_named_global(const std::vector<Shared>& names) {
    push(make(Value::global, names[0]->words + " " + names[1]->words));
  }
  void push_tuple(std::vector<Shared> items) {
    Shared value = make(Value::tuple);
    value->items = std::move(items);
    push(value);
  }
  void add_items(const std::vector<Shared>& items) {
    if (stack_.empty())
      return;
    Value& to = *stack_.back();
    to.items.insert(to.items.end(), items.begin(), items.end());
  }
  std::string line() {
    std::string text;
    for (;;) {
      const std::string_view character = reader_.take(1);
      if (character.empty() || character == "\n")
        return text;
      text += character;
    }
  }
  void remember(std::uint64_t at) {
    if (!stack_.empty())
      memory_[at] = stack_.back();
  }
  void recall(std::uint64_t at) {
    const auto remembered = memory_.find(at);
    push(remembered == memory_.end() ? make(Value::other) : remembered->second);
  }

  /// ('storage', torch.FloatStorage, '0', 'cpu', 12)
  void push_storage(Shared id) {
    Shared storage = make(Value::storage);
    if (id->kind == Value::tuple && id->items.size() >= 3) {
      storage->words = id->items[2]->words;
      const std::string& global = id->items[1]->words; // "torch FloatStorage"
      const auto type = type_named(std::string_view(global).substr(global.find(' ') + 1));
      if (type && global.starts_with("torch ") && global.ends_with("Storage"))
        found_.emplace(storage->words, StorageUse{*type, {}, {}});
    }
    push(storage);
  }

  /// A call: of what rebuilds a tensor or a parameter, of collections.OrderedDict, or of something
  /// else.
  void call(const std::vector<Shared>& function_and_arguments) {
    const std::vector<Shared>& items = function_and_arguments[1]->items;
    const std::string& what = function_and_arguments[0]->words;
    if (what.starts_with("torch._utils _rebuild_tensor") && items.size() >= 4 &&
        items[0]->kind == Value::storage) {
      Shared tensor = make(Value::tensor);
      tensor->items = {items[0]};
      for (Shared extent : items[2]->items)
        tensor->shape.push_back(extent->number);
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
  struct Operation {
    unsigned char code;
    void (*run)(Machine& machine);
  };
  static constexpr Operation operations[] = {
      {0x80,
       [](Machine& machine) {
         machine.reader_.take(1);
       }}, // PROTO
      {0x95,
       [](Machine& machine) {
         machine.reader_.take(8);
       }}, // FRAME
      {'(',
       [](Machine& machine) {
         machine.push(machine.make(Value::mark));
       }}, // MARK
      {'}',
       [](Machine& machine) {
         machine.push(machine.make(Value::dictionary));
       }}, // EMPTY_DICT
      {']',
       [](Machine& machine) {
         machine.push(machine.make(Value::list));
       }}, // EMPTY_LIST
      {')',
       [](Machine& machine) {
         machine.push(machine.make(Value::tuple));
       }}, // EMPTY_TUPLE
      {'N',
       [](Machine& machine) {
         machine.push(machine.make(Value::other));
       }}, // NONE
      {0x88,
       [](Machine& machine) {
         machine.push(machine.make(Value::other));
       }}, // NEWTRUE
      {0x89,
       [](Machine& machine) {
         machine.push(machine.make(Value::other));
       }}, // NEWFALSE
      {'X',
       [](Machine& machine) {
         machine.push_text(4);
       }}, // BINUNICODE
      {0x8c,
       [](Machine& machine) {
         machine.push_text(1);
       }}, // SHORT_BINUNICODE
      {0x8d,
       [](Machine& machine) {
         machine.push_text(8);
       }}, // BINUNICODE8
      {'J',
       [](Machine& machine) {
         machine.push_integer(4);
       }}, // BININT
      {'K',
       [](Machine& machine) {
         machine.push_integer(1);
       }}, // BININT1
      {'M',
       [](Machine& machine) {
         machine.push_integer(2);
       }}, // BININT2
      {0x8a,
       [](Machine& machine) {
         machine.push_long();
       }}, // LONG1
      {'G',
       [](Machine& machine) {
         machine.push_float();
       }}, // BINFLOAT
      {'c',
       [](Machine& machine) {
         machine.push_global();
       }}, // GLOBAL
      {0x93,
       [](Machine& machine) {
         machine.push_named_global(machine.pop_some(2));
       }}, // STACK_GLOBAL
      {'t',
       [](Machine& machine) {
         machine.push_tuple(machine.pop_to_mark());
       }}, // TUPLE
      {0x85,
       [](Machine& machine) {
         machine.push_tuple(machine.pop_some(1));
       }}, // TUPLE1
      {0x86,
       [](Machine& machine) {
         machine.push_tuple(machine.pop_some(2));
       }}, // TUPLE2
      {0x87,
       [](Machine& machine) {
         machine.push_tuple(machine.pop_some(3));
       }}, // TUPLE3
      {'q',
       [](Machine& machine) {
         machine.remember(machine.reader_.number(1));
       }}, // BINPUT
      {'r',
       [](Machine& machine) {
         machine.remember(machine.reader_.number(4));
       }}, // LONG_BINPUT
      {0x94,
       [](Machine& machine) {
         machine.remember(machine.memory_.size());
       }}, // MEMOIZE
      {'h',
       [](Machine& machine) {
         machine.recall(machine.reader_.number(1));
       }}, // BINGET
      {'j',
       [](Machine& machine) {
         machine.recall(machine.reader_.number(4));
       }}, // LONG_BINGET
      {'Q',
       [](Machine& machine) {
         machine.push_storage(machine.pop());
       }}, // BINPERSID
      {'R',
       [](Machine& machine) {
         machine.call(machine.pop_some(2));
       }}, // REDUCE
      {0x81,
       [](Machine& machine) {
         machine.call(machine.pop_some(2));
       }}, // NEWOBJ
      {'s',
       [](Machine& machine) {
         machine.add_items(machine.pop_some(2));
       }}, // SETITEM
      {'u',
       [](Machine& machine) {
         machine.add_items(machine.pop_to_mark());
       }}, // SETITEMS
      {'e',
       [](Machine& machine) {
         machine.add_items(machine.pop_to_mark());
       }}, // APPENDS
      {'a',
       [](Machine& machine) {
         machine.add_items(machine.pop_some(1));
       }}, // APPEND
      {'b',
       [](Machine& machine) {
         machine.pop();
       }}, // BUILD
      {'0',
       [](Machine& machine) {
         machine.pop();
       }}, // POP
  };
  const auto code = static_cast<unsigned char>(reader_.number(1));
  const auto* const operation = std::ranges::find(operations, code, &Operation::code);
  if (operation == std::end(operations))
    return false;
  operation->run(*this);
  return true;
}

/// Walks what was built, and names each tensor by the keys that lead to it.
void Machine::name(Shared value, const std::string& path, unsigned depth) {
  constexpr unsigned deepest = 20;
  constexpr std::size_t most = 1'000'000;
  if (depth > deepest || ++named_ > most)
    return;
  const auto inner = [&path](const std::string& key) {
    return path.empty() ? key : path + "." + key;
  };
  if (value->kind == Value::tensor) {
    const auto storage = found_.find(value->items[0]->words);
    if (storage == found_.end() || !storage->second.tensor.empty())
      return;
    storage->second.tensor = path;
    storage->second.shape = value->shape;
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

std::map<std::string, StorageUse> read_storages(std::string_view pickle) {
  return Machine(pickle).run();
}

} // namespace detshim
