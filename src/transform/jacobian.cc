#include "transform/jacobian.h"

#include <numeric>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/tangent_space.h"
#include "transform/callees.h"
#include "transform/dead_code.h"
#include "transform/gradient.h"
#include "transform/install.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr ElementType kIndex = ElementType::kI64;

std::vector<Type> types_at(const std::vector<Type>& all, std::span<const size_t> where) {
  std::vector<Type> out;
  for (size_t i : where) out.push_back(all[i]);
  return out;
}

int64_t total_elements(const std::vector<Type>& types) {
  int64_t sum = 0;
  for (const Type& t : types) sum += t.num_elements();
  return sum;
}

/// What the entries of a Jacobian are has to be known: real, and how many.
void expect_real(const Function& f, const std::vector<Type>& types, std::string_view what) {
  for (const Type& t : types) {
    if (is_complex(t.element_type())) {
      throw Unsupported("[jacobian] " + std::string(what) + " of @" + f.name() + " is complex: got " + t.str() +
                            ", expected real ones (take real and imaginary parts apart)",
                        f.loc());
    }
    if (!t.is_static()) {
      throw Unsupported("[jacobian] extents of " + std::string(what) + " of @" + f.name() + ": got " + t.str() +
                            ", expected static ones (refine the shapes first)",
                        f.loc());
    }
  }
}

/// Writes one block of a Jacobian: the derivatives for all elements of one seed (an argument forwards, a result backwards).
class Block {
 public:
  /// `product` takes f's arguments, then the seed, and returns one vector for each of `rows`.
  Block(Module& module, const std::string& product, Type seed, std::vector<Type> rows, int64_t chunk)
      : seed_(seed), rows_(std::move(rows)), lanes_(seed.num_elements()) {
    if (chunk > 0 && chunk < lanes_) lanes_ = chunk;
    std::vector<int64_t> axes(module.get(product).args().size(), kUniform);
    axes.back() = 0;
    callee_ = vectorize(module, product, axes, lanes_, {.name = module.unique_name(product + "_lanes")}).name();
    module.find(callee_)->set_public(false);
  }

  /// For each row [elements of the seed] + extents of the row.
  std::vector<Value> write(OpBuilder& b, std::span<const Value> args) const {
    const int64_t all = seed_.num_elements();
    if (lanes_ == all) return call(b, args, {});
    const Type index = Type::scalar(kIndex);
    std::vector<Value> carries = {b.zeros(index)};
    for (const Type& r : rows_) carries.push_back(b.zeros(with_lanes(r, all)));
    std::vector<Type> types;
    for (Value v : carries) types.push_back(b.type(v));
    const RegionId cond = b.make_region(types, [&](OpBuilder& in, std::span<const Value> c) {
      return std::vector<Value>{in.compare(c[0], in.scalar(kIndex, static_cast<double>(all)), "LT")};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& in, std::span<const Value> c) {
      // The last chunk begins early enough to be whole.
      const Value first = in.minimum(c[0], in.scalar(kIndex, static_cast<double>(all - lanes_)));
      const std::vector<Value> chunk = call(in, args, first);
      std::vector<Value> next = {in.add(c[0], in.scalar(kIndex, static_cast<double>(lanes_)))};
      for (size_t r = 0; r < rows_.size(); ++r) {
        std::vector<Value> starts(static_cast<size_t>(rows_[r].rank()) + 1, in.zeros(index));
        starts[0] = first;
        next.push_back(in.dynamic_update_slice(c[r + 1], chunk[r], starts));
      }
      return next;
    });
    const std::vector<RegionId> regions = {cond, body};
    std::vector<Value> out = b.create("stablehlo.while", carries, {}, types, regions);
    out.erase(out.begin());
    return out;
  }

 private:
  /// Lane l gets the unit vector of element first + l (a missing `first` is 0).
  std::vector<Value> call(OpBuilder& b, std::span<const Value> args, Value first) const {
    const int64_t columns = seed_.num_elements();
    const Type table = Type::tensor(kIndex, Shape{lanes_, columns});
    Value lane = b.iota(table, 0);
    if (first) lane = b.add(lane, b.broadcast_scalar(first, table.shape()));
    const Value unit = b.convert(b.compare(lane, b.iota(table, 1), "EQ"), seed_.element_type());
    std::vector<Value> operands(args.begin(), args.end());
    operands.push_back(b.reshape(unit, with_lanes(seed_, lanes_).shape()));
    std::vector<Type> results;
    for (const Type& r : rows_) results.push_back(with_lanes(r, lanes_));
    return b.create("func.call", operands, Attrs{{"callee", callee_}}, results);
  }

  Type seed_;
  std::vector<Type> rows_;
  int64_t lanes_;
  std::string callee_;
};

/// [a…, r…] → [r…, a…].
Value seed_last(OpBuilder& b, Value v, int64_t seed_rank) {
  const int64_t rank = b.type(v).rank();
  std::vector<int64_t> order;
  for (int64_t d = seed_rank; d < rank; ++d) order.push_back(d);
  for (int64_t d = 0; d < seed_rank; ++d) order.push_back(d);
  return b.transpose(v, order);
}

std::vector<int64_t> joined(Type a, Type b) {
  std::vector<int64_t> out(a.shape().begin(), a.shape().end());
  out.insert(out.end(), b.shape().begin(), b.shape().end());
  return out;
}

/// Adds to the module a function that returns some of f's results only and computes nothing else; its name.
std::string with_results(Module& module, const Function& f, std::span<const size_t> which) {
  Function out(module.unique_name(f.name()));
  out.set_loc(f.loc());
  ValueMap map(f);
  for (Value v : f.args()) map.set(v, out.add_arg(out.body(), f.type(v)));
  const std::vector<Value> all = clone_ops(f, f.body(), out, out.body(), map);
  std::vector<Value> kept;
  for (size_t i : which) kept.push_back(all[i]);
  OpBuilder(out, out.body(), &module).yield(kept);
  return module.add(eliminate_dead_code(out, &module)).name();
}

void copy_callees(const Module& from, const Function& f, RegionId region, Module& to) {
  for (OpId op : f.ops(region)) {
    if (const std::string* name = callee(OpView{f, op}); name != nullptr && to.find(*name) == nullptr) {
      auto copy = clone_function(from.get(*name), *name);
      copy->set_public(false);
      const Function& moved = to.add(std::move(copy));
      copy_callees(from, moved, moved.body(), to);
    }
    for (RegionId r : f.regions(op)) copy_callees(from, f, r, to);
  }
}

/// Installs a function of a scratch copy of the module in the module, with what it calls of the functions made there.
Function& move_out(const Module& scratch, const std::string& name, Module& module, const std::string& as) {
  auto out = clone_function(scratch.get(name), as);
  copy_callees(scratch, *out, out->body(), module);
  return install(module, std::move(out));
}

/// Writes the body of a Jacobian.
class Writer {
 public:
  /// `module` gains the functions that it is composed of.
  Writer(Module& module, const std::string& f, std::span<const size_t> args, int64_t chunk)
      : module_(module), f_(module.get(f)), args_(args), chunk_(chunk), types_(f_.result_types()) {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].is_tensor() && has_tangent(types_[i])) results_.push_back(i);
    }
    arg_types_ = types_at(f_.arg_types(), args_);
    result_types_ = types_at(types_, results_);
    expect_real(f_, arg_types_, "an argument");
    expect_real(f_, result_types_, "a result");
    blocks_.assign(results_.size(), std::vector<Value>(args_.size()));
  }

  bool forward_has_fewer_lanes() const { return total_elements(arg_types_) <= total_elements(result_types_); }

  std::unique_ptr<Function> write(bool is_forward, const std::string& as) {
    auto out = std::make_unique<Function>(as);
    out->set_loc(f_.loc());
    const std::vector<Value> operands = copy_args(f_, *out);
    OpBuilder b(*out, out->body(), &module_);
    b.loc = f_.loc();
    if (is_forward) {
      for (size_t k = 0; k < args_.size(); ++k) write_column(b, operands, k);
    } else {
      for (size_t r = 0; r < results_.size(); ++r) write_row(b, operands, r);
    }
    std::vector<Value> all;
    for (const auto& row : blocks_) all.insert(all.end(), row.begin(), row.end());
    b.yield(all);
    return out;
  }

 private:
  /// Derivatives of all results by one argument.
  void write_column(OpBuilder& b, std::span<const Value> operands, size_t k) {
    std::vector<size_t> tangents(results_.size());
    // As `jvp` orders them: all results, then the tangents.
    std::iota(tangents.begin(), tangents.end(), types_.size());
    const std::string name = module_.unique_name(f_.name() + "_by_" + std::to_string(args_[k]));
    const Type seed = arg_types_[k];
    const std::string product = with_results(module_, jvp(module_, f_.name(), args_.subspan(k, 1), name), tangents);
    const std::vector<Value> columns = Block(module_, product, seed, result_types_, chunk_).write(b, operands);
    for (size_t r = 0; r < results_.size(); ++r) {
      const Value unfolded = b.reshape(columns[r], joined(seed, result_types_[r]));
      blocks_[r][k] = seed_last(b, unfolded, seed.rank());
    }
  }

  /// Derivatives of one result by all arguments.
  void write_row(OpBuilder& b, std::span<const Value> operands, size_t r) {
    const std::string one = with_results(module_, f_, std::span(&results_[r], 1));
    const std::string name = module_.unique_name(f_.name() + "_of_" + std::to_string(results_[r]));
    vjp(module_, one, args_, name);
    const std::vector<Value> rows = Block(module_, name, result_types_[r], arg_types_, chunk_).write(b, operands);
    for (size_t k = 0; k < args_.size(); ++k) {
      const Value row = b.convert(rows[k], result_types_[r].element_type());
      blocks_[r][k] = b.reshape(row, joined(result_types_[r], arg_types_[k]));
    }
  }

  Module& module_;
  const Function& f_;
  std::span<const size_t> args_;
  int64_t chunk_;
  std::vector<Type> types_;
  std::vector<size_t> results_;
  std::vector<Type> arg_types_, result_types_;
  std::vector<std::vector<Value>> blocks_;  // by result, then argument
};

}  // namespace

Function& jacobian(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as,
                   const JacobianOptions& options) {
  if (options.chunk < 0)
    throw UserError("[jacobian] chunk: got " + std::to_string(options.chunk) + ", expected 0 (all) or more");
  mark_args(defined_function(module, name), args, "jacobian");
  const std::shared_ptr<Module> scratch = clone_module(module);
  Writer writer(*scratch, name, args, options.chunk);
  const bool is_forward = options.direction == JacobianOptions::kForward ||
                          (options.direction == JacobianOptions::kAuto && writer.forward_has_fewer_lanes());
  const std::string whole = scratch->unique_name(name + "_jacobian");
  scratch->add(writer.write(is_forward, whole));
  return move_out(*scratch, whole, module, as);
}

Function& hessian(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as,
                  const JacobianOptions& options) {
  const std::shared_ptr<Module> scratch = clone_module(module);
  const std::string g = scratch->unique_name(name + "_gradient");
  gradient(*scratch, name, args, g);
  JacobianOptions second = options;
  if (second.direction == JacobianOptions::kAuto) second.direction = JacobianOptions::kForward;
  const std::string whole = scratch->unique_name(name + "_hessian");
  jacobian(*scratch, g, args, whole, second);
  return move_out(*scratch, whole, module, as);
}

Function& hessian_vector_product(Module& module, const std::string& name, std::span<const size_t> args,
                                 const std::string& as) {
  const std::shared_ptr<Module> scratch = clone_module(module);
  const std::string g = scratch->unique_name(name + "_gradient"), t = scratch->unique_name(name + "_tangents");
  gradient(*scratch, name, args, g);
  std::vector<size_t> products(args.size());
  std::iota(products.begin(), products.end(), args.size());
  const std::string whole = with_results(*scratch, jvp(*scratch, g, args, t), products);
  return move_out(*scratch, whole, module, as);
}

}  // namespace weft
