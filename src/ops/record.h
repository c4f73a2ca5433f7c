// The record of an op: everything target-independent that is known about it, in one place (docs/adding-an-op.md).
// A facet is a rule, a family's rule, or Refuse{"reason the user reads"}. Facets have no default, so a record that leaves
// one out does not compile.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/function.h"
#include "ops/builder.h"
#include "ops/scalar/scalar.h"

namespace weft {

struct OpRecord;

struct Refuse {
  std::string_view reason;
};

/// A rule of function type Fn, or the reason why there is none.
template <class Fn>
class Facet {
 public:
  Facet() = delete;
  template <class F>
    requires std::is_convertible_v<F, Fn*>
  constexpr Facet(F f) : rule_(f) {}
  constexpr Facet(Refuse r) : reason_(r.reason) {}
  constexpr bool refused() const { return rule_ == nullptr; }
  constexpr std::string_view reason() const { return reason_; }
  constexpr Fn* rule() const { return rule_; }
  /// The rule; Unsupported "[op] what: reason" at `op`'s place when refused.
  Fn& require(const OpView& op, std::string_view what) const {
    if (rule_ == nullptr) {
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + std::string(what) + ": " + std::string(reason_),
                        op.loc());
    }
    return *rule_;
  }

 private:
  Fn* rule_ = nullptr;
  std::string_view reason_;
};

// ---- schema -------------------------------------------------------------------------------------------------------

enum class AttrKind : uint8_t { kInts, kInt, kBool, kText, kLiteral, kType, kAny };
struct AttrSpec {
  std::string_view name;
  AttrKind kind = AttrKind::kAny;
  bool required = true;
};
/// Attributes that an op knows. Others (discardable: with a dot in their name, or `precision_config`-like hints) are kept and ignored.
class Schema {
 public:
  constexpr Schema(std::initializer_list<AttrSpec> specs) {
    for (const AttrSpec& s : specs) specs_[count_++] = s;
  }
  constexpr const AttrSpec* begin() const { return specs_.data(); }
  constexpr const AttrSpec* end() const { return specs_.data() + count_; }

 private:
  std::array<AttrSpec, 24> specs_{};
  size_t count_ = 0;
};

/// How the pretty form reads. kGeneric: only the generic form exists. kCustom: text/ has a form of its own for the mnemonic.
enum class Syntax : uint8_t {
  kElementwise,  // stablehlo.add %a, %b : type  (all operands and the result of one type), or ": (types) -> type" when they differ
  kClauses,  // stablehlo.slice-like: own clauses, then ": (types) -> type"
  kGeneric,
  kCustom,
};

// ---- type ---------------------------------------------------------------------------------------------------------

/// What a type rule sees. It checks every constraint of the specification and returns the result types.
struct TypeContext {
  const OpDef& def;
  std::vector<Type> operands;
  const Attrs& attrs;
  const Function& function;  // regions live here
  std::span<const RegionId> regions;
  std::vector<Type> declared;      // result types as written; empty when the builder infers them
  const Module* module = nullptr;  // for calls
  Loc loc;

  /// Throws UserError "[op] message (label)"; label is the specification's constraint, e.g. "slice_c3".
  [[noreturn]] void fail(std::string_view label, const std::string& message) const;
  /// fail() with "what: got X, expected Y" unless equal.
  void expect_equal(std::string_view label, std::string_view what, const Type& got, const Type& expected) const;
  void expect_operands(size_t count) const;
  /// The declared type of the only result; fails when the front end gave none.
  Type declared_result() const;
};
using TypeFn = std::vector<Type>(const TypeContext&);

/// Checks schema and types of an op about to be made, or already made; returns result types (declared ones win when compatible).
std::vector<Type> check_op(const TypeContext& context);
/// Checks every op of a module: schema, types, use before definition, region terminators. Throws the first UserError.
void verify(const Module& module);
void verify(const Function& function, const Module* module);

// ---- eval ---------------------------------------------------------------------------------------------------------

struct EvalStack;
/// A value at run time of the evaluator: a tensor, a stack (one store per lane) or a tuple.
struct EvalValue {
  Tensor tensor;
  std::shared_ptr<EvalStack> stack;
  std::shared_ptr<const std::vector<EvalValue>> tuple;
  EvalValue() = default;
  EvalValue(Tensor t) : tensor(std::move(t)) {}
  EvalValue(std::shared_ptr<EvalStack> s) : stack(std::move(s)) {}
};
/// One pushed value. Stores are persistent lists: push and pop take constant time and never change a value that another holds.
struct EvalStackNode {
  EvalValue value;
  std::shared_ptr<EvalStackNode> below;
  EvalStackNode(EvalValue v, std::shared_ptr<EvalStackNode> b) : value(std::move(v)), below(std::move(b)) {}
  /// Iterative, since a store may be millions of values deep.
  ~EvalStackNode() {
    for (auto next = std::move(below); next != nullptr && next.use_count() == 1;) {
      auto after = std::move(next->below);
      next = std::move(after);
    }
  }
  EvalStackNode(const EvalStackNode&) = delete;
  EvalStackNode& operator=(const EvalStackNode&) = delete;
};
struct EvalStack {
  Type type;  // the stack's type
  std::vector<std::shared_ptr<EvalStackNode>>
      lanes;  // top of each lane's store (one in all without lanes); null when empty
};

/// Implemented by eval/: lets control flow recurse.
class EvalContext {
 public:
  virtual ~EvalContext() = default;
  virtual std::vector<EvalValue> run_region(RegionId region, std::span<const EvalValue> args) = 0;
  /// As above; the arguments are given away, so that rules inside find buffers that nothing else holds.
  virtual std::vector<EvalValue> run_region(RegionId region, std::vector<EvalValue>&& args) {
    return run_region(region, std::span<const EvalValue>(args));
  }
  virtual std::vector<EvalValue> call(const std::string& callee, std::span<const EvalValue> args, Loc loc) = 0;
  virtual void print(const std::string& text) = 0;
  /// The value of an SSA value that is in scope.
  virtual const EvalValue& value(Value v) = 0;
  /// False when check.* ops also accept a small normwise error (ops/control_flow/check_rules.h).
  virtual bool strict_checks() const { return true; }
  /// The processes among which this one runs (ops/distribution/processes.h): where `op` communicates. Unsupported where there are none (folding).
  virtual class Processes& processes(const OpView& op);
};
using EvalFn = std::vector<EvalValue>(EvalContext&, const OpView&, std::span<const EvalValue>);

// ---- linearize and transpose ------------------------------------------------------------------------------------------

/// Primal results and their tangents; a missing Value is a tangent that is zero.
struct Linearized {
  std::vector<Value> results;
  std::vector<Value> tangents;
};

/// Implemented by transform/. In forward mode `primal` and `linear` write to one place. In reverse mode `linear` writes a
/// tape, read backwards afterwards through the transpose facet of the ops on it: only ops linear in tangents may go there.
class LinearizeContext {
 public:
  virtual ~LinearizeContext() = default;
  virtual OpBuilder& primal() = 0;
  virtual OpBuilder& linear() = 0;
  virtual bool is_reverse() const = 0;
  /// Copies the op to the primal place with new operands; returns its results.
  virtual std::vector<Value> clone_primal(const OpView& op, std::span<const Value> primals) = 0;
  /// A linear map that no single op expresses: `forward` makes result tangents from tangents, `transposed` makes
  /// cotangents of the inputs from cotangents of the results (missing = zero, in and out). Only one of them is used, once.
  using Emit = std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)>;
  virtual std::vector<Value> linear_map(std::span<const Value> tangents, std::span<const Type> result_types,
                                        Emit forward, Emit transposed) = 0;
  /// Linearization of ops with regions; see ops/control_flow/control_flow_rules.h.
  virtual class RegionLinearizer& regions() = 0;
};
/// primals: new values of all operands. tangents: one per operand, missing = zero; at least one is present.
using LinearizeFn = Linearized(LinearizeContext&, const OpView&, std::span<const Value> primals,
                               std::span<const Value> tangents);

/// The op on the tape is linear in the operands for which is_linear holds; the others are primal values that may be used as they are.
class TransposeContext {
 public:
  virtual ~TransposeContext() = default;
  virtual OpBuilder& builder() = 0;
  virtual bool is_linear(size_t operand) const = 0;
};
/// cotangents: one per result, missing = zero, at least one present. Returns one per operand; missing for operands that are not linear or get zero.
using TransposeFn = std::vector<Value>(TransposeContext&, const OpView&, std::span<const Value> cotangents);

// ---- vectorize and uniformity -------------------------------------------------------------------------------------------

/// A value over lanes: when it varies, axis 0 is the lane axis; otherwise it is the same for all lanes and has no such axis.
struct LaneValue {
  Value value;
  bool varies = false;
};
/// Implemented by transform/.
class VectorizeContext {
 public:
  virtual ~VectorizeContext() = default;
  virtual OpBuilder& builder() = 0;
  virtual int64_t lanes() const = 0;
  /// With the lane axis: broadcasts a uniform value.
  virtual Value broadcast(const LaneValue& v) = 0;
  /// Vectorization of ops with regions; see ops/control_flow/control_flow_rules.h.
  virtual class RegionVectorizer& regions() = 0;
};
/// Called only when some operand varies (or a captured value of a region does).
using VectorizeFn = std::vector<LaneValue>(VectorizeContext&, const OpView&, std::span<const LaneValue> operands);

/// Which results vary when these operands do; `region_varies` answers for values captured and computed in regions.
class UniformityContext {
 public:
  virtual ~UniformityContext() = default;
  /// Results of a region when its arguments vary so.
  virtual std::vector<bool> region_varies(RegionId region, const std::vector<bool>& args) = 0;
  /// Results of a function when its arguments vary so.
  virtual std::vector<bool> callee_varies(const std::string& name, const std::vector<bool>& args) = 0;
};
using UniformityFn = std::vector<bool>(UniformityContext&, const OpView&, const std::vector<bool>& operands);

// ---- simplify, aliases, effects, cost, portable form, samples -------------------------------------------------------------

class SimplifyContext {
 public:
  virtual ~SimplifyContext() = default;
  virtual OpBuilder& builder() = 0;
  /// The literal that a value is, if it is a constant op's result.
  virtual const Literal* constant(Value v) = 0;
  /// True when nothing but this op uses the value.
  virtual bool has_one_use(Value v) = 0;
};
/// The op stands in the function under construction. Returns values to use in place of its results; empty: nothing to do.
/// Value-preserving to the bit (NaN, signed zero); returns only canonical forms, so that a second run changes nothing.
using SimplifyFn = std::vector<Value>(SimplifyContext&, const OpView&);

enum class AliasKind : uint8_t {
  kView,  // the result is the operand's memory, unchanged (reshape)
  kInPlace,  // the result may be written over the operand element by element (add), or only partly changed (dynamic_update_slice)
  kCarry,  // loop carry: result, region argument and operand share memory
};
struct Alias {
  size_t result, operand;
  AliasKind kind;
};
using AliasFn = std::vector<Alias>(const OpView&);

/// What an op does beyond its results.
enum class Effects : uint8_t {
  kPure,
  kCheck,    // may fail with a user-visible error (weft.check, check.*): kept in program order, never removed
  kIo,       // print, infeed, outfeed
  kRegions,  // as its regions do, or its callee does
};

struct Cost {
  double flops = 0;
  double bytes = 0;
};
using CostFn = Cost(const OpView&);

class PortableContext {
 public:
  virtual ~PortableContext() = default;
  virtual OpBuilder& builder() = 0;
};
using PortableFn = std::vector<Value>(PortableContext&, const OpView&, std::span<const Value> operands);

/// Where the values of a sample's operand are drawn from.
struct Domain {
  double low = -2, high = 2;
  bool smooth_only = false;  // keep away from kinks: |x| >= 0.1 and distinct values (finite differences)
  bool special = false;      // sprinkle NaN, infinities, signed zero, ties
};
struct SampleOperand {
  Type type;
  Domain domain;
};
/// One use of an op for the table tests: values against the record's own laws, finite differences, dot-product test, lanes against loop.
struct Sample {
  std::string label;
  std::vector<SampleOperand> operands;
  /// Emits the op on values of the operands' types; returns its results.
  std::function<std::vector<Value>(OpBuilder&, std::span<const Value>)> emit;
  bool differentiable = true;  // check derivatives on this sample (float operands, smooth there)
};
using SamplesFn = std::vector<Sample>();

/// What one element becomes: writes scalar nodes for an elementwise op. 16-bit floats arrive and leave as f32.
using ScalarFn = SExpr(const OpView&, std::span<const SExpr>);

// ---- the record -------------------------------------------------------------------------------------------------------

struct OpFacets {
  std::string_view doc;
  Syntax syntax;
  Schema schema;
  Facet<TypeFn> type;
  Facet<EvalFn> eval;
  Facet<ScalarFn> scalar;
  Facet<LinearizeFn> linearize;
  Facet<TransposeFn> transpose;
  Facet<VectorizeFn> vectorize;
  Facet<UniformityFn> uniformity;
  Facet<SimplifyFn> simplify;
  Facet<AliasFn> aliases;
  Effects effects;
  Facet<CostFn> cost;
  Facet<PortableFn> to_stablehlo;
  Facet<SamplesFn> samples;
};

struct OpRecord : OpDef, OpFacets {};

/// The record behind an op.
inline const OpRecord& record(const OpDef& def) { return static_cast<const OpRecord&>(def); }
inline const OpRecord& record(const OpView& op) { return record(op.def()); }
/// All records, family by family.
std::span<const OpRecord* const> all_ops();
/// Null when there is no such op.
const OpRecord* find_op(std::string_view mnemonic);
/// InternalError when there is no such op.
const OpRecord& get_op(std::string_view mnemonic);

}  // namespace weft
