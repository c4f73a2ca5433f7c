// print, show and display with the program's own methods.
#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/dict.h"
#include "julia/host/hash.h"
#include "julia/intrinsics/text_io.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

/// Whether a function of printing has a method for values of a type other than the one for everything. Kept by type, for one
/// evaluator, until a method is added.
class OwnMethods {
 public:
  /// `io` is what will be printed to; `plain` asks for text/plain.
  bool has(Evaluator& e, std::string_view function, const Value& io, const Value& v, bool plain) {
    const Value f = e.base_function(function);
    MethodTable* table = e.methods_of(f);
    if (table == nullptr) return false;
    if (owner_ != &e || generation_ != table->generation() || table_ != table) {
      owner_ = &e, table_ = table, generation_ = table->generation();
      known_.clear();
    }
    const Type* type = dispatch_type(v);
    const auto [it, is_new] = known_.emplace(std::pair(type, plain), false);
    if (is_new) {
      std::vector<const Type*> types = {dispatch_type(f), io.type()};
      if (plain) types.push_back(text_plain(e).type());
      types.push_back(type);
      const Dispatch& found = table->find(types);
      if (found.method != nullptr) {
        const Type* last = found.method->tuple()->parameters.back();
        it->second = last != core().any && last->kind != TypeKind::kVararg;
      }
    }
    return it->second;
  }
  static Value text_plain(Evaluator& e) {
    const Value mime = e.base().bindings.at(Symbol("MIME"))->value;
    const Type* type = apply_type(mime.as_type(), std::vector<const Type*>{make_symbol_constant(Symbol("text/plain"))});
    return Value::singleton(as<DataType>(type));
  }

 private:
  struct HashKey {
    size_t operator()(const std::pair<const Type*, bool>& k) const {
      return std::hash<const void*>()(k.first) * 2 + (k.second ? 1 : 0);
    }
  };
  const Evaluator* owner_ = nullptr;
  const MethodTable* table_ = nullptr;
  uint64_t generation_ = 0;
  std::unordered_map<std::pair<const Type*, bool>, bool, HashKey> known_;
};

OwnMethods& own_show() {
  static thread_local OwnMethods own;
  return own;
}
OwnMethods& own_print() {
  static thread_local OwnMethods own;
  return own;
}
OwnMethods& own_showerror() {
  static thread_local OwnMethods own;
  return own;
}

Value symbol(std::string_view s) { return Value::of_symbol(Symbol(std::string(s))); }

const DataType* context_type(const DataType* inner) { return applied(builtin_type("IOContext"), {inner}); }

/// An IOContext around `io` that says what `c` says.
Value with_context(const Value& io, const ShowContext& c) {
  if (!c.compact && !c.limit && c.typeinfo == nullptr && !c.properties.is_defined()) return io;
  Value settings = make_dict(core().symbol, core().any);
  if (c.properties.is_defined()) {
    const DictObject& d = dict_of(c.properties);
    for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1))
      assign(dict_of(settings), d.keys[static_cast<size_t>(i)], d.values[static_cast<size_t>(i)]);
  }
  if (c.compact) assign(dict_of(settings), symbol("compact"), boolean(true));
  if (c.limit) assign(dict_of(settings), symbol("limit"), boolean(true));
  if (c.typeinfo != nullptr) assign(dict_of(settings), symbol("typeinfo"), Value::of_type(c.typeinfo));
  return make_struct(context_type(io.type()), {io, settings});
}

Value new_buffer() { return make_stream(std::make_unique<Stream>()); }

/// A context whose first value is printed without a look at the program's methods: the method for everything calls here.
ShowContext without_first(ShowContext c) {
  auto first = std::make_shared<bool>(true);
  const auto further = c.overridden;
  c.overridden = [first, further](std::string& out, const Value& v, const ShowContext& inner, bool plain) {
    if (std::exchange(*first, false)) return false;
    return further && further(out, v, inner, plain);
  };
  return c;
}

void write_to(Evaluator& e, const Value& io, std::string_view text) {
  if (Stream* s = stream_of(io)) return s->write(e, text);
  e.call_base("write", {io, make_string(std::string(text))});
}

/// _print(io, values…).
void print_values(Evaluator& e, const Value& io, Args values, bool newline) {
  std::string out;
  std::optional<ShowContext> context;
  for (const Value& v : values) {
    if (v.is(core().string)) {
      out += string_of(v);
      continue;
    }
    const bool by_print = own_print().has(e, "print", io, v, false);
    if (by_print || (!v.is(core().char_) && !v.is(core().symbol) && own_show().has(e, "show", io, v, false))) {
      if (!out.empty()) write_to(e, io, out);
      out.clear();
      e.call_base(by_print ? "print" : "show", {io, v});
      continue;
    }
    if (is_text(v)) {
      out += text_of(v);
      continue;
    }
    if (!context) context = context_of(e, io);
    print(out, v, *context);
  }
  if (newline) out += '\n';
  if (!out.empty()) write_to(e, io, out);
}

Value standard(Evaluator& e, const char* name) { return e.base().bindings.at(Symbol(name))->value; }

Value print_to(Evaluator& e, Args a) {
  print_values(e, a[0], a.subspan(1), false);
  return nothing();
}
Value println_to(Evaluator& e, Args a) {
  print_values(e, a[0], a.subspan(1), true);
  return nothing();
}
Value print_out(Evaluator& e, Args a) {
  print_values(e, standard(e, "stdout"), a, false);
  return nothing();
}
Value println_out(Evaluator& e, Args a) {
  print_values(e, standard(e, "stdout"), a, true);
  return nothing();
}

Value string_from(Evaluator& e, Args a) {
  if (a.size() == 1 && a[0].is(core().string)) return a[0];
  std::string out;
  for (const Value& v : a) out += text_print(e, v);
  return make_string(std::move(out));
}

/// _show(io, v): what show does for everything that has no method of its own.
Value show_to(Evaluator& e, Args a) {
  std::string out;
  show(out, a[1], without_first(context_of(e, a[0])));
  write_to(e, a[0], out);
  return nothing();
}

Value show_plain_to(Evaluator& e, Args a) {
  std::string out;
  display(out, a[1], without_first(context_of(e, a[0])));
  write_to(e, a[0], out);
  return nothing();
}

Value display_out(Evaluator& e, Args a) {
  e.write_out(text_display(e, a[0]) + "\n");
  return nothing();
}

Value repr_of(Evaluator& e, Args a) { return make_string(text_show(e, a[0])); }

Value summary_of(Evaluator& e, Args a) { return make_string(summary(a[0], e.show_context())); }

Value show_error(Evaluator& e, Args a) {
  write_to(e, a[0], error_text(a[1]));
  return nothing();
}
Value error_message(Evaluator& e, Args a) { return make_string(text_error(e, a[0])); }

Value type_name(Evaluator&, Args a) {
  const auto* d = as<DataType>(unwrap_union_all(a[0].as_type()));
  return symbol(d != nullptr ? d->name->name.text() : type_text(a[0].as_type()));
}

Value module_text(Evaluator&, Args a) { return make_string(module_of(a[0])->qualified_name()); }

/// The number as show prints it, with the letters before the exponent and without a suffix.
Value float_digits(Evaluator&, Args a) {
  ShowContext c;
  return make_string(number_text(a[0], c));
}

Value based(Evaluator&, Args a) {
  const int64_t base = int_of(a[1]), pad = int_of(a[2]);
  return make_string(based_text(a[0], static_cast<int>(base), static_cast<int>(std::max<int64_t>(pad, 0))));
}

Value width_of(Evaluator&, Args a) {
  if (a[0].is(core().char_)) {
    const Char c = char_of_value(a[0]);
    return integer(is_valid(c) ? char_width(code_point(c)) : 1);
  }
  return integer(text_width(text_of(a[0])));
}

constexpr IntrinsicEntry kEntries[] = {
    {"_print", print_to, 1, -1},          {"_println", println_to, 1, -1},     {"_print_out", print_out, 0, -1},
    {"_println_out", println_out, 0, -1}, {"_string", string_from, 0, -1},     {"_show", show_to, 2, 2},
    {"_show_plain", show_plain_to, 2, 2}, {"_display", display_out, 1, 1},     {"_repr", repr_of, 1, 1},
    {"_summary", summary_of, 1, 1},       {"_showerror", show_error, 2, 2},    {"_error_text", error_message, 1, 1},
    {"_type_name", type_name, 1, 1},      {"_module_text", module_text, 1, 1}, {"_float_text", float_digits, 1, 1},
    {"_based_text", based, 3, 3},         {"_textwidth", width_of, 1, 1},
};

}  // namespace

ShowContext context_of(Evaluator& e, const Value& io) {
  ShowContext c = e.show_context();
  Value at = io;
  bool is_first = true;
  while (is_named(at, "IOContext")) {
    const Value settings = get_field(at, 1);
    if (is_first) {
      const DictObject& d = dict_of(settings);
      const auto setting = [&](const char* name) {
        const int64_t i = find(d, symbol(name));
        return i < 0 ? Value() : d.values[static_cast<size_t>(i)];
      };
      const auto flag = [&](const char* name) {
        const Value v = setting(name);
        return v.is_defined() && v.is(core().bool_) && bool_of(v);
      };
      c.compact = flag("compact");
      c.limit = flag("limit");
      if (const Value t = setting("typeinfo"); t.is_defined() && t.is_type()) c.typeinfo = t.as_type();
      if (const Value size = setting("displaysize"); size.is_defined() && size.type()->is_tuple) {
        c.rows = static_cast<int>(int_of(get_field(size, 0)));
        c.columns = static_cast<int>(int_of(get_field(size, 1)));
      }
      c.properties = settings;
      is_first = false;
    }
    at = get_field(at, 0);
  }
  return c;
}

ShowContext Evaluator::show_context() const {
  ShowContext c;
  auto& e = const_cast<Evaluator&>(*this);  // methods may be asked for the first time
  c.method_count = [&e](const Value& f) {
    MethodTable* table = e.methods_of(f);
    return table == nullptr ? 0 : static_cast<int>(table->methods().size());
  };
  c.overridden = [&e](std::string& out, const Value& v, const ShowContext& inner, bool plain) {
    if (number_kind(v) || v.is(core().string) || v.is(core().symbol)) return false;
    const Value buffer = new_buffer();
    const Value io = with_context(buffer, inner);
    if (!own_show().has(e, "show", io, v, plain)) return false;
    if (plain) e.call_base("show", {io, OwnMethods::text_plain(e), v});
    else e.call_base("show", {io, v});
    out += stream_of(buffer)->data;
    return true;
  };
  return c;
}

std::string text_print(Evaluator& e, const Value& v) {
  if (is_text(v)) return std::string(text_of(v));
  std::string out;
  if (number_kind(v) || v.is(core().char_) || v.is(core().symbol)) {
    print(out, v);
    return out;
  }
  const Value buffer = new_buffer();
  print_values(e, buffer, std::span(&v, 1), false);
  return stream_of(buffer)->data;
}

std::string text_show(Evaluator& e, const Value& v) {
  std::string out;
  show(out, v, e.show_context());
  return out;
}

std::string text_display(Evaluator& e, const Value& v) {
  ShowContext c = e.show_context();
  c.limit = true;
  std::string out;
  display(out, v, c);
  return out;
}

std::string text_error(Evaluator& e, const Value& exception) {
  const Value buffer = new_buffer();
  if (!own_showerror().has(e, "showerror", buffer, exception, false)) return error_text(exception);
  e.call_base("showerror", {buffer, exception});
  return stream_of(buffer)->data;
}

std::span<const IntrinsicEntry> show_intrinsics() { return kEntries; }

}  // namespace weft::julia
