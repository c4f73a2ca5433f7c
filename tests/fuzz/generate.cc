#include "tests/fuzz/generate.h"

#include <algorithm>
#include <set>

#include "ir/clone.h"
#include "ops/record.h"
#include "ops/scalar/num.h"
#include "tests/fuzz/pool.h"
#include "tests/fuzz/templates.h"

namespace weft::fuzz {
namespace {

/// Ops of equal operands without attributes.
std::vector<const OpRecord*> make_elementwise() {
  std::vector<const OpRecord*> out;
  for (const OpRecord* op : all_ops()) {
    if (op->syntax != Syntax::kElementwise || op->effects != Effects::kPure || op->samples.refused()) continue;
    if (std::any_of(op->schema.begin(), op->schema.end(), [](const AttrSpec& a) { return a.required; })) continue;
    out.push_back(op);
  }
  return out;
}
const std::vector<const OpRecord*>& elementwise() {
  static const std::vector<const OpRecord*> kOps = make_elementwise();
  return kOps;
}

/// Rounded once, or not at all, wherever it is computed.
bool is_exact(const OpRecord& op) {
  static const std::set<std::string_view> kOps = {"stablehlo.add",
                                                  "stablehlo.subtract",
                                                  "stablehlo.multiply",
                                                  "stablehlo.divide",
                                                  "stablehlo.maximum",
                                                  "stablehlo.minimum",
                                                  "stablehlo.negate",
                                                  "stablehlo.abs",
                                                  "stablehlo.and",
                                                  "stablehlo.or",
                                                  "stablehlo.xor",
                                                  "stablehlo.not",
                                                  "stablehlo.floor",
                                                  "stablehlo.ceil",
                                                  "stablehlo.round_nearest_even",
                                                  "stablehlo.round_nearest_afz",
                                                  "stablehlo.sign",
                                                  "stablehlo.popcnt",
                                                  "stablehlo.count_leading_zeros",
                                                  "stablehlo.remainder",
                                                  "stablehlo.shift_left",
                                                  "stablehlo.shift_right_arithmetic",
                                                  "stablehlo.shift_right_logical",
                                                  "stablehlo.sqrt",
                                                  "stablehlo.is_finite",
                                                  "stablehlo.compare",
                                                  "stablehlo.select",
                                                  "stablehlo.clamp",
                                                  "stablehlo.convert",
                                                  "stablehlo.reshape",
                                                  "stablehlo.transpose",
                                                  "stablehlo.slice",
                                                  "stablehlo.pad",
                                                  "stablehlo.concatenate",
                                                  "stablehlo.reverse",
                                                  "stablehlo.iota",
                                                  "stablehlo.broadcast_in_dim",
                                                  "stablehlo.gather",
                                                  "stablehlo.dynamic_slice",
                                                  "stablehlo.dynamic_update_slice",
                                                  "stablehlo.bitcast_convert",
                                                  "stablehlo.sort",
                                                  "chlo.top_k",
                                                  "stablehlo.uniform_quantize",
                                                  "stablehlo.uniform_dequantize",
                                                  "stablehlo.constant",
                                                  "stablehlo.while",
                                                  "stablehlo.case",
                                                  "stablehlo.if",
                                                  "stablehlo.optimization_barrier",
                                                  "stablehlo.tuple",
                                                  "stablehlo.get_tuple_element",
                                                  "stablehlo.return",
                                                  "func.return"};
  return kOps.count(op.mnemonic) != 0;
}
bool is_exact(const Function& f) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (!is_exact(record(f.def(OpId{i})))) return false;
  }
  return true;
}

class Generator {
 public:
  Generator(uint64_t seed, const GenerateOptions& options) : random_(seed), options_(options) {}

  std::unique_ptr<Module> run() {
    auto module = std::make_unique<Module>();
    module_ = module.get();
    const size_t callees = random_.below(3);
    for (size_t i = 0; i < callees; ++i) function("g" + std::to_string(i), 1 + static_cast<int>(random_.below(6)));
    function("main", options_.ops);
    return module;
  }

 private:
  void function(const std::string& name, int ops) {
    auto owned = std::make_unique<Function>(name);
    Function& f = *owned;
    OpBuilder b(f, f.body(), module_);
    Pool pool(random_, true);
    const size_t args = 1 + random_.below(3);
    for (size_t i = 0; i < args; ++i) pool.add(b, f.add_arg(f.body(), pool.any_type()));
    fill(b, pool, ops, 0);
    std::vector<Value> results;
    const size_t count = 1 + random_.below(6);
    for (size_t i = 0; i < count; ++i) {
      if (const auto v = pool.any_tensor(b)) results.push_back(*v);
    }
    b.yield(results);
    f.set_public(name == "main");
    module_->add(clone_function(f, name));  // without what refused ops left behind
  }

  void fill(OpBuilder& b, Pool& pool, int ops, int depth) {
    for (int i = 0; i < ops; ++i) {
      const size_t before = b.function().num_ops();
      if (before > 600) return;
      try {
        step(b, pool, depth);
      } catch (const UserError&) {
        // The type rule refuses what was drawn.
      }
    }
  }

  void add_all(const OpBuilder& b, Pool& pool, const std::vector<Value>& values) {
    for (Value v : values) pool.add(b, v);
  }

  void step(OpBuilder& b, Pool& pool, int depth) {
    const size_t kind = random_.below(depth < 2 ? 100 : 80);
    if (kind < 30) return add_all(b, pool, plain(b, pool));
    if (kind < 47) return add_all(b, pool, structure(b, pool));
    if (kind < 50) return add_all(b, pool, quantized(b, pool));
    if (kind < 74) return add_all(b, pool, sample(b, pool));
    if (kind < 80) return add_all(b, pool, with_body(b, pool));
    if (kind < 87) return add_all(b, pool, loop(b, pool, depth));
    if (kind < 94) return add_all(b, pool, branch(b, pool, depth));
    return add_all(b, pool, call(b, pool));
  }

  /// An elementwise op on a value there is and others of its type.
  std::vector<Value> plain(OpBuilder& b, const Pool& pool) {
    const OpRecord& op = *random_.pick(elementwise());
    if (options_.exact && !is_exact(op)) return {};
    const auto first = pool.any_tensor(b);
    if (!first) return {};
    std::vector<Value> operands = {*first};
    const Type t = b.type(*first);
    if (op.mnemonic.starts_with("chlo.broadcast_shift") && is_float(t.element_type())) return {};
    for (int tries = 0; tries < 3; ++tries) {
      try {
        return b.create(op, operands);
      } catch (const UserError&) {
        // Perhaps it takes one more.
        const auto next = pool.find(b, t);
        if (!next) return {};
        operands.push_back(*next);
      }
    }
    return {};
  }

  std::vector<int64_t> permutation(size_t n) {
    std::vector<int64_t> out(n);
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(i);
    for (size_t i = n; i > 1; --i) std::swap(out[i - 1], out[random_.below(i)]);
    return out;
  }
  std::vector<int64_t> subset(size_t n) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < n; ++i) {
      if (random_.chance(0.5)) out.push_back(static_cast<int64_t>(i));
    }
    return out;
  }

  /// Ops on the arrangement of elements, with attributes that fit a value there is.
  std::vector<Value> structure(OpBuilder& b, Pool& pool) {
    const auto source = pool.any_tensor(b);
    if (!source) return {};
    const Value x = *source;
    const Type t = b.type(x);
    const auto rank = static_cast<size_t>(t.rank());
    const std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    const auto other = [&](Type type) {
      const auto v = pool.find(b, type);
      if (!v) throw UserError("no value of type " + type.str());
      return *v;
    };
    switch (random_.below(16)) {
      case 0: {
        const Type to = pool.any_type();
        if (to.num_elements() == t.num_elements()) return {b.reshape(x, to.shape())};
        const int64_t flat[] = {t.num_elements()};
        return {b.reshape(x, flat)};
      }
      case 1: return {b.make("stablehlo.transpose", {x}, {{"permutation", permutation(rank)}})};
      case 2: {
        std::vector<int64_t> to, dims;
        for (size_t i = 0; i < rank; ++i) {
          if (random_.chance(0.3)) to.push_back(random_.between(0, 3));
          dims.push_back(static_cast<int64_t>(to.size()));
          to.push_back(shape[i] == 1 && random_.chance(0.6) ? 3 : shape[i]);
        }
        if (random_.chance(0.3)) to.push_back(2);
        return {b.make("stablehlo.broadcast_in_dim", {x}, {{"broadcast_dimensions", dims}}, t.with_shape(to))};
      }
      case 3: {
        std::vector<int64_t> start, limit, strides;
        for (int64_t e : shape) {
          start.push_back(random_.between(0, random_.chance(0.5) ? 0 : e));
          limit.push_back(random_.chance(0.5) ? e : random_.between(start.back(), e));
          strides.push_back(random_.between(1, 2));
        }
        return {
            b.make("stablehlo.slice", {x}, {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}})};
      }
      case 4: {
        std::vector<int64_t> low, high, interior;
        for (size_t i = 0; i < rank; ++i) {
          low.push_back(random_.between(-1, 2));
          high.push_back(random_.between(-1, 2));
          interior.push_back(random_.chance(0.3) ? 1 : 0);
        }
        return {b.pad(x, other(t.with_shape({})), low, high, interior)};
      }
      case 5: {
        std::vector<Value> xs = {x};
        for (size_t n = random_.below(3); n > 0; --n) xs.push_back(other(t));
        const int64_t axis = random_.between(0, std::max<int64_t>(t.rank() - 1, 0));
        return {b.create("stablehlo.concatenate", xs, {{"dimension", axis}})};
      }
      case 6: return {b.make("stablehlo.reverse", {x}, {{"dimensions", subset(rank)}})};
      case 7: {
        const Type to = pool.any_type();
        return {b.make("stablehlo.iota", {},
                       {{"iota_dimension", random_.between(0, std::max<int64_t>(to.rank() - 1, 0))}}, to)};
      }
      case 8: return {b.make("stablehlo.convert", {x}, {}, t.with_element(pool.any_type().element_type()))};
      case 9: {
        const ElementType to = random_.pick(element_types());
        // What a NaN's bits are is nobody's promise.
        if (is_float(t.element_type()) || is_complex(t.element_type())) return {};
        return {b.make("stablehlo.bitcast_convert", {x}, {}, t.with_element(to))};
      }
      case 10: {
        const Type flags = t.with_element(ElementType::kI1);
        return {b.select(other(random_.chance(0.3) ? flags.with_shape({}) : flags), x, other(t))};
      }
      case 11: {
        static constexpr std::array<std::string_view, 6> kDirections = {"EQ", "NE", "LT", "LE", "GT", "GE"};
        return {b.compare(x, other(t), random_.pick(kDirections))};
      }
      case 12: {
        const auto bound = [&] { return other(random_.chance(0.5) ? t : t.with_shape({})); };
        const Value low = bound(), high = bound();
        return {b.make("stablehlo.clamp", {low, x, high})};
      }
      case 13:
      case 14: {
        static constexpr std::array kIndexTypes = {ElementType::kI32, ElementType::kI64, ElementType::kU8};
        const Type index = Type::scalar(random_.pick(kIndexTypes));
        std::vector<Value> starts;
        std::vector<int64_t> sizes;
        for (int64_t e : shape) {
          starts.push_back(other(index));
          sizes.push_back(random_.between(0, e));
        }
        if (random_.chance(0.5)) return {b.dynamic_slice(x, starts, sizes)};
        return {b.dynamic_update_slice(x, other(t.with_shape(sizes)), starts)};
      }
      default: {
        std::vector<Value> xs = {x, other(t)};
        if (random_.chance(0.5)) return b.create("stablehlo.optimization_barrier", xs);
        const auto tuple = b.create("stablehlo.tuple", xs);
        return b.create("stablehlo.get_tuple_element", tuple, {{"index", static_cast<int64_t>(random_.below(2))}});
      }
    }
  }

  /// A float as integers that stand for it, ops on those, and what they stand for in the end.
  std::vector<Value> quantized(OpBuilder& b, Pool& pool) {
    const auto source = pool.any_tensor(b);
    if (!source) return {};
    Value x = *source;
    const Type t = b.type(x);
    using enum ElementType;
    if (t.element_type() != kF32 && t.element_type() != kF64 && t.element_type() != kF16 && t.element_type() != kBF16)
      return {};
    const auto type_of = [&](std::span<const int64_t> shape) {
      struct Storage {
        ElementType type;
        int64_t least, most;
      };
      static constexpr std::array<Storage, 6> kStorage = {{{kI8, -128, 127},
                                                           {kU8, 0, 255},
                                                           {kI16, -32768, 32767},
                                                           {kI4, -8, 7},
                                                           {kI8, -100, 90},
                                                           {kI32, -2147483648LL, 2147483647LL}}};
      static constexpr std::array kScales = {0.5, 0.1, 3.0, 0.007};
      const Storage storage = random_.pick(kStorage);
      Quantization q{t.element_type(), storage.least, storage.most, -1, {}, {}};
      size_t count = 1;
      if (!shape.empty() && shape[0] > 0 && random_.chance(0.3)) {
        q.axis = 0;
        count = static_cast<size_t>(shape[0]);
      }
      for (size_t i = 0; i < count; ++i) {
        q.scales.push_back(random_.pick(kScales));
        q.zero_points.push_back(random_.chance(0.4) ? 0 : random_.between(std::max<int64_t>(storage.least, -7), 7));
      }
      return Type::quantized(storage.type, q, shape);
    };
    const Type stored = type_of(t.shape());
    std::vector<Value> known = {b.make("stablehlo.uniform_quantize", {x}, {}, stored)};
    static constexpr std::array<std::string_view, 6> kBinary = {"stablehlo.add",      "stablehlo.subtract",
                                                                "stablehlo.multiply", "stablehlo.maximum",
                                                                "stablehlo.minimum",  "stablehlo.divide"};
    static constexpr std::array<std::string_view, 4> kUnary = {"stablehlo.negate", "stablehlo.abs", "stablehlo.floor",
                                                               "stablehlo.sign"};
    for (size_t n = random_.below(5); n > 0; --n) {
      const Value a = random_.pick(known), c = random_.pick(known);
      try {
        switch (random_.below(4)) {
          case 0: known.push_back(b.make(random_.pick(kUnary), {a}, {}, stored)); break;
          case 1: known.push_back(b.make("stablehlo.reverse", {a}, {{"dimensions", subset(t.shape().size())}})); break;
          case 2: known.push_back(b.make("stablehlo.uniform_quantize", {a}, {}, stored)); break;
          default: known.push_back(b.make(random_.pick(kBinary), {a, c}, {}, stored));
        }
      } catch (const UserError&) {
        // Few ops take quantization per axis.
      }
    }
    const Value last = known.back();
    std::vector<Value> out = {b.make("stablehlo.uniform_dequantize", {last}, {}, t)};
    out.push_back(b.make("stablehlo.bitcast_convert", {last}, {}, t.with_element(stored.element_type())));
    const Value other = b.make("stablehlo.uniform_quantize", {last}, {}, type_of(t.shape()));
    out.push_back(b.make("stablehlo.uniform_dequantize", {other}, {}, t));
    return out;
  }

  /// CHLO's type rules take shifts of floats, which nothing runs.
  static bool runs(const Function& f) {
    for (uint32_t i = 0; i < f.num_ops(); ++i) {
      const OpView op{f, OpId{i}};
      if (op.def().mnemonic.starts_with("chlo.broadcast_shift") && is_float(op.operand_type(0).element_type()))
        return false;
    }
    return true;
  }

  /// A record's sample, perhaps mutated, on values there are.
  std::vector<Value> sample(OpBuilder& b, const Pool& pool) {
    const Template& source = random_.pick(templates());
    const std::shared_ptr<const Function> f = source.has_loop ? source.function : mutated(random_, source);
    if (f == nullptr || !runs(*f) || (options_.exact && !is_exact(*f))) return {};
    ValueMap map(*f);
    for (size_t i = 0; i < f->args().size(); ++i) {
      const Type t = f->type(f->args()[i]);
      if (source.has_loop) {
        if (!t.is_tensor() || !t.is_static()) return {};
        const Domain& domain = source.operands[i].domain;
        Tensor x(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
        for (int64_t k = 0; k < x.size(); ++k) {
          const double v = domain.low + (domain.high - domain.low) * static_cast<double>(random_.below(1000)) / 1000;
          store_num(x.raw(), convert(Num::of_real(ElementType::kF64, v), t.element_type()), k);
        }
        map.set(f->args()[i], b.constant(Literal::dense(x)));
        continue;
      }
      const auto v = pool.find(b, t);
      if (!v) return {};
      map.set(f->args()[i], *v);
    }
    return clone_ops(*f, f->body(), b.function(), b.region(), map);
  }

  /// Scalars in, a scalar of type `result` out: the bodies of reduce, map and sort.
  Value scalar_body(OpBuilder& b, std::span<const Value> args, Type result, int ops) {
    Pool pool(random_, false);
    for (Value v : args) pool.add(b, v);
    for (int i = 0; i < ops; ++i) {
      try {
        if (random_.chance(0.7)) {
          add_all(b, pool, plain(b, pool));
        } else {
          const auto x = pool.any_tensor(b);
          if (!x) continue;
          const auto y = pool.find(b, b.type(*x));
          if (y) pool.add(b, b.compare(*x, *y, "LT"));
        }
      } catch (const UserError&) {}
    }
    const auto v = pool.find(b, result);
    return v ? *v : pool.constant(b, result);
  }

  std::vector<Value> with_body(OpBuilder& b, const Pool& pool) {
    const auto source = pool.any_tensor(b);
    if (!source) return {};
    const Type t = b.type(*source);
    const Type scalar = t.with_shape({});
    std::vector<Value> xs = {*source};
    if (random_.chance(0.4)) {
      const auto more = pool.find(b, t.with_element(random_.chance(0.5) ? t.element_type() : ElementType::kI32));
      if (more) xs.push_back(*more);
    }
    std::vector<Type> scalars;
    for (Value x : xs) scalars.push_back(b.type(x).with_shape({}));
    const auto rank = static_cast<size_t>(t.rank());
    switch (random_.below(3)) {
      case 0: {
        std::vector<int64_t> dims = subset(rank);
        std::vector<Value> operands = xs;
        std::vector<Type> args = scalars;
        for (Type s : scalars) {
          const auto init = pool.find(b, s);
          if (!init) return {};
          operands.push_back(*init);
          args.push_back(s);
        }
        if (options_.exact) return {};
        const RegionId body = b.make_region(args, [&](OpBuilder& r, std::span<const Value> a) {
          static constexpr std::array kUsual = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                                "stablehlo.minimum", "stablehlo.and",      "stablehlo.or"};
          std::vector<Value> out;
          for (size_t i = 0; i < scalars.size(); ++i) {
            if (random_.chance(0.6) && scalars[i].element_type() != ElementType::kI1) {
              out.push_back(r.make(kUsual[random_.below(4)], {a[i], a[i + scalars.size()]}));
            } else {
              out.push_back(scalar_body(r, a, scalars[i], 3));
            }
          }
          return out;
        });
        return b.create("stablehlo.reduce", operands, {{"dimensions", dims}}, {}, std::span(&body, 1));
      }
      case 1: {
        const RegionId body = b.make_region(scalars, [&](OpBuilder& r, std::span<const Value> a) {
          return std::vector{scalar_body(r, a, random_.chance(0.7) ? scalar : Type::scalar(ElementType::kF32), 4)};
        });
        std::vector<int64_t> dims;
        for (size_t i = 0; i < rank; ++i) dims.push_back(static_cast<int64_t>(i));
        return b.create("stablehlo.map", xs, {{"dimensions", dims}}, {}, std::span(&body, 1));
      }
      default: {
        std::vector<Type> args;
        for (Type s : scalars) args.push_back(s), args.push_back(s);
        const RegionId body = b.make_region(args, [&](OpBuilder& r, std::span<const Value> a) {
          if (random_.chance(0.7)) return std::vector{r.compare(a[0], a[1], random_.chance(0.5) ? "LT" : "GT")};
          return std::vector{scalar_body(r, a, Type::scalar(ElementType::kI1), 3)};
        });
        if (rank == 0) return {};
        return b.create("stablehlo.sort", xs, {{"dimension", random_.between(0, t.rank() - 1)}, {"is_stable", true}},
                        {}, std::span(&body, 1));
      }
    }
  }

  std::vector<Value> loop(OpBuilder& b, const Pool& pool, int depth) {
    std::vector<Value> carries = {b.scalar(ElementType::kI32, 0)};
    for (size_t n = 1 + random_.below(3); n > 0; --n) {
      if (const auto v = pool.any_tensor(b)) carries.push_back(*v);
    }
    std::vector<Type> types;
    for (Value v : carries) types.push_back(b.type(v));
    const double trips = static_cast<double>(random_.below(4));
    const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      const Value more = c.compare(a[0], c.scalar(ElementType::kI32, trips), "LT");
      if (random_.chance(0.7)) return std::vector{more};
      Pool inner = pool;
      for (Value v : a) inner.add(c, v);
      fill(c, inner, 2, depth + 1);
      const auto flag = inner.find(c, Type::scalar(ElementType::kI1));
      return std::vector{flag ? c.logical_and(more, *flag) : more};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      Pool inner = pool;
      for (Value v : a) inner.add(c, v);
      fill(c, inner, 1 + static_cast<int>(random_.below(5)), depth + 1);
      std::vector<Value> out = {c.add(a[0], c.scalar(ElementType::kI32, 1))};
      for (size_t i = 1; i < types.size(); ++i) {
        const auto v = random_.chance(0.25) ? std::optional(a[i]) : inner.find(c, types[i]);
        out.push_back(v ? *v : a[i]);
      }
      return out;
    });
    const RegionId regions[] = {cond, body};
    return b.create("stablehlo.while", carries, {}, types, regions);
  }

  std::vector<Value> branch(OpBuilder& b, const Pool& pool, int depth) {
    std::vector<Type> results;
    for (size_t n = 1 + random_.below(2); n > 0; --n) {
      const auto v = pool.any_tensor(b);
      results.push_back(v && random_.chance(0.7) ? b.type(*v) : pool.any_type());
    }
    const bool is_if = random_.chance(0.5);
    const auto index = pool.find(b, Type::scalar(is_if ? ElementType::kI1 : ElementType::kI32));
    const size_t count = is_if ? 2 : 1 + random_.below(3);
    std::vector<RegionId> regions;
    for (size_t i = 0; i < count; ++i) {
      regions.push_back(b.make_region({}, [&](OpBuilder& c, std::span<const Value>) {
        Pool inner = pool;
        fill(c, inner, static_cast<int>(random_.below(4)), depth + 1);
        std::vector<Value> out;
        for (Type t : results) out.push_back(inner.find(c, t).value());
        return out;
      }));
    }
    const Value operands[] = {*index};
    return b.create(is_if ? "stablehlo.if" : "stablehlo.case", operands, {}, results, regions);
  }

  std::vector<Value> call(OpBuilder& b, const Pool& pool) {
    if (module_->functions().empty()) return {};
    const Function& g = *module_->functions()[random_.below(module_->functions().size())];
    std::vector<Value> operands;
    for (Type t : g.arg_types()) {
      const auto v = pool.find(b, t);
      if (!v) return {};
      operands.push_back(*v);
    }
    return b.create("func.call", operands, {{"callee", g.name()}}, g.result_types());
  }

  Random random_;
  GenerateOptions options_;
  Module* module_ = nullptr;
};

}  // namespace

std::unique_ptr<Module> generate(uint64_t seed, const GenerateOptions& options) {
  return Generator(seed, options).run();
}

std::vector<Tensor> random_inputs(uint64_t seed, const Function& main, Numbers numbers) {
  Random random(seed * 3 + static_cast<uint64_t>(numbers));
  std::vector<Tensor> out;
  for (Type t : main.arg_types()) out.push_back(random_tensor(random, t, numbers));
  return out;
}

}  // namespace weft::fuzz
