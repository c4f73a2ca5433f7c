#include "native/open/open_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include "ir/clone.h"
#include "native/open/own_code.h"
#include "ops/builder.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "transform/refine_shapes.h"

namespace weft::native {
namespace {

/// Writes what a function is made of; one order of walk for reading and rebuilding.
class Reader {
 public:
  explicit Reader(const Function& f) : f_(f), numbers_of_(f.num_values(), UINT32_MAX) {}

  FunctionReading run() {
    region(f_.body());
    return std::move(out_);
  }

 private:
  void word(std::string_view s) { out_.structure.append(s).push_back('\n'); }
  void count(size_t n) { word(std::to_string(n)); }

  void region(RegionId r) {
    count(f_.args(r).size());
    for (Value v : f_.args(r)) define(v);
    count(f_.ops(r).size());
    for (OpId op : f_.ops(r)) {
      word(f_.def(op).mnemonic);
      for (Value v : f_.operands(op)) count(numbers_of_[v.index]);
      for (const auto& [name, attr] : f_.attrs(op).entries()) {
        word(name);
        attribute(attr);
      }
      count(f_.regions(op).size());
      for (RegionId inner : f_.regions(op)) region(inner);
      for (Value v : f_.results(op)) define(v);
    }
  }
  void define(Value v) {
    numbers_of_[v.index] = next_++;
    type(f_.type(v));
  }
  void type(Type t) {
    count(static_cast<size_t>(t.kind()));
    if (t.is_tensor()) word(t.element_str());
    if (t.is_tensor() || t.is_stack()) {
      count(t.shape().size());
      out_.numbers.insert(out_.numbers.end(), t.shape().begin(), t.shape().end());
    }
    if (t.is_stack()) type(t.stacked());
    if (t.kind() == TypeKind::kTuple) {
      for (Type e : t.elements()) type(e);
    }
  }
  void attribute(const Attr& a) {
    count(a.variant().index());
    if (const auto* ints = a.get_if<std::vector<int64_t>>()) {
      count(ints->size());
      out_.numbers.insert(out_.numbers.end(), ints->begin(), ints->end());
    } else if (const auto* n = a.get_if<int64_t>()) {
      out_.numbers.push_back(*n);
    } else if (const auto* t = a.get_if<Type>()) {
      type(*t);
    } else if (const auto* l = a.get_if<Literal>(); l != nullptr && l->splat) {
      // One element for all, however many there are.
      type(l->type);
      out_.literals.push_back(Literal::dense(l->elements));
    } else if (l != nullptr) {
      word(l->type.str());
      out_.literals.push_back(*l);
    } else {
      word(a.str());
    }
  }

  const Function& f_;
  std::vector<uint32_t> numbers_of_;
  uint32_t next_ = 0;
  FunctionReading out_;
};

/// The same function with other numbers, and arguments in place of some constants.
class Rebuilder {
 public:
  Rebuilder(const Function& f, const FunctionReading& reading, const std::vector<bool>& is_hole)
      : f_(f), reading_(reading), is_hole_(is_hole), map_(f) {}

  std::unique_ptr<Function> run() {
    to_ = std::make_unique<Function>(f_.name());
    to_->set_loc(f_.loc());
    to_->attrs() = f_.attrs();
    for (Value v : f_.args()) map_.set(v, to_->add_arg(to_->body(), type(f_.type(v))));
    for (size_t k = 0; k < is_hole_.size(); ++k) {
      if (is_hole_[k]) holes_.push_back(to_->add_arg(to_->body(), reading_.literals[k].type));
    }
    ops(f_.body(), to_->body());
    return std::move(to_);
  }

 private:
  int64_t number() { return reading_.numbers[next_++]; }

  Type type(Type t) {
    if (t.is_tensor() || t.is_stack()) {
      std::vector<int64_t> shape;
      for (size_t i = 0; i < t.shape().size(); ++i) shape.push_back(number());
      if (t.is_stack()) return Type::stack(type(t.stacked()), shape);
      return t.with_shape(shape);
    }
    if (t.kind() == TypeKind::kTuple) {
      std::vector<Type> elements;
      for (Type e : t.elements()) elements.push_back(type(e));
      return Type::tuple(elements);
    }
    return t;
  }
  Attr attribute(const Attr& a) {
    if (const auto* ints = a.get_if<std::vector<int64_t>>()) {
      std::vector<int64_t> out;
      for (size_t i = 0; i < ints->size(); ++i) out.push_back(number());
      return out;
    }
    if (a.get_if<int64_t>() != nullptr) return number();
    if (const auto* t = a.get_if<Type>()) return type(*t);
    const auto* l = a.get_if<Literal>();
    return l != nullptr && l->splat ? Attr(Literal::splat_of(type(l->type), l->elements)) : a;
  }
  void ops(RegionId from, RegionId region) {
    for (OpId op : f_.ops(from)) {
      Attrs attrs;
      bool is_hole = false;
      for (const auto& [name, attr] : f_.attrs(op).entries()) {
        if (attr.get_if<Literal>() != nullptr) is_hole = is_hole_[literal_++];
        attrs.set(name, attribute(attr));
      }
      std::vector<RegionId> regions;
      for (RegionId inner : f_.regions(op)) {
        const RegionId made = to_->new_region();
        for (Value v : f_.args(inner)) map_.set(v, to_->add_arg(made, type(f_.type(v))));
        ops(inner, made);
        regions.push_back(made);
      }
      std::vector<Type> types;
      for (Value v : f_.results(op)) types.push_back(type(f_.type(v)));
      if (is_hole) {
        Value v = holes_[next_hole_++];
        OpBuilder b(*to_, region);
        if (to_->type(v) != types[0]) v = b.broadcast_in_dim(v, types[0].shape(), {});
        map_.set(f_.result(op), v);
        continue;
      }
      std::vector<Value> operands;
      for (Value v : f_.operands(op)) operands.push_back(map_.at(v));
      const OpId made = to_->append(region, f_.def(op), operands, std::move(attrs), types, regions, f_.loc(op));
      for (size_t i = 0; i < types.size(); ++i) map_.set(f_.result(op, i), to_->result(made, i));
    }
  }

  const Function& f_;
  const FunctionReading& reading_;
  const std::vector<bool>& is_hole_;
  std::unique_ptr<Function> to_;
  ValueMap map_;
  std::vector<Value> holes_;
  size_t next_ = 0, literal_ = 0, next_hole_ = 0;
};

constexpr int kAttempts = 5;

void expect_static(const Function& f) {
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Value v{i};
    const Type t = f.type(v);
    if (!t.is_tensor() || t.is_static()) continue;
    const OpId op = f.defining_op(v);
    throw Unsupported((op ? "[" + std::string(f.def(op).mnemonic) + "] " : "@" + f.name() + ": ") +
                          "the native target runs open extents that follow from the arguments' extents and from "
                          "small integer arguments: the extents of " +
                          t.str() + " depend on data",
                      op ? f.loc(op) : f.loc());
  }
}

}  // namespace

FunctionReading read_function(const Function& f) { return Reader(f).run(); }

OpenProgram::OpenProgram(std::unique_ptr<Function> function, const Module& program) : source_(std::move(function)) {
  const auto names_functions = [&](OpId op) {
    return source_->attrs(op).has("called_computations") || source_->attrs(op).has("callee");
  };
  bool any = false;
  for (uint32_t i = 0; i < source_->num_ops(); ++i) any = any || names_functions(OpId{i});
  for (const auto& f : program.functions()) {
    if (any && f->name() != source_->name()) named_.push_back(clone_function(*f, f->name()));
  }
  probe();
}

std::unique_ptr<Function> OpenProgram::refined(std::span<const Type> types, std::span<const Tensor> elements) const {
  Module module;
  module.add(clone_function(*source_, source_->name()));
  for (const auto& f : named_) module.add(clone_function(*f, f->name()));
  std::vector<Literal> literals;
  for (const Tensor& t : elements) literals.push_back(Literal::dense(t));
  RefineOptions options;
  options.keeps_structure = true;
  options.constants.assign(types.size(), nullptr);
  for (size_t k = 0; k < shape_arguments_.size(); ++k) options.constants[shape_arguments_[k]] = &literals[k];
  refine_shapes(module, source_->name(), types, options);
  return clone_function(module.get(source_->name()), source_->name());
}

void OpenProgram::probe() {
  std::string first;
  for (const bool joins : {false, true}) {
    const ArgumentExtents extents(*source_, joins);
    shape_arguments_ = extents.shape_arguments();
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string why;
      if (try_probe(extents, attempt, Equal::kKnown, why)) return;
      if (first.empty()) first = why;
    }
  }
  // Ops may demand more than was read off them; calls for which it is otherwise get code of their own.
  const ArgumentExtents extents(*source_, true);
  for (const Equal equal : {Equal::kFirst, Equal::kAll}) {
    std::string why;
    is_guessed_ = try_probe(extents, 0, equal, why);
    if (is_guessed_) return;
  }
  throw NeedsOwnCode{"no two sets of extents were found for which the same ops follow (" + first + ")"};
}

// Extents in general position: no number of the program coincides with another by chance, or a call finds out.
bool OpenProgram::try_probe(const ArgumentExtents& extents, int attempt, Equal equal, std::string& why) {
  constexpr int64_t kBase[kAttempts] = {1009, 1009, 1009, 211, 12};
  constexpr int64_t kFactor[kAttempts] = {1, 1, 12, 1, 1};
  // What is updated or sliced is at least as large as its part: the first arguments are the smaller ones, then the larger ones.
  const bool is_reversed = attempt == 1;
  std::unique_ptr<Function> probes[2];
  calls_.clear();
  for (int p = 0; p < 2; ++p) {
    std::vector<Type> types = source_->arg_types();
    std::vector<std::vector<int64_t>> shapes;
    for (Type t : types) {
      shapes.emplace_back();
      if (t.is_tensor()) shapes.back().assign(t.shape().begin(), t.shape().end());
    }
    std::vector<Tensor> elements;
    for (size_t a : shape_arguments_) elements.emplace_back(types[a].element_type(), shapes[a]);
    int64_t number = 0;
    for (const ArgumentExtents::Class& c : extents.classes()) {
      ++number;
      const bool is_first = std::ranges::any_of(c.members, [](const auto& q) { return !q.is_element && q.axis == 0; });
      const bool is_shared = c.has_extent && (equal == Equal::kAll || (equal == Equal::kFirst && is_first));
      const int64_t k = is_shared ? 0 : is_reversed ? static_cast<int64_t>(extents.classes().size()) - number : number;
      int64_t value = (kBase[attempt] + 38 * k * (p + 1) + 97 * p) * kFactor[attempt];
      if (!c.has_extent && attempt > 0) value = 2 * k + p;
      if (c.bound >= 0) value = std::min(value, std::max<int64_t>(c.bound - p, 0));
      if (c.value) value = *c.value;
      for (const ArgumentQuantity& q : c.members) {
        if (!q.is_element) {
          shapes[q.argument][static_cast<size_t>(q.axis)] = value;
          continue;
        }
        const size_t at =
            static_cast<size_t>(std::ranges::find(shape_arguments_, q.argument) - shape_arguments_.begin());
        Tensor& t = elements[at];
        std::memcpy(static_cast<char*>(t.raw()) + static_cast<size_t>(q.axis) * byte_size(t.element_type()), &value,
                    byte_size(t.element_type()));
      }
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i].is_tensor() && !types[i].is_static()) types[i] = types[i].with_shape(shapes[i]);
    }
    try {
      probes[p] = refined(types, elements);
    } catch (const UserError& e) {
      why = e.what();
      return false;
    }
    expect_static(*probes[p]);
    calls_.push_back({std::move(types), std::move(elements)});
  }
  const FunctionReading a = read_function(*probes[0]), b = read_function(*probes[1]);
  if (a.structure != b.structure) {
    why = "the ops of the program depend on the extents";
    return false;
  }
  name_numbers(a, b);
  function_ = Rebuilder(*probes[0], reading_, is_hole_).run();
  return true;
}

void OpenProgram::name_numbers(const FunctionReading& a, const FunctionReading& b) {
  std::set<int64_t> fixed;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    if (a.numbers[i] == b.numbers[i]) fixed.insert(a.numbers[i]);
  }
  names_ = ExtentNames(fixed);
  std::vector<std::pair<int64_t, int64_t>> symbols;
  std::map<std::pair<int64_t, int64_t>, int64_t> codes;
  // c · a product of symbols, with the same c in both; products of few come first.
  const auto as_product = [&](int64_t x, int64_t y) -> std::optional<int64_t> {
    std::vector<std::array<int64_t, 3>> products = {{1, 1, 1}};  // the values in both, and the name
    for (int factors = 1; factors <= 3; ++factors) {
      std::vector<std::array<int64_t, 3>> longer;
      for (const auto& [u, v, name] : products) {
        for (size_t s = 0; s < symbols.size(); ++s) {
          const int64_t p = u * symbols[s].first, q = v * symbols[s].second;
          if (p == 0 || q == 0 || x % p != 0 || y % q != 0) continue;
          if (x / p == y / q) return x / p * name * names_.name(s);
          longer.push_back({p, q, name * names_.name(s)});
        }
      }
      products = std::move(longer);
    }
    return std::nullopt;
  };
  reading_ = a;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    const int64_t x = a.numbers[i], y = b.numbers[i];
    if (x == y) continue;
    const auto [it, is_new] = codes.try_emplace({x, y}, 0);
    if (is_new) {
      if (const auto product = x != 0 && y != 0 ? as_product(x, y) : std::nullopt) {
        it->second = *product;
      } else {
        it->second = names_.add();
        symbols.emplace_back(x, y);
      }
    }
    reading_.numbers[i] = it->second;
  }
  is_hole_.clear();
  example_.clear();
  for (const auto& [x, y] : symbols) example_.push_back(x);
  for (size_t i = 0; i < a.literals.size(); ++i) is_hole_.push_back(!(a.literals[i] == b.literals[i]));
}

bool OpenProgram::rewrite(const Rewrite& rewrite) {
  return rewrite_named([&](std::unique_ptr<Function> f, const ExtentNames&) { return rewrite(std::move(f)); });
}

bool OpenProgram::rewrite_named(const NamedRewrite& rewrite) {
  FunctionReading reading = read_function(*function_);
  std::set<int64_t> taken(reading.numbers.begin(), reading.numbers.end());
  ExtentNames others(taken);
  for (size_t s = 0; s < names_.count(); ++s) others.add();
  const auto other = [&](const ExtentNames::Product& p) {
    int64_t n = p.coefficient;
    for (size_t s : p.symbols) n *= others.name(s);
    return n;
  };
  for (int64_t& n : reading.numbers) n = other(names_.decode(n));
  const std::vector<bool> no_holes(reading.literals.size(), false);
  std::unique_ptr<Function> made = rewrite(clone_function(*function_, function_->name()), names_);
  if (made == nullptr) return false;
  const std::unique_ptr<Function> check = rewrite(Rebuilder(*function_, reading, no_holes).run(), others);
  if (check == nullptr) return false;
  const FunctionReading a = read_function(*made), b = read_function(*check);
  if (a.structure != b.structure || !std::ranges::equal(a.literals, b.literals)) return false;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    if (!(names_.decode(a.numbers[i]) == others.decode(b.numbers[i]))) return false;
  }
  function_ = std::move(made);
  return true;
}

void OpenProgram::expect_arguments(std::span<const Type> types) const {
  const auto args = source_->args();
  if (types.size() != args.size())
    throw UserError("wrong number of arguments: got " + std::to_string(types.size()) + ", expected " +
                    std::to_string(args.size()));
  struct Seen {
    size_t argument;
    int64_t axis, extent;
  };
  std::map<int64_t, Seen> seen;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type declared = source_->type(args[i]), named = function_->type(function_->args()[i]);
    const Type plain = declared.is_quantized() ? storage_type(declared) : declared;
    if (!is_compatible(plain, types[i]))
      throw UserError("argument " + std::to_string(i) + ": got " + types[i].str() + ", expected " + declared.str());
    if (!named.is_tensor()) continue;
    for (int64_t d = 0; d < named.rank(); ++d) {
      const ExtentNames::Product p = names_.decode(named.dim(d));
      if (p.symbols.empty() && named.dim(d) != types[i].dim(d))
        throw UserError("argument " + std::to_string(i) + ": got " + types[i].str() + ", expected extent " +
                        std::to_string(named.dim(d)) + " in dimension " + std::to_string(d) +
                        ", as the ops of the program demand");
      if (p.symbols.size() != 1 || p.coefficient != 1) continue;
      const auto [it, is_new] = seen.try_emplace(named.dim(d), Seen{i, d, types[i].dim(d)});
      if (!is_new && it->second.extent != types[i].dim(d))
        throw UserError("argument " + std::to_string(i) + ": got " + types[i].str() + ", expected extent " +
                        std::to_string(it->second.extent) + " in dimension " + std::to_string(d) +
                        ", that of dimension " + std::to_string(it->second.axis) + " of argument " +
                        std::to_string(it->second.argument));
    }
  }
}

OpenProgram::Resolved OpenProgram::resolve(std::span<const Type> arg_types, std::span<const Tensor> elements) const {
  if (arg_types.size() != source_->args().size()) expect_arguments(arg_types);
  try {
    expect_arguments(arg_types);
  } catch (const UserError&) {
    // What the program itself says of its shapes comes first.
    try {
      refined(arg_types, elements);
    } catch (const UserError& e) {
      if (std::string_view(e.what()).starts_with("[shape_assertion]")) throw;
    }
    if (is_guessed_) throw NeedsOwnCode{"extents that the program takes for equal are not"};
    throw;
  }
  const std::unique_ptr<Function> f = refined(arg_types, elements);
  const FunctionReading now = read_function(*f);
  const auto refuse = [&](const std::string& what) {
    return NeedsOwnCode{"the program was compiled for all extents, but " + what + " for the arguments at hand"};
  };
  if (now.structure != reading_.structure || now.numbers.size() != reading_.numbers.size())
    throw refuse("other ops follow");
  Resolved out;
  std::vector<bool> is_known(names_.count(), false);
  out.values.assign(names_.count(), 0);
  std::map<int64_t, size_t> symbol_of;
  for (size_t s = 0; s < names_.count(); ++s) symbol_of[names_.name(s)] = s;
  for (size_t i = 0; i < now.numbers.size(); ++i) {
    const auto it = symbol_of.find(reading_.numbers[i]);
    if (it == symbol_of.end()) continue;
    if (is_known[it->second] && out.values[it->second] != now.numbers[i])
      throw refuse("extents that it takes for equal are " + std::to_string(out.values[it->second]) + " and " +
                   std::to_string(now.numbers[i]));
    is_known[it->second] = true;
    out.values[it->second] = now.numbers[i];
  }
  for (size_t i = 0; i < now.numbers.size(); ++i) {
    const int64_t expected = names_.value(reading_.numbers[i], out.values);
    if (expected != now.numbers[i])
      throw refuse("an extent that it takes for " + std::to_string(expected) + " is " + std::to_string(now.numbers[i]));
  }
  for (size_t i = 0; i < now.literals.size(); ++i) {
    if (is_hole_[i]) {
      out.constants.push_back(now.literals[i].materialize());
    } else if (!(now.literals[i] == reading_.literals[i])) {
      throw refuse("a constant changes");
    }
  }
  out.arg_types = f->arg_types();
  out.result_types = f->result_types();
  return out;
}

Type OpenProgram::concrete(Type t, std::span<const int64_t> values) const {
  if (t.is_tensor() || t.is_stack()) {
    std::vector<int64_t> shape;
    for (int64_t d : t.shape()) shape.push_back(names_.value(d, values));
    return t.is_stack() ? Type::stack(concrete(t.stacked(), values), shape) : t.with_shape(shape);
  }
  return t;
}

}  // namespace weft::native
