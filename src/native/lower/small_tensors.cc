#include "native/lower/small_tensors.h"

#include <algorithm>

#include "ir/clone.h"
#include "native/lower/small_tensor_ops.h"
#include "transform/counted_loop.h"

namespace weft::native {
namespace {

bool is_while(const OpView& op) { return op.def().mnemonic == "stablehlo.while"; }
bool is_branch(const OpView& op) {
  return op.def().mnemonic == "stablehlo.if" || op.def().mnemonic == "stablehlo.case";
}

/// Whether a condition only compares.
bool is_comparison(const Function& f, RegionId condition) {
  return std::ranges::all_of(f.ops(condition), [&](OpId op) {
    const std::string_view name = f.def(op).mnemonic;
    return name == "stablehlo.compare" || name == "stablehlo.constant" || f.def(op).is_terminator;
  });
}

/// Of loops inside small ones that are written out.
std::optional<int64_t> trips_to_write_out(const OpView& op) {
  const auto counted = counted_loop(op.function, op.id);
  if (!counted || counted->trips > kMostTripsOfSmall || !is_comparison(op.function, op.region(0))) return std::nullopt;
  return counted->trips;
}

/// Whether one of the conditions under which a loop goes on is that a number is below a small constant.
bool is_short(const Function& f, Value condition) {
  const OpId op = f.defining_op(condition);
  if (!op) return false;
  const std::string_view name = f.def(op).mnemonic;
  if (name == "stablehlo.and") return is_short(f, f.operand(op, 0)) || is_short(f, f.operand(op, 1));
  if (name != "stablehlo.compare" || !f.attrs(op).text("comparison_direction").starts_with("L")) return false;
  return integer_constant(f, f.operand(op, 1)).value_or(kMostTripsOfSmall + 1) <= kMostTripsOfSmall;
}

constexpr double kFirstKernel = 6;  // nanoseconds

/// Adds up a region of a loop; false: one of its ops has no form on elements.
bool add_cost(const Function& f, RegionId region, InnerLoops around, int64_t times, CostOfElements& sum) {
  for (const OpId id : f.ops(region)) {
    const OpView op{f, id};
    if (op.def().is_terminator) continue;
    if (is_while(op) || is_branch(op)) {
      const auto trips = is_while(op) ? trips_to_write_out(op) : std::nullopt;
      InnerLoops inside = around;
      if (trips) inside.are_written_out = true;
      if (is_while(op) && !trips && !is_short(f, f.operand(f.terminator(op.region(0)), 0))) inside.are_short = false;
      for (const RegionId r : op.regions()) {
        if (!add_cost(f, r, inside, trips ? times * std::max<int64_t>(*trips, 1) : times, sum)) return false;
      }
      continue;
    }
    const auto cost = cost_of_elements(op, around);
    if (!cost) return false;
    sum.ops += times * cost->ops;
    sum.nanoseconds += static_cast<double>(times) * cost->nanoseconds;
    sum.nanoseconds_in_kernels += static_cast<double>(times) * cost->nanoseconds_in_kernels;
    if (sum.ops > kMostOpsOfSmallLoop) return false;
  }
  return true;
}

bool runs_on_elements(const OpView& op) {
  if (!is_while(op)) return false;
  CostOfElements sum;
  return std::ranges::all_of(op.regions(), [&](RegionId r) { return add_cost(op.function, r, {}, 1, sum); }) &&
         sum.nanoseconds_in_kernels > 0 && sum.nanoseconds <= sum.nanoseconds_in_kernels + kFirstKernel;
}

class Writer {
 public:
  explicit Writer(const Function& from)
      : from_(from), to_(std::make_unique<Function>(from.name())), map_(from), elements_(from.num_values()) {}

  std::unique_ptr<Function> run() {
    copy_signature(from_, *to_);
    copy_region(from_.body(), to_->body());
    return std::move(to_);
  }

 private:
  // ---- as it is ----

  void copy_region(RegionId source, RegionId region) {
    for (const Value v : from_.args(source)) map_.set(v, to_->add_arg(region, from_.type(v)));
    for (const OpId id : from_.ops(source)) {
      const OpView op{from_, id};
      if (runs_on_elements(op)) {
        write_loop(op, region);
        continue;
      }
      std::vector<Value> operands;
      for (const Value v : op.operands()) operands.push_back(map_.at(v));
      std::vector<RegionId> regions;
      for (const RegionId r : op.regions()) {
        regions.push_back(to_->new_region());
        copy_region(r, regions.back());
      }
      std::vector<Type> types;
      for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
      const OpId made = to_->append(region, op.def(), operands, from_.shared_attrs(id), types, regions, op.loc());
      for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_->result(made, i));
    }
  }

  // ---- on elements ----

  void write_loop(const OpView& op, RegionId region) {
    OpBuilder b(*to_, region);
    b.loc = op.loc();
    const auto take = [&](Value v) {
      elements_[v.index] = is_small_tensor(from_.type(v)) ? elements_of(b, map_.at(v)) : Elements{map_.at(v)};
    };
    for (const Value v : op.operands()) take(v);
    for (const RegionId r : op.regions()) {
      for (const Value v : captures(from_, r)) take(v);
    }
    write_while(op, region);
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Value v = op.result(i);
      map_.set(v, is_small_tensor(from_.type(v)) ? joined_elements(b, of(v), from_.type(v)) : of(v)[0]);
    }
  }

  const Elements& of(Value v) const { return elements_[v.index]; }
  std::vector<Value> all_of(std::span<const Value> values) const {
    std::vector<Value> out;
    for (const Value v : values) out.insert(out.end(), of(v).begin(), of(v).end());
    return out;
  }

  void write_region(RegionId source, RegionId region) {
    for (const OpId id : from_.ops(source)) {
      const OpView op{from_, id};
      OpBuilder b(*to_, region);
      b.loc = op.loc();
      if (op.def().is_terminator) {
        b.yield(all_of(op.operands()));
      } else {
        write(b, op);
      }
    }
  }

  void write(OpBuilder& b, const OpView& op) {
    if (is_while(op)) {
      if (const auto trips = trips_to_write_out(op)) {
        write_out(b, op, *trips);
      } else {
        write_while(op, b.region());
      }
      return;
    }
    if (is_branch(op)) {
      std::vector<RegionId> regions;
      for (const RegionId r : op.regions()) {
        regions.push_back(to_->new_region());
        write_region(r, regions.back());
      }
      append(op, b.region(), of(op.operand(0)), regions);
      return;
    }
    std::vector<Elements> operands;
    for (const Value v : op.operands()) operands.push_back(of(v));
    std::vector<Elements> results = write_elements(b, op, operands);
    for (size_t i = 0; i < op.num_results(); ++i) elements_[op.result(i).index] = std::move(results[i]);
  }

  void write_while(const OpView& op, RegionId region) {
    const std::vector<Value> operands = all_of(op.operands());
    std::vector<RegionId> regions;
    for (const RegionId r : op.regions()) {
      regions.push_back(to_->new_region());
      for (const Value v : from_.args(r)) {
        const Type t = from_.type(v);
        Elements& elements = elements_[v.index];
        elements.clear();
        if (!is_small_tensor(t)) {
          elements.push_back(to_->add_arg(regions.back(), t));
          continue;
        }
        for (int64_t i = 0; i < t.num_elements(); ++i)
          elements.push_back(to_->add_arg(regions.back(), Type::scalar(t.element_type())));
      }
      write_region(r, regions.back());
    }
    append(op, region, operands, regions);
  }

  /// The op with the elements of its results.
  void append(const OpView& op, RegionId region, std::span<const Value> operands, std::span<const RegionId> regions) {
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Type t = op.result_type(i);
      if (is_small_tensor(t)) {
        types.insert(types.end(), static_cast<size_t>(t.num_elements()), Type::scalar(t.element_type()));
      } else {
        types.push_back(t);
      }
    }
    const OpId made = to_->append(region, op.def(), operands, from_.shared_attrs(op.id), types, regions, op.loc());
    size_t next = 0;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Type t = op.result_type(i);
      Elements& elements = elements_[op.result(i).index];
      elements.clear();
      for (int64_t k = 0; k < (is_small_tensor(t) ? t.num_elements() : 1); ++k)
        elements.push_back(to_->result(made, next++));
    }
  }

  void write_out(OpBuilder& b, const OpView& op, int64_t trips) {
    std::vector<Elements> carries;
    for (const Value v : op.operands()) carries.push_back(of(v));
    const RegionId body = op.region(1);
    for (int64_t t = 0; t < trips; ++t) {
      for (size_t i = 0; i < carries.size(); ++i) elements_[from_.args(body)[i].index] = carries[i];
      for (const OpId id : from_.ops(body)) {
        const OpView inner{from_, id};
        if (!inner.def().is_terminator) {
          write(b, inner);
          continue;
        }
        for (size_t i = 0; i < carries.size(); ++i) carries[i] = of(inner.operand(i));
      }
    }
    for (size_t i = 0; i < op.num_results(); ++i) elements_[op.result(i).index] = carries[i];
  }

  const Function& from_;
  std::unique_ptr<Function> to_;
  ValueMap map_;                    // outside of loops on elements
  std::vector<Elements> elements_;  // inside, by value
};

}  // namespace

std::unique_ptr<Function> small_tensors_as_scalars(std::unique_ptr<Function> f) {
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    if (runs_on_elements({*f, OpId{i}})) return Writer(*f).run();
  }
  return f;
}

}  // namespace weft::native
