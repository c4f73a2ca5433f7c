#include "julia/types/type.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"
#include "julia/types/subtype.h"
#include "julia/types/type_errors.h"
#include "julia/types/type_show.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

struct HashWords {
  size_t operator()(const std::vector<const void*>& words) const {
    size_t h = 0x243f6a8885a308d3u;
    for (const void* w : words) {
      h = (h ^ reinterpret_cast<size_t>(w)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 32;
    }
    return h;
  }
};

/// All nodes that are shared, by kind and parts. Lives as long as the process, as types do.
struct Table {
  std::recursive_mutex mutex;
  std::unordered_map<std::vector<const void*>, const Type*, HashWords> nodes;
};
Table& table() {
  static auto& t = *new Table;
  return t;
}

const void* tag(TypeKind kind) { return reinterpret_cast<const void*>(static_cast<size_t>(kind) + 1); }
const void* word(int64_t v) { return reinterpret_cast<const void*>(v); }

void add_free(std::vector<const TypeVar*>& out, const Type* t) {
  for (const TypeVar* v : t->free_vars) {
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  }
}

/// The node with these parts, made by `make` when it is new.
template <class Node, class Make>
const Node* interned(std::vector<const void*> key, Make make) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto it = t.nodes.find(key);
  if (it != t.nodes.end()) return static_cast<const Node*>(it->second);
  auto* node = new Node;
  make(*node);
  t.nodes.emplace(std::move(key), node);
  return node;
}

template <class Items>
void append(std::vector<const void*>& key, const Items& items) {
  for (const auto& item : items) key.push_back(item);
}

bool concrete_element(const Type* t) { return t->kind == TypeKind::kConstant || is_concrete(t); }

}  // namespace

const DataType* intern_data_type(TypeName* name, std::vector<const Type*> parameters) {
  std::vector<const void*> key = {tag(TypeKind::kData), name};
  append(key, parameters);
  return interned<DataType>(std::move(key), [&](DataType& d) {
    d.name = name;
    static const Symbol tuple = "Tuple", core = "Core";
    d.is_tuple = name->name == tuple && name->module == core;
    for (const Type* p : parameters) add_free(d.free_vars, p);
    d.is_concrete = d.is_closed() && !d.is_abstract();
    if (d.is_tuple)
      d.is_concrete = d.is_concrete && std::all_of(parameters.begin(), parameters.end(), concrete_element);
    d.parameters = std::move(parameters);
  });
}

const DataType* make_data_type(TypeName* name, std::vector<const Type*> parameters) {
  if (name == roots().tuple_name) return make_tuple_type(parameters);
  return intern_data_type(name, std::move(parameters));
}

const TypeVar* make_type_var(Symbol name, const Type* lower, const Type* upper) {
  auto* v = new TypeVar;
  v->name = name;
  v->lower = lower != nullptr ? lower : roots().bottom;
  v->upper = upper != nullptr ? upper : roots().any;
  v->free_vars.push_back(v);
  // What bounds mention is free in all that mentions the variable, until a UnionAll binds it.
  add_free(v->free_vars, v->lower);
  add_free(v->free_vars, v->upper);
  // A variable that nothing refers to any more would still be referred to by the types made with it: all stay.
  static auto& all = *new std::vector<const TypeVar*>;
  const std::lock_guard lock(table().mutex);
  all.push_back(v);
  return v;
}

const Type* make_union_all(const TypeVar* var, const Type* body) {
  if (!mentions(body, var)) return body;
  if (body == var) return var->upper;
  // `Vararg{T} where T` inside a tuple: each element may be anything.
  const auto* tail = as<Vararg>(body);
  if (tail != nullptr && (tail->count == nullptr || !mentions(tail->count, var)))
    return make_vararg(make_union_all(var, tail->element), tail->count);
  return interned<UnionAll>({tag(TypeKind::kUnionAll), var, body}, [&](UnionAll& u) {
    u.var = var;
    u.body = body;
    for (const TypeVar* v : body->free_vars) {
      if (v != var) u.free_vars.push_back(v);
    }
    add_free(u.free_vars, var->lower);
    add_free(u.free_vars, var->upper);
  });
}

namespace {

int compare(const std::string& a, const std::string& b) { return a.compare(b); }

int compare_names(const Type* a, const Type* b) {
  const auto* da = as<DataType>(unwrap_union_all(a));
  const auto* db = as<DataType>(unwrap_union_all(b));
  if (da == nullptr || db == nullptr) return (da == nullptr) - (db == nullptr);
  if (const int c = compare(da->name->name.text(), db->name->name.text()); c != 0) return c;
  if (const int c = compare(da->name->module.text(), db->name->module.text()); c != 0) return c;
  for (size_t i = 0; i < std::min(da->parameters.size(), db->parameters.size()); ++i) {
    if (da->parameters[i] == db->parameters[i]) continue;
    if (const int c = compare(type_text(da->parameters[i]), type_text(db->parameters[i])); c != 0) return c;
  }
  return static_cast<int>(da->parameters.size()) - static_cast<int>(db->parameters.size());
}

/// Julia's order of a union's members: singletons, plain bits, other declared types, types with variables; then by name.
int rank(const Type* t) {
  const auto* d = as<DataType>(t);
  if (d == nullptr) return t->kind == TypeKind::kUnionAll ? 3 : 4;
  if (d->is_singleton()) return 0;
  return d->is_concrete && d->is_bits() ? 1 : 2;
}

void flatten(std::span<const Type* const> members, std::vector<const Type*>& out) {
  for (const Type* m : members) {
    if (const auto* u = as<UnionType>(m)) flatten(u->members, out);
    else if (std::find(out.begin(), out.end(), m) == out.end()) out.push_back(m);
  }
}

}  // namespace

const Type* make_union(std::span<const Type* const> given) {
  std::vector<const Type*> all, members;
  flatten(given, all);
  for (size_t i = 0; i < all.size(); ++i) {
    bool covered = false;
    for (size_t j = 0; j < all.size() && !covered; ++j) {
      if (i == j || !all[i]->is_closed() || !all[j]->is_closed()) continue;
      // Of equal ones the first stays.
      covered = subtype(all[i], all[j]) && (j < i || !subtype(all[j], all[i]));
    }
    if (!covered) members.push_back(all[i]);
  }
  if (members.size() == 1) return members[0];
  std::stable_sort(members.begin(), members.end(), [](const Type* a, const Type* b) {
    const int ra = rank(a), rb = rank(b);
    return ra != rb ? ra < rb : compare_names(a, b) < 0;
  });
  std::vector<const void*> key = {tag(TypeKind::kUnion)};
  append(key, members);
  return interned<UnionType>(std::move(key), [&](UnionType& u) {
    for (const Type* m : members) add_free(u.free_vars, m);
    u.members = std::move(members);
  });
}

const Type* make_vararg(const Type* element, const Type* count) {
  return interned<Vararg>({tag(TypeKind::kVararg), element, count}, [&](Vararg& v) {
    v.element = element;
    v.count = count;
    add_free(v.free_vars, element);
    if (count != nullptr) add_free(v.free_vars, count);
  });
}

const DataType* make_tuple_type(std::span<const Type* const> elements) {
  std::vector<const Type*> out(elements.begin(), elements.end());
  if (!out.empty()) {
    const auto* tail = as<Vararg>(out.back());
    const auto* count = tail != nullptr && tail->count != nullptr ? as<Constant>(tail->count) : nullptr;
    if (count != nullptr) {
      if (count->bits < 0) throw UserError("ArgumentError: Vararg length is negative: " + std::to_string(count->bits));
      if (count->bits > 100000)
        throw UserError("ArgumentError: a tuple type of " + std::to_string(count->bits) + " elements is too long");
      out.pop_back();
      out.insert(out.end(), static_cast<size_t>(count->bits), tail->element);
    }
  }
  return intern_data_type(roots().tuple_name, std::move(out));
}

const DataType* make_named_tuple_type(std::span<const Symbol> names, const DataType* tuple) {
  std::vector<const Type*> symbols;
  for (const Symbol s : names) symbols.push_back(make_symbol_constant(s));
  return intern_data_type(roots().named_tuple_name, {make_tuple_constant(symbols), tuple});
}

const DataType* make_type_type(const Type* t) { return intern_data_type(roots().type_name, {t}); }

const Constant* make_constant(const DataType* of, int64_t bits) {
  return interned<Constant>({tag(TypeKind::kConstant), of, word(bits)}, [&](Constant& c) {
    c.of = of;
    c.bits = bits;
  });
}
const Constant* make_int(int64_t value) { return make_constant(roots().int64, value); }

const Constant* make_symbol_constant(Symbol symbol) {
  return interned<Constant>({tag(TypeKind::kConstant), roots().symbol, symbol.address()}, [&](Constant& c) {
    c.of = roots().symbol;
    c.symbol = symbol;
  });
}

const Constant* make_tuple_constant(std::span<const Type* const> elements) {
  std::vector<const Type*> types;
  for (const Type* e : elements) {
    const auto* c = as<Constant>(e);
    types.push_back(c != nullptr ? c->of : make_type_type(e));
  }
  const DataType* of = make_tuple_type(types);
  std::vector<const void*> key = {tag(TypeKind::kConstant), of, nullptr};
  append(key, elements);
  return interned<Constant>(std::move(key), [&](Constant& c) {
    c.of = of;
    c.elements.assign(elements.begin(), elements.end());
    for (const Type* e : elements) add_free(c.free_vars, e);
  });
}

bool mentions(const Type* t, const TypeVar* var) {
  return std::find(t->free_vars.begin(), t->free_vars.end(), var) != t->free_vars.end();
}

const Type* substitute(const Type* t, const TypeVar* var, const Type* replacement) {
  return substitute(t, std::span(&var, 1), std::span(&replacement, 1));
}

const Type* substitute(const Type* t, std::span<const TypeVar* const> vars, std::span<const Type* const> replacements) {
  const auto touched = [&](const Type* x) {
    return std::any_of(vars.begin(), vars.end(), [&](const TypeVar* v) { return mentions(x, v); });
  };
  if (!touched(t)) return t;
  const auto all = [&](const std::vector<const Type*>& in) {
    std::vector<const Type*> out;
    for (const Type* x : in) out.push_back(substitute(x, vars, replacements));
    return out;
  };
  switch (t->kind) {
    case TypeKind::kVar: {
      for (size_t i = 0; i < vars.size(); ++i) {
        if (vars[i] == t) return replacements[i];
      }
      return t;  // only its bounds mention one: whoever binds it replaces it
    }
    case TypeKind::kData: {
      const auto* d = static_cast<const DataType*>(t);
      return make_data_type(d->name, all(d->parameters));
    }
    case TypeKind::kUnion: return make_union(all(static_cast<const UnionType*>(t)->members));
    case TypeKind::kVararg: {
      const auto* v = static_cast<const Vararg*>(t);
      return make_vararg(substitute(v->element, vars, replacements),
                         v->count == nullptr ? nullptr : substitute(v->count, vars, replacements));
    }
    case TypeKind::kConstant: return make_tuple_constant(all(static_cast<const Constant*>(t)->elements));
    case TypeKind::kUnionAll: {
      const auto* u = static_cast<const UnionAll*>(t);
      const Type* body = u->body;
      const TypeVar* var = u->var;
      if (touched(var->lower) || touched(var->upper)) {
        const TypeVar* renamed = make_type_var(var->name, substitute(var->lower, vars, replacements),
                                               substitute(var->upper, vars, replacements));
        body = substitute(body, var, renamed);
        var = renamed;
      }
      return make_union_all(var, substitute(body, vars, replacements));
    }
  }
  return t;
}

const Type* unwrap_union_all(const Type* t) {
  while (const auto* u = as<UnionAll>(t)) t = u->body;
  return t;
}

const Type* wrap_free(const Type* t, std::span<const TypeVar* const> vars) {
  for (size_t i = vars.size(); i-- > 0;) t = make_union_all(vars[i], t);
  return t;
}

namespace {

std::string got_text(const Type* got) {
  const auto* c = as<Constant>(got);
  return c != nullptr ? "a value of type " + type_text(c->of) : "Type{" + type_text(got) + "}";
}

/// The first parameter of a NamedTuple: names, each once.
void check_names(const Type* names) {
  if (names->kind == TypeKind::kVar) return;
  const auto* c = as<Constant>(names);
  if (c == nullptr || !c->of->is_tuple)
    throw ParameterError("NamedTuple", "names", roots().tuple_name->wrapper, names,
                         "TypeError: in NamedTuple, in names, expected a tuple of symbols, got " + got_text(names));
  for (size_t i = 0; i < c->elements.size(); ++i) {
    const auto* name = as<Constant>(c->elements[i]);
    if (name == nullptr || name->of != roots().symbol)
      throw ParameterError("NamedTuple", "names", roots().symbol, c->elements[i],
                           "TypeError: in NamedTuple, in names, expected Symbol, got " + got_text(c->elements[i]));
    for (size_t j = 0; j < i; ++j) {
      if (c->elements[j] == name)
        throw UserError("duplicate field name in NamedTuple: \"" + name->symbol.text() + "\" is not unique");
    }
  }
}

}  // namespace

const Type* apply_type(const Type* t, std::span<const Type* const> arguments) {
  if (arguments.empty()) return t;
  if (t == roots().tuple_name->wrapper) return make_tuple_type(arguments);
  const auto* d = as<DataType>(unwrap_union_all(t));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto* u = as<UnionAll>(t);
    if (u == nullptr)
      throw UserError(i == 0 ? "TypeError: in Type{...} expression, expected UnionAll, got " +
                                   ("Type{" + type_text(t) + "}")
                             : std::string("too many parameters for type"));
    const Type* a = arguments[i];
    const TypeVar* v = u->var;
    // An argument that is a variable still to be bound is checked when it is known.
    if (a->kind != TypeKind::kVar && v->upper->is_closed() && v->lower->is_closed() && a->is_closed()) {
      const bool unbounded = v->upper == roots().any && is_bottom(v->lower);
      const bool fits = unbounded || (a->kind != TypeKind::kConstant && subtype(a, v->upper) && subtype(v->lower, a));
      if (!fits)
        throw ParameterError(d != nullptr ? d->name->name : Symbol(type_text(t)), v->name.text(), v, a,
                             "TypeError: in " + (d != nullptr ? d->name->name.text() : type_text(t)) + ", in " +
                                 v->name.text() + ", expected " +
                                 (is_bottom(v->lower) ? "" : type_text(v->lower) + "<:") + v->name.text() +
                                 (v->upper == roots().any ? "" : "<:" + type_text(v->upper)) + ", got " + got_text(a));
    }
    if (d != nullptr && d->name == roots().named_tuple_name && i == 0 && t == d->name->wrapper) check_names(a);
    t = substitute(u->body, v, a);
  }
  return t;
}

TypeName* declare_type(Symbol name, Symbol module, Flavour flavour, std::vector<const TypeVar*> vars, int bits) {
  auto* n = new TypeName;
  n->name = name;
  n->module = module;
  n->flavour = flavour;
  n->bits = bits;
  n->vars = std::move(vars);
  n->primary = intern_data_type(n, {n->vars.begin(), n->vars.end()});
  n->wrapper = wrap_free(n->primary, n->vars);
  return n;
}

void set_super(TypeName* name, const Type* super) { name->super = super; }

void set_fields(TypeName* name, std::vector<Symbol> names, std::vector<const Type*> types) {
  name->field_names = std::move(names);
  name->field_types = std::move(types);
}

TypeName* declare_function_type(Symbol function, Symbol module) {
  TypeName* n = declare_type("#" + function.text(), module, Flavour::kStruct, {});
  n->function = function;
  n->super = core().function;
  return n;
}

const Type* type_of_type(const Type* t) {
  const auto* d = as<DataType>(t);
  return d != nullptr && d->name == roots().type_name ? d->parameters[0] : nullptr;
}

// ---- what is computed on demand ----------------------------------------------------------------------------------------

const DataType* DataType::super() const {
  if (const DataType* known = std::atomic_ref(super_).load(std::memory_order_acquire)) return known;
  const std::lock_guard lock(table().mutex);
  const Type* s = name->super == nullptr ? roots().any : substitute(name->super, name->vars, parameters);
  const auto* d = as<DataType>(unwrap_union_all(s));  // the kinds are below `Type{T} where T`
  if (d == nullptr) throw InternalError("the supertype of " + name->name.text() + " is no declared type");
  std::atomic_ref(super_).store(d, std::memory_order_release);
  return d;
}

const std::vector<const Type*>& DataType::field_types() const {
  if (const auto* known = std::atomic_ref(field_types_).load(std::memory_order_acquire)) return *known;
  const std::lock_guard lock(table().mutex);
  if (field_types_ != nullptr) return *field_types_;
  const DataType* tuple = nullptr;
  if (is_tuple) tuple = this;
  if (name == roots().named_tuple_name && parameters.size() == 2) tuple = as<DataType>(parameters[1]);
  auto* out = new std::vector<const Type*>;
  if (tuple != nullptr) {
    if (!tuple->parameters.empty() && tuple->parameters.back()->kind == TypeKind::kVararg) {
      delete out;
      throw UserError("ArgumentError: type does not have a definite number of fields");
    }
    *out = tuple->parameters;
  } else {
    for (const Type* t : name->field_types) out->push_back(substitute(t, name->vars, parameters));
  }
  std::atomic_ref(field_types_).store(out, std::memory_order_release);
  return *out;
}

std::vector<Symbol> DataType::field_names() const {
  if (name == roots().named_tuple_name && parameters.size() == 2) {
    std::vector<Symbol> out;
    if (const auto* names = as<Constant>(parameters[0])) {
      for (const Type* n : names->elements) out.push_back(as<Constant>(n)->symbol);
    }
    return out;
  }
  return name->field_names;
}

int DataType::field_index(Symbol field) const {
  const auto place = [&](const std::vector<Symbol>& names) {
    const auto it = std::find(names.begin(), names.end(), field);
    return it == names.end() ? -1 : static_cast<int>(it - names.begin());
  };
  return name == roots().named_tuple_name ? place(field_names()) : place(name->field_names);
}

bool DataType::is_singleton() const {
  if (!is_concrete || is_mutable() || is_primitive()) return false;
  if (is_tuple || name == roots().named_tuple_name) return field_types().empty();
  return name->field_types.empty() && !name->is_opaque;
}

const Layout& DataType::layout() const {
  if (const Layout* known = std::atomic_ref(finished_layout_).load(std::memory_order_acquire)) return *known;
  // Within the search for a layout that of a type under way is not finished: only the outermost call may publish.
  static thread_local int depth = 0;
  struct Depth {
    Depth() { ++depth; }
    ~Depth() { --depth; }
  };
  const Layout* found = nullptr;
  {
    const Depth inside;
    found = &find_layout();
  }
  if (depth == 0) std::atomic_ref(finished_layout_).store(found, std::memory_order_release);
  return *found;
}

const Layout& DataType::find_layout() const {
  const std::lock_guard lock(table().mutex);
  if (layout_ != nullptr) return *layout_;
  auto* out = new Layout;
  layout_ = out;  // a type that contains itself finds "not bits" here
  if (!is_concrete || is_mutable()) return *out;
  if (is_primitive()) {
    out->is_bits = true;
    out->size = static_cast<uint32_t>((name->bits + 7) / 8);
    out->alignment = std::min(out->size, 16u);
    return *out;
  }
  if (!is_singleton() && field_types().empty()) return *out;
  uint32_t at = 0, alignment = 1;
  for (const Type* f : field_types()) {
    const auto* d = as<DataType>(f);
    if (d == nullptr || !d->is_concrete || !d->layout().is_bits) {
      out->offsets.clear();
      return *out;
    }
    const Layout& inner = d->layout();
    at = (at + inner.alignment - 1) / inner.alignment * inner.alignment;
    out->offsets.push_back(at);
    at += inner.size;
    alignment = std::max(alignment, inner.alignment);
  }
  out->is_bits = true;
  out->alignment = alignment;
  out->size = (at + alignment - 1) / alignment * alignment;
  return *out;
}

}  // namespace weft::julia
