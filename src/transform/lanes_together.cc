#include "transform/lanes_together.h"

#include <algorithm>
#include <numeric>

#include "ops/record.h"
#include "transform/loop_rewriter.h"
#include "transform/vectorize.h"
#include "weft/tensor.h"

namespace weft {
namespace {

class Joiner : public LoopRewriter {
 public:
  using LoopRewriter::LoopRewriter;

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const OpView v{from(), op};
    if (v.def().mnemonic != "weft.lane_while") return false;
    const std::vector<int64_t>&extents = v.attrs().ints("lanes"), &varies = v.attrs().ints("varies");
    const size_t carries = static_cast<size_t>(v.attrs().integer("num_carries"));
    const int64_t lanes = num_elements(extents);
    for (Value o : v.operands()) {
      if (from().type(o).is_stack())
        throw Unsupported("[weft.lane_while] operand of type " + from().type(o).str() +
                              ": each lane has a stack, and its number of iterations is not known",
                          v.loc());
    }
    // One lane's condition and body, for all lanes: a carry varies, whether or not its start does.
    Module module;
    std::vector<int64_t> axes;
    for (size_t i = 0; i < varies.size(); ++i) axes.push_back(i < carries || varies[i] != 0 ? 0 : kUniform);
    const Function *cond_of_all = nullptr, *body_of_all = nullptr;
    try {
      cond_of_all = &over_lanes(module, v, 0, axes, lanes);
      body_of_all = &over_lanes(module, v, 1, axes, lanes);
    } catch (const Unsupported&) { return false; }  // lane after lane, as the op's record writes it
    const Function &cond = *cond_of_all, &body = *body_of_all;

    OpBuilder b(to(), region);
    b.loc = v.loc();
    std::vector<Value> starts, extras;
    for (size_t i = 0; i < v.num_operands(); ++i) {
      const Value given = map().at(v.operand(i));
      const Type t = to().type(given);
      if (varies[i] != 0) {
        // Several lane axes are one here.
        std::vector<int64_t> shape{lanes};
        shape.insert(shape.end(), t.shape().begin() + static_cast<std::ptrdiff_t>(extents.size()), t.shape().end());
        (i < carries ? starts : extras).push_back(b.reshape(given, shape));
      } else if (i < carries) {
        starts.push_back(over_first_axis(b, given, lanes));
      } else {
        extras.push_back(given);
      }
    }
    const auto call = [&](OpBuilder& inner, const Function& f, std::span<const Value> values) {
      ValueMap given(f);
      for (size_t i = 0; i < carries; ++i) given.set(f.args()[i], values[i]);
      for (size_t i = 0; i < extras.size(); ++i) given.set(f.args()[carries + i], extras[i]);
      return clone_ops(f, f.body(), inner.function(), inner.region(), given);
    };
    // The last carry says which lanes are still in the loop.
    starts.push_back(call(b, cond, starts)[0]);
    std::vector<Type> types;
    for (Value s : starts) types.push_back(b.type(s));
    const int64_t lane_axis[] = {0};
    const RegionId any = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> values) {
      return std::vector<Value>{inner.reduce(values[carries], lane_axis, "stablehlo.or")};
    });
    const RegionId next = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> values) {
      std::vector<Value> results = call(inner, body, values);
      for (size_t i = 0; i < carries; ++i) {
        const Value stays = inner.broadcast_in_dim(values[carries], lane_axis, types[i].shape());
        results[i] = inner.select(stays, results[i], values[i]);
      }
      results.push_back(call(inner, cond, results)[0]);
      return results;
    });
    const RegionId regions[] = {any, next};
    const std::vector<Value> results = b.create("stablehlo.while", starts, {}, types, regions);
    for (size_t i = 0; i < carries; ++i) map().set(v.result(i), b.reshape(results[i], v.result_type(i).shape()));
    mark_changed();
    return true;
  }

 private:
  /// A region as a function of all lanes. Captures there are none.
  const Function& over_lanes(Module& module, const OpView& op, size_t region, const std::vector<int64_t>& axes,
                             int64_t lanes) const {
    const std::string name = region == 0 ? "condition" : "body";
    auto one = std::make_unique<Function>(name);
    ValueMap values(from());
    for (Value a : from().args(op.region(region))) values.set(a, one->add_arg(one->body(), from().type(a)));
    const std::vector<Value> results = clone_ops(from(), op.region(region), *one, one->body(), values);
    OpBuilder(*one, one->body()).yield(results);
    // Loops within are lanes' loops of their own.
    module.add(std::move(one));
    vectorize(module, name, axes, lanes, {.name = name});
    if (auto inner = run_lanes_together(module.get(name))) module.replace(std::move(inner));
    return module.get(name);
  }

  static Value over_first_axis(OpBuilder& b, Value x, int64_t lanes) {
    const Type t = b.type(x);
    std::vector<int64_t> shape{lanes}, dims(static_cast<size_t>(t.rank()));
    shape.insert(shape.end(), t.shape().begin(), t.shape().end());
    std::iota(dims.begin(), dims.end(), 1);
    return b.broadcast_in_dim(x, dims, shape);
  }
};

}  // namespace

std::unique_ptr<Function> run_lanes_together(const Function& f) { return Joiner(f).run(); }

}  // namespace weft
