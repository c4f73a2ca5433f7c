#include "transform/jacobian.h"

#include <algorithm>
#include <numeric>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/tangent_space.h"
#include "transform/callees.h"
#include "transform/custom_rules.h"
#include "transform/dead_code.h"
#include "transform/gradient.h"
#include "transform/scratch.h"
#include "transform/unit_lanes.h"

namespace weft {
namespace {

std::vector<Type> types_at(const std::vector<Type>& all, std::span<const size_t> where) {
  std::vector<Type> out;
  for (size_t i : where) out.push_back(all[i]);
  return out;
}

void expect_static(const Function& f, const std::vector<Type>& types, std::string_view what) {
  for (const Type& t : types) {
    if (!t.is_static()) {
      throw Unsupported("[jacobian] extents of " + std::string(what) + " of @" + f.name() + ": got " + t.str() +
                            ", expected static ones (refine the shapes first)",
                        f.loc());
    }
  }
}

/// [lanes…, (batch,) rest…] → [(batch,) rest…, lanes…]; or with `lanes_last` false [(batch,) lanes…, rest…].
Value arranged(OpBuilder& b, Value v, int64_t lanes_rank, int64_t batch_rank, bool lanes_last) {
  std::vector<int64_t> order;
  const auto add = [&](int64_t from, int64_t to) {
    for (int64_t d = from; d < to; ++d) order.push_back(d);
  };
  const int64_t rank = b.type(v).rank(), rest = lanes_rank + batch_rank;
  add(lanes_rank, rest);
  if (lanes_last) add(rest, rank);
  add(0, lanes_rank);
  if (!lanes_last) add(rest, rank);
  return b.transpose(v, order);
}

std::vector<int64_t> joined(Type a, Type b) {
  std::vector<int64_t> out(a.shape().begin(), a.shape().end());
  out.insert(out.end(), b.shape().begin(), b.shape().end());
  return out;
}

/// Writes the body of a Jacobian.
class Writer {
 public:
  /// `module` gains the functions that it is composed of.
  Writer(Module& module, const std::string& f, std::span<const size_t> args, const JacobianOptions& options)
      : module_(module), f_(unruled(module, f)), args_(args), options_(options), types_(f_.result_types()) {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (types_[i].is_tensor() && has_tangent(types_[i])) results_.push_back(i);
    }
    arg_types_ = types_at(f_.arg_types(), args_);
    result_types_ = types_at(types_, results_);
    expect_static(f_, arg_types_, "an argument");
    expect_static(f_, result_types_, "a result");
    if (options_.is_batched) expect_batched();
    blocks_.assign(results_.size(), std::vector<Value>(args_.size()));
    for (const Type& r : result_types_) {
      for (const Type& a : arg_types_) outcome_ += bytes_of(block_type(r, a));
    }
  }

  bool forward_has_fewer_lanes() const { return lanes_of(arg_types_) <= lanes_of(result_types_); }

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
  /// The function, or one that calls it where it has a rule that copies of its ops would lose.
  static const Function& unruled(Module& module, const std::string& f) {
    std::unique_ptr<Function> call = call_of_ruled(module, module.get(f));
    if (call == nullptr) return module.get(f);
    call->set_name(module.unique_name(f));
    return module.add(std::move(call));
  }

  int64_t batch_rank() const { return options_.is_batched ? 1 : 0; }

  /// What differs between examples is their number only.
  void expect_batched() const {
    std::vector<Type> all = arg_types_;
    all.insert(all.end(), result_types_.begin(), result_types_.end());
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].rank() > 0 && all[i].dim(0) == all[0].dim(0)) continue;
      const bool is_arg = i < arg_types_.size();
      const size_t place = is_arg ? args_[i] : results_[i - arg_types_.size()];
      throw UserError("[batch_jacobian] " + std::string(is_arg ? "argument " : "result ") + std::to_string(place) +
                          " of @" + f_.name() + ": got " + all[i].str() + ", expected " +
                          (all[0].rank() == 0 ? "an axis of examples first"
                                              : std::to_string(all[0].dim(0)) + " examples along axis 0, as argument " +
                                                    std::to_string(args_[0]) + " has"),
                      f_.loc());
    }
  }

  int64_t lanes_of(const std::vector<Type>& types) const {
    int64_t sum = 0;
    for (const Type& t : types) sum += num_lanes({.seed = t, .is_batched = options_.is_batched});
    return sum;
  }

  Type block_type(Type result, Type arg) const {
    const bool is_complex_block = is_complex(result.element_type()) || is_complex(arg.element_type());
    std::vector<int64_t> shape = joined(result, arg);
    if (options_.is_batched) shape.erase(shape.begin() + result.rank());
    return Type::tensor(is_complex_block ? complex_type(result.element_type()) : result.element_type(), shape);
  }
  static ElementType complex_type(ElementType t) {
    return part_type(t) == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  }

  std::vector<Value> lanes(OpBuilder& b, const std::string& product, std::span<const Value> operands, Type seed,
                           bool is_imaginary = false) {
    return write_unit_lanes(b, module_, product, operands,
                            {.seed = seed,
                             .is_batched = options_.is_batched,
                             .is_imaginary = is_imaginary,
                             .chunk = options_.chunk,
                             .memory = static_cast<double>(options_.memory),
                             .outcome = outcome_});
  }

  /// The lanes' axis becomes those of the seed, at their place in the block.
  Value placed(OpBuilder& b, Value v, Type seed, Type row, bool lanes_last) const {
    std::vector<int64_t> shape(seed.shape().begin() + batch_rank(), seed.shape().end());
    const auto lanes_rank = static_cast<int64_t>(shape.size());
    shape.insert(shape.end(), row.shape().begin(), row.shape().end());
    return arranged(b, b.reshape(v, shape), lanes_rank, batch_rank(), lanes_last);
  }

  static Value complex(OpBuilder& b, Value re, Value im) { return b.make("stablehlo.complex", {re, im}); }

  /// Derivatives of all results by one argument. By a complex one, z = x + iy: those of complex results along x; real results have
  /// dr/dx - i dr/dy.
  void write_column(OpBuilder& b, std::span<const Value> operands, size_t k) {
    std::vector<size_t> tangents(results_.size());
    // As `jvp` orders them: all results, then the tangents.
    std::iota(tangents.begin(), tangents.end(), types_.size());
    const std::string name = module_.unique_name(f_.name() + "_by_" + std::to_string(args_[k]));
    const Type seed = arg_types_[k];
    const std::string product = with_results(module_, jvp(module_, f_.name(), args_.subspan(k, 1), name), tangents);
    std::vector<Value> columns = lanes(b, product, operands, seed);
    std::vector<size_t> real;
    for (size_t r = 0; r < results_.size(); ++r) {
      if (is_complex(seed.element_type()) && !is_complex(result_types_[r].element_type())) real.push_back(r);
    }
    if (!real.empty()) {
      const std::string of_real = with_results(module_, module_.get(product), real);
      const std::vector<Value> along_y = lanes(b, of_real, operands, seed, /*is_imaginary=*/true);
      for (size_t i = 0; i < real.size(); ++i) {
        const ElementType part = part_type(complex_type(result_types_[real[i]].element_type()));
        columns[real[i]] = complex(b, b.convert(columns[real[i]], part), b.negate(b.convert(along_y[i], part)));
      }
    }
    for (size_t r = 0; r < results_.size(); ++r)
      blocks_[r][k] = placed(b, columns[r], seed, result_types_[r], /*lanes_last=*/true);
  }

  /// Derivatives of one result by all arguments. A complex result's cotangent 1 gives the derivative of its real part, -i of the other.
  void write_row(OpBuilder& b, std::span<const Value> operands, size_t r) {
    const std::string one = with_results(module_, f_, std::span(&results_[r], 1));
    const std::string name = module_.unique_name(f_.name() + "_of_" + std::to_string(results_[r]));
    vjp(module_, one, args_, name);
    const Type seed = result_types_[r];
    std::vector<Value> rows = lanes(b, name, operands, seed);
    std::vector<size_t> real;
    for (size_t k = 0; k < args_.size(); ++k) {
      if (is_complex(seed.element_type()) && !is_complex(arg_types_[k].element_type())) real.push_back(k);
    }
    if (!real.empty()) {
      const std::string by_real = with_results(module_, module_.get(name), real);
      const std::vector<Value> imaginary = lanes(b, by_real, operands, seed, /*is_imaginary=*/true);
      for (size_t i = 0; i < real.size(); ++i) {
        const ElementType part = part_type(seed.element_type());
        rows[real[i]] = complex(b, b.convert(rows[real[i]], part), b.negate(b.convert(imaginary[i], part)));
      }
    }
    for (size_t k = 0; k < args_.size(); ++k) {
      const Value row = b.convert(rows[k], block_type(seed, arg_types_[k]).element_type());
      blocks_[r][k] = placed(b, row, seed, arg_types_[k], /*lanes_last=*/false);
    }
  }

  Module& module_;
  const Function& f_;
  std::span<const size_t> args_;
  JacobianOptions options_;
  double outcome_ = 0;  // bytes of all blocks
  std::vector<Type> types_;
  std::vector<size_t> results_;
  std::vector<Type> arg_types_, result_types_;
  std::vector<std::vector<Value>> blocks_;  // by result, then argument
};

}  // namespace

Function& jacobian(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as,
                   const JacobianOptions& options) {
  if (options.chunk < 0)
    throw UserError("[jacobian] chunk: got " + std::to_string(options.chunk) + ", expected 0 (as many as fit) or more");
  if (options.memory < 0)
    throw UserError("[jacobian] memory: got " + std::to_string(options.memory) + " bytes, expected 0 (chosen) or more");
  mark_args(defined_function(module, name), args, "jacobian");
  const std::shared_ptr<Module> scratch = clone_module(module);
  Writer writer(*scratch, name, args, options);
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
