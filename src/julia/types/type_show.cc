#include "julia/types/type_show.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

std::unordered_set<Symbol>& visible_modules() {
  static auto& m = *new std::unordered_set<Symbol>{"Core", "Base", "Main"};
  return m;
}
std::mutex& visible_mutex() {
  static std::mutex m;
  return m;
}

bool is_hidden(Symbol name) { return name.text().starts_with('#'); }

/// The aliases that Julia prints by, most telling first: a type that one of them spells with fewer parameters is printed so.
struct Alias {
  const char* name;
  const UnionAll* type;  ///< null for an alias without variables
  const Type* closed;
};

const std::vector<Alias>& aliases() {
  static const auto& all = *[] {
    auto* out = new std::vector<Alias>;
    for (const char* name :
         {"ComplexF64", "ComplexF32", "ComplexF16", "BitVector", "BitMatrix", "Vector", "Matrix", "AbstractVector",
          "AbstractMatrix", "DenseVector", "DenseMatrix", "VecOrMat", "AbstractVecOrMat", "RowSlices", "ColumnSlices",
          "StridedArray", "StridedVector", "StridedMatrix", "StridedVecOrMat"}) {
      const Type* t = builtin_type(name);
      out->push_back({name, as<UnionAll>(t), t});
    }
    return out;
  }();
  return all;
}

class Printer {
 public:
  std::string out;

  void show(const Type* t) {
    switch (t->kind) {
      case TypeKind::kVar: out += variable_name(static_cast<const TypeVar*>(t)); return;
      case TypeKind::kConstant: return show_constant(static_cast<const Constant*>(t));
      case TypeKind::kVararg: return show_vararg(static_cast<const Vararg*>(t));
      case TypeKind::kData: {
        std::vector<const TypeVar*> wheres;
        if (!show_alias(t, wheres)) show_data(static_cast<const DataType*>(t), wheres);
        return;
      }
      case TypeKind::kUnion: return show_union(static_cast<const UnionType*>(t));
      case TypeKind::kUnionAll: return show_union_all(static_cast<const UnionAll*>(t));
    }
  }

 private:
  static std::string variable_name(const TypeVar* v) {
    return is_hidden(v->name) ? "var\"" + v->name.text() + "\"" : v->name.text();
  }

  void list(const std::vector<const Type*>& items, size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) {
      if (i > first) out += ", ";
      show(items[i]);
    }
  }

  void show_constant(const Constant* c) {
    const DataType* of = c->of;
    if (of == roots().int64) {
      out += std::to_string(c->bits);
    } else if (of == roots().symbol) {
      out += symbol_text(c->symbol);
    } else if (of->is_tuple) {
      out += '(';
      list(c->elements, 0, c->elements.size());
      out += c->elements.size() == 1 ? ",)" : ")";
    } else if (of == core().bool_) {
      out += c->bits != 0 ? "true" : "false";
    } else if (of == core().char_) {
      out += '\'';
      out += static_cast<char>(c->bits);
      out += '\'';
    } else if (subtype(of, core().unsigned_)) {
      const size_t digits = of->layout().size * 2;
      std::string hex(digits, '0');
      auto bits = static_cast<uint64_t>(c->bits);
      for (size_t i = std::min<size_t>(digits, 16); i-- > 0; bits >>= 4)
        hex[digits - std::min<size_t>(digits, 16) + i] = "0123456789abcdef"[bits & 15];
      out += "0x" + hex;
    } else {
      out += std::to_string(c->bits);
    }
  }

  void show_vararg(const Vararg* v) {
    out += "Vararg{";
    show(v->element);
    if (v->count != nullptr) {
      out += ", ";
      show(v->count);
    }
    out += '}';
  }

  void show_union(const UnionType* u) {
    if (u->members.empty()) {
      out += "Union{}";
      return;
    }
    std::vector<const TypeVar*> wheres;
    if (show_alias(u, wheres)) return;
    out += "Union{";
    list(u->members, 0, u->members.size());
    out += '}';
  }

  void show_union_all(const UnionAll* u) {
    // The name alone stands for a declaration with all its own variables.
    const Type* body = u;
    std::vector<const TypeVar*> wheres;
    while (const auto* inner = as<UnionAll>(body)) {
      wheres.push_back(inner->var);
      body = inner->body;
    }
    if (!show_alias(u, wheres)) {
      const auto* d = as<DataType>(body);
      if (d == nullptr) show(body);
      else show_data(d, wheres);
    }
    if (wheres.empty()) return;
    out += " where ";
    if (wheres.size() > 1) out += '{';
    for (size_t i = 0; i < wheres.size(); ++i) {
      if (i > 0) out += ", ";
      show_bounds(wheres[i]);
    }
    if (wheres.size() > 1) out += '}';
  }

  void show_bounds(const TypeVar* v) {
    if (!is_bottom(v->lower)) {
      if (v->upper == roots().any) {
        out += variable_name(v) + ">:";
        show_bound(v->lower);
        return;
      }
      show_bound(v->lower);
      out += "<:" + variable_name(v);
    } else {
      out += variable_name(v);
    }
    if (v->upper != roots().any) {
      out += "<:";
      show_bound(v->upper);
    }
  }

  void show_bound(const Type* t) {
    const size_t start = out.size();
    show(t);
    if (t->kind == TypeKind::kUnionAll && out.find(" where ", start) != std::string::npos) {
      out.insert(start, "(");
      out += ')';
    }
  }

  static bool same_bounds(const TypeVar* a, const TypeVar* b) {
    return (a->lower == b->lower || types_equal(a->lower, b->lower)) &&
           (a->upper == b->upper || types_equal(a->upper, b->upper));
  }

  /// Whether the innermost remaining `where` may be left out because only parameter `skip` names its variable.
  static bool can_elide(const TypeVar* p, const std::vector<const TypeVar*>& wheres, size_t elide,
                        const std::vector<const Type*>& parameters, size_t skip) {
    if (elide == 0 || wheres[elide - 1] != p) return false;
    for (size_t i = elide; i < wheres.size(); ++i) {
      if (mentions(wheres[i]->lower, p) || mentions(wheres[i]->upper, p)) return false;
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (i != skip && mentions(parameters[i], p)) return false;
    }
    return true;
  }

  void show_parameters(const std::vector<const Type*>& parameters, const std::vector<const TypeVar*>& original,
                       std::vector<const TypeVar*>& wheres) {
    size_t n = parameters.size();
    size_t elide = wheres.size();
    for (size_t i = n; i-- > 0;) {
      const auto* p = as<TypeVar>(parameters[i]);
      if (p == nullptr || !can_elide(p, wheres, elide, parameters, i)) continue;
      if (i + 1 == n && i < original.size() && same_bounds(p, original[i])) {
        --n;
        --elide;
      } else if (is_hidden(p->name) && (is_bottom(p->lower) || p->upper == roots().any)) {
        --elide;
      }
    }
    if (n > 0) {
      out += '{';
      for (size_t i = 0; i < n; ++i) {
        if (i > 0) out += ", ";
        const auto* p = as<TypeVar>(parameters[i]);
        const bool elided =
            p != nullptr && std::find(wheres.begin() + static_cast<ptrdiff_t>(elide), wheres.end(), p) != wheres.end();
        if (elided && is_bottom(p->lower)) {
          out += "<:";
          show(p->upper);
        } else if (elided) {
          out += ">:";
          show(p->lower);
        } else {
          show(parameters[i]);
        }
      }
      out += '}';
    }
    wheres.resize(elide);
  }

  /// The arguments that make `alias` the type t (t's own variables standing for themselves); nothing when it is no instance.
  static std::optional<std::vector<const Type*>> match(const Alias& alias, const Type* t) {
    std::vector<const TypeVar*> vars;
    const Type* body = alias.closed;
    while (const auto* u = as<UnionAll>(body)) {
      vars.push_back(u->var);
      body = u->body;
    }
    std::vector<const Type*> found(vars.size(), nullptr);
    const auto fits = [&](auto&& self, const Type* pattern, const Type* x) -> bool {
      if (const auto* v = as<TypeVar>(pattern)) {
        const auto it = std::find(vars.begin(), vars.end(), v);
        if (it != vars.end()) {
          const Type*& slot = found[static_cast<size_t>(it - vars.begin())];
          if (slot == nullptr) slot = x;
          return slot == x;
        }
      }
      if (pattern == x && pattern->is_closed()) return true;
      if (pattern->kind != x->kind) return false;
      if (const auto* d = as<DataType>(pattern)) {
        const auto* y = static_cast<const DataType*>(x);
        if (d->name != y->name || d->parameters.size() != y->parameters.size()) return false;
        for (size_t i = 0; i < d->parameters.size(); ++i) {
          if (!self(self, d->parameters[i], y->parameters[i])) return false;
        }
        return true;
      }
      if (const auto* u = as<UnionType>(pattern)) {
        const auto* y = static_cast<const UnionType*>(x);
        if (u->members.size() != y->members.size()) return false;
        for (size_t i = 0; i < u->members.size(); ++i) {
          if (!self(self, u->members[i], y->members[i])) return false;
        }
        return true;
      }
      return false;
    };
    if (!fits(fits, body, t)) return std::nullopt;
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == nullptr) return std::nullopt;
    }
    return found;
  }

  bool show_alias(const Type* whole, std::vector<const TypeVar*>& wheres) {
    const Type* t = unwrap_union_all(whole);
    if (t->kind != TypeKind::kData && t->kind != TypeKind::kUnion) return false;
    for (const Alias& alias : aliases()) {
      const std::optional<std::vector<const Type*>> arguments = match(alias, t);
      if (!arguments) continue;
      // AbstractVecOrMat{T} with a bound that is not its own cannot be told from the union it is: Julia prints it all the same.
      out += alias.name;
      std::vector<const TypeVar*> original;
      for (const Type* a = alias.closed; as<UnionAll>(a) != nullptr; a = as<UnionAll>(a)->body)
        original.push_back(as<UnionAll>(a)->var);
      show_parameters(*arguments, original, wheres);
      return true;
    }
    return false;
  }

  void show_tuple(const DataType* d) {
    const auto& ps = d->parameters;
    if (ps.empty()) {
      out += "Tuple{}";
      return;
    }
    const auto* tail = as<Vararg>(ps.back());
    const Type* last = ps.back();
    size_t same = 1;
    if (tail == nullptr) {
      while (same < ps.size() && ps[ps.size() - 1 - same] == last) ++same;
      if (last->kind == TypeKind::kConstant) same = 0;
    }
    constexpr size_t kWrittenOut = 3;
    if (tail == nullptr && same == ps.size() && same > kWrittenOut) {
      out += "NTuple{" + std::to_string(same) + ", ";
      show(last);
      out += '}';
      return;
    }
    if (tail != nullptr && tail->count != nullptr && ps.size() == 1) {
      out += "NTuple{";
      show(tail->count);
      out += ", ";
      show(tail->element);
      out += '}';
      return;
    }
    out += "Tuple{";
    if (tail == nullptr && same > kWrittenOut) {
      list(ps, 0, ps.size() - same);
      out += ", Vararg{";
      show(last);
      out += ", " + std::to_string(same) + "}";
    } else {
      list(ps, 0, ps.size());
    }
    out += '}';
  }

  bool show_named_tuple(const DataType* d) {
    const auto* names = as<Constant>(d->parameters[0]);
    const auto* tuple = as<DataType>(d->parameters[1]);
    if (names == nullptr || tuple == nullptr || tuple->parameters.size() != names->elements.size()) return false;
    out += "@NamedTuple{";
    for (size_t i = 0; i < names->elements.size(); ++i) {
      if (i > 0) out += ", ";
      out += identifier_text(as<Constant>(names->elements[i])->symbol);
      if (tuple->parameters[i] != roots().any) {
        out += "::";
        show(tuple->parameters[i]);
      }
    }
    out += '}';
    return true;
  }

  void show_data(const DataType* d, std::vector<const TypeVar*>& wheres) {
    if (d->is_tuple) return d == roots().tuple_name->wrapper ? static_cast<void>(out += "Tuple") : show_tuple(d);
    if (d->name == roots().named_tuple_name && show_named_tuple(d)) return;
    out += type_name_text(d->name);
    show_parameters(d->parameters, d->name->vars, wheres);
  }
};

}  // namespace

void set_module_visible(Symbol module, bool visible) {
  const std::lock_guard lock(visible_mutex());
  if (visible) visible_modules().insert(module);
  else visible_modules().erase(module);
}

std::string type_name_text(const TypeName* name) {
  if (name->function) return "typeof(" + name->function.text() + ")";
  std::string text = name->name.text();
  if (name->module == Symbol("Core") && text == "#Union") return "Union";
  if (text == "TypeofBottom") return "Core.TypeofBottom";
  const bool plain = is_identifier(text);
  if (!plain) text = "var\"" + text + "\"";
  const std::lock_guard lock(visible_mutex());
  const bool by_base = name->module == Symbol("Base") || name->module == Symbol("Core");
  const bool is_short = name->is_exported && (by_base || visible_modules().contains(name->module));
  return is_short ? text : name->module.text() + "." + text;
}

bool is_identifier(std::string_view text) {
  if (text.empty()) return false;
  static const std::unordered_set<std::string_view>& words = *new std::unordered_set<std::string_view>{
      "baremodule", "begin",  "break",   "catch",  "const",    "continue", "do",  "else",   "elseif", "end",
      "export",     "false",  "finally", "for",    "function", "global",   "if",  "import", "let",    "local",
      "macro",      "module", "quote",   "return", "struct",   "true",     "try", "using",  "while"};
  if (words.contains(text)) return false;
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c >= 0x80; };
  // Operators beyond ASCII are no identifiers: arrows, mathematical operators and their supplements.
  if (is_operator_name(text)) return false;
  if (!is_letter(static_cast<unsigned char>(text[0]))) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '!';
  });
}

bool is_operator_name(std::string_view text) {
  static const std::unordered_set<std::string_view>& names = *new std::unordered_set<std::string_view>{
      "+",  "-",  "*",   "/",   "\\", "^",  "%",  "&",  "|",   "~",  "!",  "<",  ">",  "=",  "<=", ">=",
      "==", "!=", "===", "!==", "<:", ">:", "<<", ">>", ">>>", "//", "÷",  "⊻",  "⊼",  "⊽",  "∈",  "∉",
      "∋",  "∌",  "⊆",   "⊇",   "⊊",  "≤",  "≥",  "≠",  "≡",   "≢",  "≈",  "≉",  "∘",  "√",  "∛",  "×",
      "⋅",  "∪",  "∩",   "|>",  "<|", "=>", "->", "..", "…",   "&&", "||", "+=", "-=", "*=", "/=", "^=",
      "?",  ":",  "++",  "→",   "←",  "⊕",  "⊗",  "⊖",  "∧",   "∨",  "¬",  "'",  "."};
  if (names.contains(text)) return true;
  return text.size() > 1 && text[0] == '.' && names.contains(text.substr(1));
}

std::string identifier_text(Symbol name) {
  return is_identifier(name.text()) || is_operator_name(name.text()) ? name.text() : "var\"" + name.text() + "\"";
}

std::string symbol_text(Symbol name) {
  const std::string& text = name.text();
  // Keywords can follow a colon too.
  const bool is_word = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0) &&
                       std::all_of(text.begin(), text.end(),
                                   [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  if (is_identifier(text) || (is_operator_name(text) && text != "'" && text != ".") || is_word) return ":" + text;
  std::string out = "Symbol(\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '$') out += '\\';
    if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else out += c;
  }
  return out + "\")";
}

std::string type_text(const Type* t) {
  Printer p;
  p.show(t);
  return p.out;
}

}  // namespace weft::julia
