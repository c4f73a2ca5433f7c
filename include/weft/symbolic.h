// The symbolic API: a lazy graph of tensor expressions, compiled by `function`.
//
//   auto x = placeholder<float>({n, d}, "x"), y = placeholder<float>({n}, "y");
//   auto w = variable(zeros<float>({d}), "w");
//   auto loss = mean(square(dot(x, w) - y));
//   auto step = function({x, y}, {loss}, updates{{w, w - 0.1f * grad(loss, w)}});
//   float l = step(xs, ys).scalar<float>();
//
// Shapes and element types are checked when an expression is made; a UserError names the line that made it.
// Arithmetic broadcasts as NumPy does: shapes are aligned at their last axes, extents of 1 stretch.
#pragma once
#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/derivative_options.h"
#include "weft/device_tensor.h"
#include "weft/tensor.h"

namespace weft {

class PreparedCall;
namespace symbolic {
struct Node;
struct CompiledFunction;
struct ResultSet;
}  // namespace symbolic

/// A tensor expression: a cheap handle to a node of the graph. Expressions are immutable and may be shared between functions and threads.
class Expr {
 public:
  Expr() = default;
  explicit Expr(std::shared_ptr<const symbolic::Node> node, size_t output = 0)
      : node_(std::move(node)), output_(output) {}
  ElementType element_type() const;
  const Shape& shape() const;
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  /// Extent of an axis; negative axes count from the end.
  int64_t dim(int64_t axis) const;
  /// Not an empty handle. There is no conversion to bool, so that a condition on unknown values (`if (a < b)`) does not compile.
  bool has_value() const { return node_ != nullptr; }
  const std::shared_ptr<const symbolic::Node>& node() const { return node_; }
  size_t output() const { return output_; }

 private:
  std::shared_ptr<const symbolic::Node> node_;
  size_t output_ = 0;
};

/// An argument of an operation: an expression, or a number that takes the element type of the other operands. Made implicitly, it
/// remembers the source line for messages.
class Operand {
 public:
  Operand(const Expr& e, std::source_location loc = std::source_location::current()) : expr_(e), loc_(loc) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Operand(T number, std::source_location loc = std::source_location::current())
      : number_(static_cast<double>(number)), is_number_(true), is_integral_(std::is_integral_v<T>), loc_(loc) {}
  /// A host tensor as a constant.
  Operand(const Tensor& t, std::source_location loc = std::source_location::current());
  bool is_number() const { return is_number_; }
  const Expr& expr() const { return expr_; }
  double number() const { return number_; }
  /// Whether the number had an integer type. Where nothing else decides, such numbers are i32 and others f32.
  bool is_integral() const { return is_integral_; }
  const std::source_location& loc() const { return loc_; }

 private:
  Expr expr_;
  double number_ = 0;
  bool is_number_ = false, is_integral_ = false;
  std::source_location loc_;
};

// ---- leaves -------------------------------------------------------------------------------------------------------

/// An argument of functions.
Expr placeholder(ElementType type, Shape shape, std::string name = {},
                 std::source_location loc = std::source_location::current());
template <class T>
Expr placeholder(Shape shape, std::string name = {}, std::source_location loc = std::source_location::current()) {
  return placeholder(element_type_of<T>, std::move(shape), std::move(name), loc);
}

/// A tensor that lives across calls and that `updates` change in place. Copies of a Variable are the same variable. Its value lies where functions
/// use it: one that was updated on a device stays there until the host, or a function of another target, asks for it.
class Variable : public Expr {
 public:
  explicit Variable(std::shared_ptr<const symbolic::Node> node) : Expr(std::move(node)) {}
  /// A copy of the current value.
  Tensor value() const;
  /// The live memory: its address never changes. Do not read it while a call that updates the variable runs. What functions on a device have updated is
  /// there after storage() was called again.
  const Tensor& storage() const;
  /// Copies `value` in. Throws UserError when type or shape differ.
  void set(const Tensor& value) const;
  const std::string& name() const;
};
Variable variable(const Tensor& initial, std::string name = {},
                  std::source_location loc = std::source_location::current());

Expr constant(const Tensor& value, std::source_location loc = std::source_location::current());
/// Host tensors.
template <class T>
Tensor zeros(Shape shape) {
  return Tensor::zeros(element_type_of<T>, std::move(shape));
}
template <class T>
Tensor full(Shape shape, T value) {
  Tensor t(element_type_of<T>, std::move(shape));
  T* p = t.mutable_data<T>();
  for (int64_t i = 0; i < t.size(); ++i) p[i] = value;
  return t;
}
template <class T>
Tensor ones(Shape shape) {
  return full<T>(std::move(shape), T(1));
}
/// A constant expression with one value everywhere.
Expr filled(ElementType type, Shape shape, double value, std::source_location loc = std::source_location::current());
/// Numbers 0, 1, … along `axis`.
Expr iota(ElementType type, Shape shape, int64_t axis = 0, std::source_location loc = std::source_location::current());

// ---- elementwise --------------------------------------------------------------------------------------------------

Expr operator+(Operand a, Operand b);
Expr operator-(Operand a, Operand b);
Expr operator*(Operand a, Operand b);
Expr operator/(Operand a, Operand b);
Expr operator-(const Expr& a);
Expr operator<(Operand a, Operand b);
Expr operator<=(Operand a, Operand b);
Expr operator>(Operand a, Operand b);
Expr operator>=(Operand a, Operand b);
/// Elementwise comparison (operator== is left to handles).
Expr equal(Operand a, Operand b);
Expr not_equal(Operand a, Operand b);
Expr operator&&(Operand a, Operand b);
Expr operator||(Operand a, Operand b);
Expr operator!(const Expr& a);

/// Any elementwise op of one operand by its StableHLO name ("cbrt", "tanh"); with its prefix for other dialects ("chlo.erf").
Expr elementwise(std::string_view op, Operand a);
Expr elementwise(std::string_view op, Operand a, Operand b);
Expr abs(Operand a);
Expr exp(Operand a);
Expr expm1(Operand a);
Expr log(Operand a);
Expr log1p(Operand a);
Expr sqrt(Operand a);
Expr rsqrt(Operand a);
Expr cbrt(Operand a);
Expr tanh(Operand a);
Expr sin(Operand a);
Expr cos(Operand a);
Expr sign(Operand a);
Expr floor(Operand a);
Expr ceil(Operand a);
/// To the nearest integer, halves to the even one.
Expr round(Operand a);
/// The error function.
Expr erf(Operand a);
/// i1: neither infinite nor NaN.
Expr is_finite(Operand a);
/// The value; its derivative is zero.
Expr stop_gradient(Operand a);
/// 1 / (1 + exp(-a)).
Expr sigmoid(Operand a);
Expr square(Operand a);
/// max(a, 0); its derivative at 0 is 0.5, that of maximum at ties.
Expr relu(Operand a);
Expr pow(Operand a, Operand b);
Expr maximum(Operand a, Operand b);
Expr minimum(Operand a, Operand b);
Expr remainder(Operand a, Operand b);
/// The angle of the point (x, y).
Expr atan2(Operand y, Operand x);
/// min(max(a, low), high).
Expr clamp(Operand a, Operand low, Operand high);
/// pred ? a : b, element by element.
Expr where(Operand pred, Operand a, Operand b);
Expr cast(Operand a, ElementType type);
template <class T>
Expr cast(Operand a) {
  return cast(a, element_type_of<T>);
}

// ---- structure ------------------------------------------------------------------------------------------------------

/// One extent may be -1: it follows from the others.
Expr reshape(Operand a, Shape shape);
/// Keeps the first axis, joins the rest: [n, …] → [n, k].
Expr flatten(Operand a);
/// A new axis of extent 1 before `axis` of the result.
Expr expand_dims(Operand a, int64_t axis);
/// Without these axes, whose extents are 1; none named: without all such axes.
Expr squeeze(Operand a, std::vector<int64_t> axes = {});
/// Empty permutation: reverses the axes.
Expr transpose(Operand a, std::vector<int64_t> permutation = {});
Expr broadcast_to(Operand a, Shape shape);
Expr slice(Operand a, std::vector<int64_t> start, std::vector<int64_t> limit, std::vector<int64_t> strides = {});
/// starts: rank-0 integer expressions, clamped so that the window stays inside.
Expr dynamic_slice(Operand a, std::vector<Operand> starts, std::vector<int64_t> sizes);
Expr dynamic_update_slice(Operand a, Operand update, std::vector<Operand> starts);
/// Element or sub-array i along axis 0; i is a rank-0 integer expression.
Expr at(Operand a, Operand i);
Expr concatenate(std::vector<Expr> parts, int64_t axis, std::source_location loc = std::source_location::current());
/// Joins along a new axis.
Expr stack(std::vector<Expr> parts, int64_t axis = 0, std::source_location loc = std::source_location::current());
Expr pad(Operand a, std::vector<int64_t> low, std::vector<int64_t> high, double value = 0);
Expr reverse(Operand a, std::vector<int64_t> axes);
/// Rows of a by integer indices: result shape = indices.shape + a.shape[1:]. Indices are clamped.
Expr take(Operand a, Operand indices);
/// a with rows added: row i of values, shaped indices.shape + a.shape[1:], to the row that the index names, one after the other where an index
/// comes twice. Indices outside are passed over. With grad by take's result this is the update of a table from a few of its rows.
Expr add_at(Operand a, Operand indices, Operand values);
/// [..., depth] of `type`: 1 where the label equals the position.
Expr one_hot(Operand labels, int64_t depth, ElementType type = ElementType::kF32);

// ---- reductions and contractions ------------------------------------------------------------------------------------

/// No axes: all. `keep` leaves extents of 1. sum and prod count truth values as i32, mean takes whole numbers as f32.
Expr sum(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
Expr mean(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
Expr max(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
Expr min(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
Expr prod(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
/// Mean squared distance from the mean.
Expr variance(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
/// Of truth values.
Expr all(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
Expr any(Operand a, std::vector<int64_t> axes = {}, bool keep = false);
/// Index (i32) of the first maximum along an axis.
Expr argmax(Operand a, int64_t axis);
Expr logsumexp(Operand a, int64_t axis, bool keep = false);
Expr softmax(Operand a, int64_t axis = -1);
Expr log_softmax(Operand a, int64_t axis = -1);
/// Mean over the batch of -log softmax(logits)[label]; logits [n, classes], labels integer [n].
Expr softmax_cross_entropy(Operand logits, Operand labels);

/// NumPy's dot for ranks 1 and 2: vector·vector, matrix·vector, matrix·matrix.
Expr dot(Operand a, Operand b);
/// Batched over leading axes: [..., m, k] x [..., k, n].
Expr matmul(Operand a, Operand b);

enum class Padding { kValid, kSame };
struct Conv2dOptions {
  std::vector<int64_t> strides = {1, 1};
  std::vector<int64_t> dilation = {1, 1};
  Padding padding = Padding::kValid;
  int64_t groups = 1;
};
/// x [n, h, w, in], kernel [kh, kw, in / groups, out] → [n, h', w', out].
Expr conv2d(Operand x, Operand kernel, Conv2dOptions options = {});
struct PoolOptions {
  std::vector<int64_t> window = {2, 2};
  std::vector<int64_t> strides = {};  // empty: the window
  Padding padding = Padding::kValid;
};
/// Over h and w of [n, h, w, c].
Expr max_pool(Operand x, PoolOptions options = {});
Expr avg_pool(Operand x, PoolOptions options = {});

// ---- derivatives, control flow, lanes --------------------------------------------------------------------------------

/// d loss / d wrt for a rank-0 float loss; wrt may be variables, placeholders or any expressions that loss is computed from (others get
/// zeros, docs/symbolic.md). By a complex z = x + iy it is dl/dx - i dl/dy.
Expr grad(const Expr& loss, const Expr& wrt, std::source_location loc = std::source_location::current());
std::vector<Expr> grad(const Expr& loss, std::vector<Expr> wrt,
                       std::source_location loc = std::source_location::current());
/// d y / d x: [y.shape..., x.shape...], zeros where y does not depend on x. Forwards or backwards, whichever needs fewer lanes, and so many
/// lanes at once as fit (JacobianOptions). Complex ones: docs/differentiation.md.
Expr jacobian(const Expr& y, const Expr& x, JacobianOptions options = {},
              std::source_location loc = std::source_location::current());
/// [i][k]: of ys[i] by xs[k].
std::vector<std::vector<Expr>> jacobian(std::vector<Expr> ys, std::vector<Expr> xs, JacobianOptions options = {},
                                        std::source_location loc = std::source_location::current());
/// Where axis 0 of both counts examples and no example's y depends on another's x: [examples, rest of y..., rest of x...].
Expr batch_jacobian(const Expr& y, const Expr& x, JacobianOptions options = {},
                    std::source_location loc = std::source_location::current());
/// Second derivatives of a rank-0 loss: [x.shape..., x.shape...].
Expr hessian(const Expr& loss, const Expr& x, JacobianOptions options = {},
             std::source_location loc = std::source_location::current());
/// [i][k]: by xs[i], then xs[k].
std::vector<std::vector<Expr>> hessian(const Expr& loss, std::vector<Expr> xs, JacobianOptions options = {},
                                       std::source_location loc = std::source_location::current());
/// Products without the matrix. jvp: derivatives of ys along tangents of xs. vjp: sums over ys of cotangents times derivatives, for each
/// of xs. hvp: the Hessian of a loss times vectors.
std::vector<Expr> jvp(std::vector<Expr> ys, std::vector<Expr> xs, std::vector<Operand> tangents,
                      std::source_location loc = std::source_location::current());
Expr jvp(const Expr& y, const Expr& x, Operand tangent, std::source_location loc = std::source_location::current());
std::vector<Expr> vjp(std::vector<Expr> ys, std::vector<Expr> xs, std::vector<Operand> cotangents,
                      std::source_location loc = std::source_location::current());
Expr vjp(const Expr& y, const Expr& x, Operand cotangent, std::source_location loc = std::source_location::current());
std::vector<Expr> hvp(const Expr& loss, std::vector<Expr> xs, std::vector<Operand> vs,
                      std::source_location loc = std::source_location::current());
Expr hvp(const Expr& loss, const Expr& x, Operand v, std::source_location loc = std::source_location::current());
/// The squared length of grad(loss, wrt), all of wrt together. A gradient that is a product of matrices is not formed: its length follows
/// from the products of its factors with themselves.
Expr squared_grad_norm(const Expr& loss, std::vector<Expr> wrt,
                       std::source_location loc = std::source_location::current());

/// f(xs), whose derivative is by a rule of the caller's. What the functions use of the surroundings must not be differentiated: it is
/// handed in as an x.
using ExprFunction = std::function<std::vector<Expr>(std::span<const Expr>)>;
/// rule(xs, tangents of the floating-point xs) → f's results, then tangents of the floating-point ones. It is linear in the tangents.
std::vector<Expr> custom_jvp(
    const ExprFunction& f,
    const std::function<std::vector<Expr>(std::span<const Expr> xs, std::span<const Expr> tangents)>& rule,
    std::vector<Operand> xs, std::source_location loc = std::source_location::current());
/// forward(xs) → f's results, then whatever backward needs; backward(that, cotangents of the floating-point results) → cotangents of the
/// floating-point xs. backward is linear in the cotangents.
std::vector<Expr> custom_vjp(
    const ExprFunction& f, const ExprFunction& forward,
    const std::function<std::vector<Expr>(std::span<const Expr> kept, std::span<const Expr> cotangents)>& backward,
    std::vector<Operand> xs, std::source_location loc = std::source_location::current());
/// f(xs), of which reverse mode keeps the inputs alone: f runs again when its derivative is needed.
std::vector<Expr> checkpoint(const ExprFunction& f, std::vector<Operand> xs,
                             std::source_location loc = std::source_location::current());

/// While cond(state) holds, state = body(state). Expressions of the surroundings are captured without marks. Differentiable;
/// no bound on the trip count is needed.
using LoopCondition = std::function<Expr(std::span<const Expr>)>;
using LoopBody = std::function<std::vector<Expr>(std::span<const Expr>)>;
std::vector<Expr> while_loop(const LoopCondition& cond, const LoopBody& body, std::vector<Operand> init,
                             std::source_location loc = std::source_location::current());
/// pred ? on_true() : on_false(): only one side runs, namely the expressions that its callback makes.
std::vector<Expr> cond(Operand pred, const std::function<std::vector<Expr>()>& on_true,
                       const std::function<std::vector<Expr>()>& on_false);
/// carry = body(carry, slice t of each xs) for t in order; returns the last carries, then the outputs stacked over t.
/// body returns carries, then outputs.
std::vector<Expr> scan(
    const std::function<std::vector<Expr>(std::span<const Expr> carry, std::span<const Expr> x)>& body,
    std::vector<Operand> init, std::vector<Operand> xs, std::optional<int64_t> length = {},
    std::source_location loc = std::source_location::current());
struct PforOptions {
  /// So many lanes at once, in a loop; it need not divide their number. 0: all of them.
  int64_t chunk = 0;
  /// Refuse, with the op and the reason, what could only be done lane after lane.
  bool strict = false;
  /// What lane_sum and the like call these lanes from inside a pfor in the body.
  std::string level = {};
};
namespace symbolic {
/// What pfor (weft/structure.h) is made of: a body from the lane's number, or without `n` from `inputs` without their axes of lanes.
std::vector<Expr> pfor(std::optional<int64_t> n, std::vector<Expr> inputs, const ExprFunction& body,
                       const PforOptions& options, const std::source_location& loc);
}  // namespace symbolic

/// In the body of a pfor, over all its lanes: the same for each of them. `level` names the pfor that is meant (PforOptions::level); empty:
/// the innermost. Lanes must arrive there together: in a loop that they leave at different steps, or a branch that not all take, it is
/// Unsupported.
Expr lane_sum(Operand x, const std::string& level = {});
Expr lane_mean(Operand x, const std::string& level = {});
Expr lane_max(Operand x, const std::string& level = {});
Expr lane_min(Operand x, const std::string& level = {});
/// [lanes, x.shape...].
Expr lane_concat(Operand x, const std::string& level = {});
/// f(f(init, lane 0), lane 1) …: f takes what was reached, then one lane's values, and returns as many.
std::vector<Expr> lane_reduce(
    const std::function<std::vector<Expr>(std::span<const Expr> reached, std::span<const Expr> x)>& f,
    std::vector<Operand> init, std::vector<Operand> xs, const std::string& level = {},
    std::source_location loc = std::source_location::current());

// ---- functions ------------------------------------------------------------------------------------------------------

/// New values of variables, computed from the old ones, written at once when a call ends.
struct Update {
  Variable variable;
  Expr value;
};
using updates = std::vector<Update>;

/// What a call returns. Reading is valid as long as this object lives; tensors copied out of it stay valid. What was computed on a device is copied
/// to the host when it is read.
class Results {
 public:
  Results() = default;
  Results(Results&& other) noexcept;
  Results& operator=(Results&& other) noexcept;
  ~Results();
  size_t size() const;
  const Tensor& operator[](size_t i) const;
  /// Output i where the function computed it.
  DeviceTensor on_device(size_t i) const;
  /// The only element of output 0.
  template <class T>
  T scalar() const {
    return (*this)[0].scalar<T>();
  }

 private:
  friend class BoundCall;
  friend class CompiledGraph;
  Results(std::shared_ptr<symbolic::CompiledFunction> owner, symbolic::ResultSet* set);
  void expect_index(size_t i) const;
  std::shared_ptr<symbolic::CompiledFunction> owner_;
  symbolic::ResultSet* set_ = nullptr;
};

/// A call with its arguments and result memory fixed: run() costs a tenth of a microsecond above the work itself. Not to be
/// run by two threads at once.
class BoundCall {
 public:
  /// Computes; results() then holds the outputs.
  void run();
  const Tensor& operator[](size_t i) const { return results_[i]; }
  /// Output i of the last run where the function computed it.
  DeviceTensor on_device(size_t i) const;

 private:
  friend class CompiledGraph;
  std::shared_ptr<symbolic::CompiledFunction> function_;
  std::vector<DeviceTensor> args_;
  Results results_;
  std::shared_ptr<PreparedCall> prepared_;  // null on a device
};

/// A compiled function. May be called from many threads at once; calls that update variables lock them.
class CompiledGraph {
 public:
  CompiledGraph() = default;
  explicit CompiledGraph(std::shared_ptr<symbolic::CompiledFunction> state) : state_(std::move(state)) {}
  template <class... Tensors>
    requires(std::convertible_to<const Tensors&, const Tensor&> && ...)
  Results operator()(const Tensors&... args) const {
    const Tensor* table[] = {&static_cast<const Tensor&>(args)..., nullptr};
    return call({table, sizeof...(args)});
  }
  Results call(std::span<const Tensor* const> args) const;
  /// The same with arguments on a device, or both kinds.
  template <class... Args>
    requires((std::convertible_to<const Args&, DeviceTensor> && ...) &&
             !(std::convertible_to<const Args&, const Tensor&> && ...))
  Results operator()(const Args&... args) const {
    const DeviceTensor table[] = {args...};
    return call(std::span<const DeviceTensor>(table));
  }
  Results call(std::span<const DeviceTensor> args) const;
  BoundCall bind(std::vector<Tensor> args) const;
  /// The same with arguments on a device. Those that are not there are sent in each run.
  BoundCall bind_device(std::vector<DeviceTensor> args) const;
  /// Starts a call on a device and returns at once; variables have their new values for all who ask afterwards. Arguments of the host are copied before it
  /// returns. Errors of the call come when it, its outputs or the variables that it updated are waited for; those of arguments that do not fit, here.
  /// Targets without a device compute first.
  Pending start(std::vector<DeviceTensor> args) const;
  /// This function for many examples in one call, as many as a call brings: each argument has an axis of examples at axes[i] (default 0
  /// for all; -1: one value for all of them), results have it first. It is compiled for each number of examples, of
  /// which it keeps 16.
  /// UserError for a function that updates variables.
  CompiledGraph batched(std::vector<int64_t> axes = {},
                        std::source_location loc = std::source_location::current()) const;
  /// The program as StableHLO text.
  std::string text() const;
  /// Kernels, library choices with reasons, copies.
  std::string explain() const;

 private:
  friend CompiledGraph function(std::vector<Expr>, std::vector<Expr>, updates, struct FunctionOptions,
                                std::source_location);
  std::shared_ptr<symbolic::CompiledFunction> state_;
};

struct FunctionOptions {
  std::string name = "main";
  std::string target = "native";  // or "eval", "pjrt:PLUGIN" (docs/pjrt.md)
  int partitions = 0;             // parts that parallel loops are cut into; 0: cores of this machine
  size_t memory_limit = 0;        // bytes that one call may need; 0: what WEFT_MEMORY_LIMIT says, or the machine has
  /// Devices of a PJRT target that programs of shard (weft/sharding.h) are cut over; 0: as many as their meshes have.
  int devices = 0;
  bool contract = false;  // a product and a sum may round once together; else each rounds, as the evaluator's do
  /// (input, output) of one type: the output takes the memory of the DeviceTensor that is given for the input, which cannot be used
  /// afterwards. Variables that are updated give theirs anyway.
  std::vector<std::pair<size_t, size_t>> donations = {};
};
/// Compiles the graph from `inputs` (placeholders) to `outputs`, with `updates` of variables. Throws UserError when an output needs a
/// placeholder that is not among the inputs, when two updates name one variable, or when an update's type or shape is not the variable's.
CompiledGraph function(std::vector<Expr> inputs, std::vector<Expr> outputs, updates changes = {},
                       FunctionOptions options = {}, std::source_location loc = std::source_location::current());

}  // namespace weft

#include "weft/sharding.h"
#include "weft/structure.h"
