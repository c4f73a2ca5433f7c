#include "tests/fuzz/templates.h"

#include <algorithm>

#include "ops/builder.h"
#include "ops/control_flow/region_flow.h"
#include "reduce/rebuild.h"

namespace weft::fuzz {

using reduce::rebuild;
using reduce::retyped;
using reduce::Rewrite;
namespace {

/// A sample's function; null when it cannot stand alone.
std::shared_ptr<const Function> sample_function(const Sample& sample) {
  auto f = std::make_shared<Function>("f");
  std::vector<Value> args;
  for (const SampleOperand& o : sample.operands) args.push_back(f->add_arg(f->body(), o.type));
  OpBuilder b(*f, f->body());
  b.yield(sample.emit(b, args));
  return f;
}

std::vector<Template> make_templates() {
  std::vector<Template> out;
  for (const OpRecord* op : all_ops()) {
    if (op->samples.refused() || op->mnemonic == "stablehlo.rng") continue;  // numbers that differ from call to call
    for (const Sample& sample : (*op->samples.rule())()) {
      Template t{op, sample.label, sample_function(sample), sample.operands, false};
      for (uint32_t i = 0; i < t.function->num_ops(); ++i) {
        const OpView view{*t.function, OpId{i}};
        t.has_loop |= region_flow(view).kind == RegionFlow::Kind::kLoop;
      }
      out.push_back(std::move(t));
    }
  }
  return out;
}

/// Another extent wherever there is `from`, in types and (mostly) in lists of integers.
Rewrite other_extent(Random& random, int64_t from, int64_t to) {
  Rewrite r;
  r.type = [from, to](Type t) {
    std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    std::replace(shape.begin(), shape.end(), from, to);
    return t.with_shape(shape);
  };
  if (random.chance(0.7)) {
    r.attrs = [from, to](const OpView&, Attrs& attrs) {
      const Attrs old = attrs;
      for (const auto& [name, attr] : old.entries()) {
        if (const auto* ints = attr.get_if<Attr::Ints>()) {
          Attr::Ints next = *ints;
          std::replace(next.begin(), next.end(), from, to);
          attrs.set(name, next);
        }
      }
    };
  }
  return r;
}

Rewrite other_element(ElementType from, ElementType to) {
  Rewrite r;
  r.type = [from, to](Type t) { return t.element_type() == from ? t.with_element(to) : t; };
  return r;
}

/// One integer of one attribute of the template's op is another.
Rewrite other_attribute(Random& random, const OpRecord* op) {
  Rewrite r;
  r.type = [](Type t) { return t; };
  const size_t which = random.below(8), at = random.below(8);
  const int64_t change = random.between(-2, 2), swap_with = random.between(0, 3);
  r.attrs = [=](const OpView& view, Attrs& attrs) {
    if (&view.def() != op) return;
    const Attrs old = attrs;
    if (old.entries().empty()) return;
    const auto& [name, attr] = old.entries()[which % old.entries().size()];
    if (const auto* ints = attr.get_if<Attr::Ints>(); ints != nullptr && !ints->empty()) {
      Attr::Ints next = *ints;
      const size_t i = at % next.size();
      if (change == 0) {
        std::swap(next[i], next[static_cast<size_t>(swap_with) % next.size()]);
      } else {
        next[i] += change;
      }
      attrs.set(name, next);
    } else if (const auto* one = attr.get_if<int64_t>()) {
      attrs.set(name, *one + change);
    } else if (const auto* flag = attr.get_if<bool>()) {
      attrs.set(name, !*flag);
    }
  };
  return r;
}

bool is_small(const Function& f) {
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Type t = f.type(Value{i});
    if (t.is_tensor() && t.is_static() && t.num_elements() > 2048) return false;
  }
  return true;
}

}  // namespace

const std::vector<ElementType>& element_types() {
  using enum ElementType;
  static const std::vector<ElementType> kTypes = {
      kI1,       kI2,       kI4,     kI8,     kI16,      kI32,        kI64,           kU2,     kU4,         kU8,
      kU16,      kU32,      kU64,    kF16,    kBF16,     kF32,        kF64,           kC64,    kC128,       kF4E2M1FN,
      kF6E2M3FN, kF6E3M2FN, kF8E3M4, kF8E4M3, kF8E4M3FN, kF8E4M3FNUZ, kF8E4M3B11FNUZ, kF8E5M2, kF8E5M2FNUZ, kF8E8M0FNU};
  return kTypes;
}

const std::vector<Template>& templates() {
  static const std::vector<Template> kTemplates = make_templates();
  return kTemplates;
}

std::shared_ptr<const Function> mutated(Random& random, const Template& source) {
  std::shared_ptr<const Function> f = source.function;
  const size_t changes = random.below(4);
  for (size_t i = 0; i < changes; ++i) {
    Rewrite rewrite;
    const size_t kind = random.below(3);
    if (kind < 2) {
      std::vector<Type> types;
      for (Value v : f->args()) {
        if (f->type(v).is_tensor() && !f->type(v).is_quantized()) types.push_back(f->type(v));
      }
      if (types.empty()) continue;
      const Type t = random.pick(types);
      if (kind == 0) {
        rewrite = other_element(t.element_type(), random.pick(element_types()));
      } else {
        if (t.rank() == 0) continue;
        static constexpr int64_t kExtents[] = {0, 1, 2, 3, 5};
        rewrite = other_extent(random, t.shape()[random.below(t.shape().size())], random.pick(kExtents));
      }
    } else {
      rewrite = other_attribute(random, source.op);
    }
    rewrite.infer = random.chance(0.7);
    try {
      std::shared_ptr<const Function> next = rebuild(*f, nullptr, rewrite);
      verify(*next, nullptr);
      f = next;
    } catch (const UserError&) {
      if (random.chance(0.5)) return nullptr;
    }
  }
  return is_small(*f) ? f : nullptr;
}

}  // namespace weft::fuzz
