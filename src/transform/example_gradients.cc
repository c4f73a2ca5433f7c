#include "transform/example_gradients.h"

#include <algorithm>
#include <numeric>

#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/control_flow/derivative_rule.h"
#include "ops/families.h"
#include "ops/indexing/indexed_dims.h"
#include "transform/callees.h"
#include "transform/gradient.h"
#include "transform/gradient_norm.h"
#include "transform/inline.h"
#include "transform/scratch.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

std::vector<Value> call(OpBuilder& b, const Function& f, std::span<const Value> args) {
  return b.create("func.call", args, Attrs{{"callee", f.name()}}, f.result_types());
}

}  // namespace

// ---- clipping --------------------------------------------------------------------------------------------------------

Function& clipped_gradient(Module& module, const std::string& name, std::span<const size_t> args,
                           std::span<const int64_t> lane_axes, int64_t examples, const std::string& as) {
  const Function& f = defined_function(module, name);
  mark_args(f, args, "clipped_grad");
  for (size_t i : args) {
    if (i < lane_axes.size() && lane_axes[i] != kUniform) {
      throw UserError("[clipped_grad] argument " + std::to_string(i) + " of @" + name +
                          " differs by example: got axis " + std::to_string(lane_axes[i]) +
                          ", expected '_', the same for all, of what it is differentiated by",
                      f.loc());
    }
  }
  const std::shared_ptr<Module> scratch = clone_module(module);
  const std::string squares = scratch->unique_name(name + "_length"),
                    weighted = scratch->unique_name(name + "_weighted");
  squared_gradient_norm(*scratch, name, args, squares);
  const Function& lengths = vectorize(*scratch, squares, lane_axes, examples, {.name = squares});
  const size_t first[] = {0};
  const std::string loss = with_results(*scratch, f, first);
  const Function& losses = vectorize(*scratch, loss, lane_axes, examples, {.name = loss});
  const Type vector = losses.result_types()[0], scalar = Type::scalar(vector.element_type());

  // Weights are arguments, so that nothing is differentiated through the lengths.
  auto total = std::make_unique<Function>(weighted);
  {
    std::vector<Value> operands = copy_args(losses, *total);
    const Value weights = total->add_arg(total->body(), vector);
    OpBuilder b(*total, total->body(), scratch.get());
    const Value each = call(b, losses, operands)[0];
    const Value sum = b.reduce(b.multiply(weights, each), std::vector<int64_t>{0}, "stablehlo.add");
    b.yield(std::vector<Value>{sum, each});
  }
  scratch->add(std::move(total));
  const Function& sums = gradient(*scratch, weighted, args, weighted, /*with_value=*/true);

  auto out = std::make_unique<Function>(scratch->unique_name(name + "_clipped"));
  out->set_loc(f.loc());
  std::vector<Value> operands = copy_args(losses, *out);
  const Value bound = out->add_arg(out->body(), scalar);
  OpBuilder b(*out, out->body(), scratch.get());
  b.loc = f.loc();
  const Value norms = b.make("stablehlo.sqrt", {call(b, lengths, operands)[0]});
  const Value bounds = b.broadcast_scalar(bound, vector.shape());
  operands.push_back(b.divide(bounds, b.maximum(norms, bounds)));
  const std::vector<Value> made = call(b, sums, operands);  // the sum, the losses, the gradients
  std::vector<Value> results(made.begin() + 2, made.end());
  results.push_back(made[1]);
  results.push_back(norms);
  b.yield(results);
  const std::string whole = scratch->add(std::move(out)).name();
  return move_out(*scratch, whole, module, as);
}

// ---- rows of tables --------------------------------------------------------------------------------------------------

namespace {

/// A gather that reads whole rows along axis 0 of a table.
struct RowRead {
  OpId op;
  int64_t rows = 0;
};

class SparseGradient {
 public:
  SparseGradient(Module& scratch, const Function& f, std::span<const size_t> args) : module_(scratch), f_(f) {
    for (size_t i : args) reads_.push_back(reads_of(i));
  }

  /// f, with zeros added to the rows that it reads, as arguments after its own, which returns their indices after result 0.
  std::unique_ptr<Function> with_rows(const std::string& name) const {
    auto out = std::make_unique<Function>(name);
    out->set_loc(f_.loc());
    ValueMap map(f_);
    for (Value v : f_.args()) map.set(v, out->add_arg(out->body(), f_.type(v)));
    std::vector<std::pair<OpId, Value>> added;
    for (const auto& reads : reads_) {
      for (const RowRead& r : reads) added.emplace_back(r.op, out->add_arg(out->body(), f_.type(f_.result(r.op))));
    }
    OpBuilder b(*out, out->body(), &module_);
    for (OpId op : f_.ops(f_.body())) {
      if (f_.def(op).is_terminator) break;
      clone_op(f_, op, *out, out->body(), map);
      const auto it = std::ranges::find(added, op, &std::pair<OpId, Value>::first);
      if (it != added.end()) map.set(f_.result(op), b.add(map.at(f_.result(op)), it->second));
    }
    std::vector<Value> results = {map.at(f_.operand(f_.terminator(f_.body()), 0))};
    for (const auto& reads : reads_) {
      std::vector<Value> indices;
      for (const RowRead& r : reads) indices.push_back(indices_of(b, r, map.at(f_.operand(r.op, 1))));
      for (Value& v : indices) v = b.convert(v, b.type(indices[0]).element_type());
      results.push_back(indices.empty() ? b.zeros(Type::tensor(ElementType::kI32, {0})) : b.concatenate(indices, 0));
    }
    b.yield(results);
    return out;
  }

  size_t num_reads() const {
    size_t n = 0;
    for (const auto& reads : reads_) n += reads.size();
    return n;
  }

  /// `gradient`, made of with_rows with its values: a function of f's arguments alone, and of what it returns the outcome.
  std::unique_ptr<Function> closed(const Function& gradient, std::span<const size_t> args,
                                   const std::string& name) const {
    auto out = std::make_unique<Function>(name);
    out->set_loc(f_.loc());
    std::vector<Value> operands = copy_args(f_, *out);
    OpBuilder b(*out, out->body(), &module_);
    for (const auto& reads : reads_) {
      for (const RowRead& r : reads) operands.push_back(b.zeros(f_.type(f_.result(r.op))));
    }
    const std::vector<Value> made = call(b, gradient, operands);  // result 0, indices by table, rows by read
    std::vector<Value> results;
    size_t next = 1 + reads_.size();
    for (size_t k = 0; k < reads_.size(); ++k) {
      const Type table = f_.type(f_.args()[args[k]]);
      std::vector<Value> rows;
      for (const RowRead& r : reads_[k]) {
        std::vector<int64_t> shape(table.shape().begin(), table.shape().end());
        shape[0] = r.rows;
        rows.push_back(b.reshape(made[next++], shape));
      }
      std::vector<int64_t> none(table.shape().begin(), table.shape().end());
      none[0] = 0;
      results.push_back(made[1 + k]);
      results.push_back(rows.empty() ? b.zeros(table.with_shape(none)) : b.concatenate(rows, 0));
    }
    b.yield(results);
    return out;
  }

 private:
  [[noreturn]] void refuse(size_t arg, OpId op, const std::string& why) const {
    throw Unsupported("[sparse_grad] argument " + std::to_string(arg) + " of @" + f_.name() + " is used by " +
                          std::string(f_.def(op).mnemonic) + why +
                          ", expected gathers of whole rows along axis 0 (--grad gives the whole gradient)",
                      f_.loc(op));
  }

  std::vector<RowRead> reads_of(size_t arg) const {
    const Value table = f_.args()[arg];
    std::vector<RowRead> out;
    for (OpId op : f_.ops(f_.body())) {
      for (RegionId r : f_.regions(op)) {
        if (std::ranges::count(captures(f_, r), table) != 0)
          refuse(arg, op, " inside its regions, as in a loop: read the rows before it");
      }
      if (std::ranges::count(f_.operands(op), table) == 0) continue;
      if (f_.def(op).mnemonic != "stablehlo.gather" || f_.operand(op, 1) == table) refuse(arg, op, "");
      out.push_back(row_read(arg, op));
    }
    return out;
  }

  RowRead row_read(size_t arg, OpId op) const {
    const IndexedDims dims = IndexedDims::of_gather(f_.attrs(op));
    const Type table = f_.type(f_.operand(op, 0)), result = f_.type(f_.result(op)),
               indices = f_.type(f_.operand(op, 1));
    const auto& sizes = f_.attrs(op).ints("slice_sizes");
    bool is_whole = table.is_static() && result.is_static() && dims.batching.empty() &&
                    dims.inserted == std::vector<int64_t>{0} && dims.map == std::vector<int64_t>{0};
    for (int64_t d = 1; is_whole && d < table.rank(); ++d) {
      const auto at = static_cast<size_t>(d);
      is_whole = sizes[at] == table.dim(d) && dims.window[at - 1] == result.rank() - table.rank() + d;
    }
    if (!is_whole) refuse(arg, op, " of something else than rows");
    int64_t rows = 1;
    for (int64_t d = 0; d < indices.rank(); ++d) rows *= d == dims.vector_axis ? 1 : indices.dim(d);
    return {op, rows};
  }

  /// As the gather reads them: within the table.
  Value indices_of(OpBuilder& b, const RowRead& r, Value indices) const {
    const Value flat = b.reshape(indices, std::vector<int64_t>{r.rows});
    const Type t = b.type(flat);
    const auto last = static_cast<double>(std::max<int64_t>(f_.type(f_.operand(r.op, 0)).dim(0) - 1, 0));
    return b.minimum(b.maximum(flat, b.zeros(t)), b.splat(t, last));
  }

  Module& module_;
  const Function& f_;
  std::vector<std::vector<RowRead>> reads_;  // by table
};

}  // namespace

Function& sparse_gradient(Module& module, const std::string& name, std::span<const size_t> args,
                          const std::string& as) {
  const Function& whole = defined_function(module, name);
  mark_args(whole, args, "sparse_grad");
  for (size_t i : args) {
    if (whole.type(whole.args()[i]).rank() == 0)
      throw UserError("[sparse_grad] argument " + std::to_string(i) + " of @" + name + ": got " +
                          whole.type(whole.args()[i]).str() + ", expected a table with rows along axis 0",
                      whole.loc());
  }
  const std::vector<Type> types = whole.result_types();
  if (types.empty() || !types[0].is_scalar() || !is_float(types[0].element_type())) {
    throw UserError("[sparse_grad] result 0 of @" + name + ": got " + (types.empty() ? "no result" : types[0].str()) +
                        ", expected a floating-point scalar",
                    whole.loc());
  }
  const std::shared_ptr<Module> scratch = clone_module(module);
  const std::unique_ptr<Function> f =
      inline_calls(*scratch, whole, [](const Function& callee, bool) { return derivative_rule(callee).exists(); });
  const SparseGradient sparse(*scratch, *f, args);
  const std::string rows = scratch->unique_name(name + "_rows");
  scratch->add(sparse.with_rows(rows));
  std::vector<size_t> by(sparse.num_reads());
  std::iota(by.begin(), by.end(), f->args().size());
  const Function& g = gradient(*scratch, rows, by, rows, /*with_value=*/true);
  const std::string out = scratch->unique_name(name + "_sparse");
  scratch->add(sparse.closed(g, args, out));
  return move_out(*scratch, out, module, as);
}

}  // namespace weft
