#include "julia/types/type_reader.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool is_name_char(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '!' || c == '.' || c == '#';
}

class Reader {
 public:
  Reader(std::string_view text, const TypeLookup& lookup) : text_(text), lookup_(lookup) {}

  /// Names written after `where` are known only after what they bind: the clauses are read first.
  const Type* whole() {
    const Type* t = type();
    expect_end();
    return t;
  }

  const Type* type() {
    const size_t start = at_;
    const size_t scope = vars_.size();
    skip_primary();
    std::vector<std::vector<const TypeVar*>> clauses;
    size_t end = at_;
    std::vector<size_t> starts;
    while (take_word("where")) {
      starts.push_back(at_);
      skip_clause();
      end = at_;
    }
    // The last clause binds outermost, and its variables may stand in the bounds of those before.
    for (size_t i = starts.size(); i-- > 0;) {
      at_ = starts[i];
      clauses.push_back(clause());
    }
    at_ = start;
    const Type* t = primary();
    at_ = end;
    for (size_t i = clauses.size(); i-- > 0;) {
      for (size_t j = clauses[i].size(); j-- > 0;) t = make_union_all(clauses[i][j], t);
    }
    vars_.resize(scope);
    return t;
  }

  /// "T", "T<:Real", "L<:T<:U", "T>:L".
  const TypeVar* variable() {
    skip_space();
    std::string first;
    const size_t start = at_;
    first = std::string(name());
    if (take("<:")) {
      const size_t after = at_;
      skip_primary();
      if (take("<:")) {  // lower <: var <: upper
        at_ = start;
        const Type* lower = primary();
        take("<:");
        const std::string var(name());
        take("<:");
        return bind(var, lower, primary());
      }
      at_ = after;
      return bind(first, nullptr, primary());
    }
    if (take(">:")) return bind(first, primary(), nullptr);
    return bind(first, nullptr, nullptr);
  }

  const TypeVar* bind(const std::string& name, const Type* lower, const Type* upper) {
    const TypeVar* v = make_type_var(name, lower, upper);
    vars_.emplace_back(name, v);
    return v;
  }

  std::vector<const TypeVar*> clause() {
    std::vector<const TypeVar*> out;
    if (take("{")) {
      while (!take("}")) {
        out.push_back(variable());
        take(",");
      }
    } else {
      out.push_back(variable());
    }
    return out;
  }

  std::string_view name() {
    skip_space();
    const size_t start = at_;
    if (at_ >= text_.size() || !(is_name_start(text_[at_]) || text_[at_] == '#')) fail("expected a name");
    ++at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }

  bool take_word(std::string_view word) {
    skip_space();
    if (text_.substr(at_, word.size()) != word) return false;
    if (at_ + word.size() < text_.size() && is_name_char(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }

  int64_t number() {
    skip_space();
    int64_t n = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (error != std::errc()) fail("expected a number");
    at_ = static_cast<size_t>(end - text_.data());
    return n;
  }

  void expect(std::string_view token) {
    if (!take(token)) fail("expected '" + std::string(token) + "'");
  }
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail("unexpected text");
  }
  [[noreturn]] void fail(const std::string& why) {
    throw UserError("type expression \"" + std::string(text_) + "\", character " + std::to_string(at_ + 1) + ": " +
                    why);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  /// Over one expression, brackets balanced, to a closing one or to one of `ends` outside of all.
  void skip_to(std::string_view ends) {
    skip_space();
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '{' || c == '(') ++depth;
      else if (c == '}' || c == ')') {
        if (depth == 0) return;
        --depth;
      } else if (depth == 0 && ends.find(c) != std::string_view::npos) return;
    }
  }
  void skip_primary() { skip_to(", <>;="); }
  void skip_clause() { skip_to(", ;"); }

  const Type* primary() {
    skip_space();
    if (at_ >= text_.size()) fail("expected a type");
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') return make_int(number());
    if (c == ':') {
      ++at_;
      return make_symbol_constant(name());
    }
    if (c == '(') {
      ++at_;
      std::vector<const Type*> elements;
      while (!take(")")) {
        elements.push_back(type());
        take(",");
      }
      return make_tuple_constant(elements);
    }
    const std::string word(name());
    if (word == "true" || word == "false") return make_constant(core().bool_, word == "true");
    const bool is_union = word == "Union", is_vararg = word == "Vararg";
    const Type* base = nullptr;
    for (size_t i = vars_.size(); i-- > 0 && base == nullptr;) {
      if (vars_[i].first == word) base = vars_[i].second;
    }
    if (base == nullptr && !is_vararg) {
      if (lookup_) base = lookup_(word);
      if (base == nullptr) base = builtin_type(word);
      if (base == nullptr) fail("unknown type " + word);
    }
    if (at_ >= text_.size() || text_[at_] != '{') return is_vararg ? make_vararg(roots().any) : base;
    ++at_;
    std::vector<const Type*> arguments;
    std::vector<const TypeVar*> hidden;
    while (!take("}")) {
      const bool below = take("<:");
      if (below || take(">:")) {
        const Type* bound = primary();
        const TypeVar* v =
            make_type_var("#s" + std::to_string(++hidden_), below ? nullptr : bound, below ? bound : nullptr);
        hidden.push_back(v);
        arguments.push_back(v);
      } else {
        arguments.push_back(type());
      }
      take(",");
    }
    const Type* t = nullptr;
    if (is_union) t = make_union(arguments);
    else if (is_vararg) t = make_vararg(arguments.at(0), arguments.size() > 1 ? arguments[1] : nullptr);
    else if (arguments.empty() && base == roots().tuple_name->wrapper) t = make_tuple_type({});
    else t = apply_type(base, arguments);
    for (size_t i = hidden.size(); i-- > 0;) t = make_union_all(hidden[i], t);
    return t;
  }

  std::string_view text_;
  const TypeLookup& lookup_;
  size_t at_ = 0;
  int hidden_ = 0;
  std::vector<std::pair<std::string, const TypeVar*>> vars_;
};

void read_declaration(std::string_view line, Symbol module, const TypeLookup& lookup,
                      const std::function<void(std::string_view, const Type*)>& define) {
  std::string_view now;  // the name being declared, which fields may mention
  const Type* self = nullptr;
  const TypeLookup find = [&](std::string_view name) -> const Type* {
    if (self != nullptr && name == now) return self;
    return lookup ? lookup(name) : nullptr;
  };
  Reader r(line, find);
  const std::string kind(r.name());
  std::string_view full = r.name();
  const size_t dot = full.rfind('.');
  now = dot == std::string_view::npos ? full : full.substr(dot + 1);
  std::vector<const TypeVar*> vars;
  if (r.take("{")) {
    while (!r.take("}")) {
      vars.push_back(r.variable());
      r.take(",");
    }
  }
  if (kind == "alias") {
    r.expect("=");
    const Type* t = wrap_free(r.type(), vars);
    define(full, t);
    return;
  }
  const Flavour flavour = kind == "abstract"    ? Flavour::kAbstract
                          : kind == "primitive" ? Flavour::kPrimitive
                          : kind == "mutable"   ? Flavour::kMutable
                                                : Flavour::kStruct;
  const int bits = flavour == Flavour::kPrimitive ? static_cast<int>(r.number()) : 0;
  TypeName* n =
      declare_type(now, dot == std::string_view::npos ? module : Symbol(full.substr(0, dot)), flavour, vars, bits);
  n->is_exported = dot == std::string_view::npos || !(full.starts_with("Base.") || full.starts_with("Core."));
  self = n->wrapper;
  set_super(n, r.take("<:") ? r.type() : roots().any);
  std::vector<Symbol> names;
  std::vector<const Type*> types;
  while (r.take(";")) {
    if (r.take("opaque")) {
      n->is_opaque = true;
      continue;
    }
    names.emplace_back(r.name());
    types.push_back(r.take("::") ? r.type() : roots().any);
  }
  r.expect_end();
  set_fields(n, std::move(names), std::move(types));
  define(full, n->wrapper);
}

}  // namespace

const Type* read_type(std::string_view text, const TypeLookup& lookup) { return Reader(text, lookup).whole(); }

void read_declarations(std::string_view text, Symbol module, const TypeLookup& lookup,
                       const std::function<void(std::string_view, const Type*)>& define) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(' ') != std::string_view::npos) read_declaration(line, module, lookup, define);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace weft::julia
