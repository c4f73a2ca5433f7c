#include "native/codegen/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "base/float_format.h"
#include "native/codegen/fold.h"
#include "native/codegen/layout.h"
#include "native/codegen/reduce.h"
#include "ops/reduction/window_rules.h"
#include "ops/scalar/scalar.h"

namespace weft::codegen {

using llvm::Value;

namespace {

/// Shorter axes are folded anew for each element, inside whatever kernel reads them.
constexpr int64_t kMinExtent = 16;
constexpr int64_t kMinSplitElements = 1 << 17, kElementsPerPart = 1 << 15, kMaxParts = 64, kFewUnits = 16;

bool all_are(std::span<const int64_t> v, int64_t x) {
  return std::ranges::all_of(v, [&](int64_t e) { return e == x; });
}

/// The start value's bits and type, where it is a constant.
std::optional<std::pair<uint64_t, ElementType>> constant_start(const OpView& op) {
  const OpId def = op.function.defining_op(op.operand(op.num_results()));
  if (!def || op.function.def(def).mnemonic != "stablehlo.constant") return std::nullopt;
  const Literal& l = OpView{op.function, def}.attrs().literal("value");
  const ElementType t = l.type.element_type();
  if (is_complex(t) || (bit_width(t) < 8 && !is_boolean(t))) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, l.element(0), byte_size(t));
  return std::make_pair(bits, t);
}

/// Whether combining the start value with itself gives the start value: then any number of padding elements before the first
/// element of a window change nothing.
bool is_idempotent(const OpView& op, const Monoid& monoid) {
  const auto start = constant_start(op);
  if (!start) return false;
  const auto [bits, t] = *start;
  const std::string_view m = op.function.def(monoid.op).mnemonic;
  if (m == "stablehlo.multiply") {
    const Type accumulator = op.function.type(op.function.args(op.region(0))[0]);
    return t == accumulator.element_type() && (is_float(t) ? decode_float(t, bits) == 1 : bits == monoid.neutral);
  }
  if (m != "stablehlo.add" && m != "stablehlo.xor") return true;
  return is_float(t) ? decode_float(t, bits) == 0 : bits == 0;
}

/// Whether a body of several ops leaves an element as it is when it is combined with the start value, tried on examples: the
/// specification asks for a monoid, and only then does the order of combination not matter.
bool has_neutral_start(const OpView& op) {
  const auto start = constant_start(op);
  if (!start || !is_scalar_region(op.function, op.region(0), nullptr)) return false;
  const auto [bits, t] = *start;
  const auto params = op.function.args(op.region(0));
  ScalarProgram program;
  std::unordered_map<uint32_t, SExpr> values;
  for (int i = 0; i < 2; ++i) {
    const weft::Value param = params[static_cast<size_t>(i)];
    if (op.function.type(param).element_type() != t || compute_type(t) != t) return false;
    values.emplace(param.index, SExpr::arg(program, i, t));
  }
  int result = -1;
  for (const OpId id : op.function.ops(op.region(0))) {
    const OpView inner{op.function, id};
    std::vector<SExpr> args;
    for (const weft::Value v : inner.operands()) {
      const auto it = values.find(v.index);
      if (it == values.end()) return false;
      args.push_back(it->second);
    }
    if (inner.def().is_terminator) {
      result = args[0].id();
      break;
    }
    const ElementType type = inner.result_type().element_type();
    if (is_complex(type) || compute_type(type) != type) return false;
    if (inner.def().mnemonic == "stablehlo.constant") {
      uint64_t value = 0;
      std::memcpy(&value, inner.attrs().literal("value").element(0), byte_size(type));
      values.emplace(inner.result().index, SExpr::constant_bits(program, type, value));
    } else {
      if (record(inner).scalar.refused()) return false;
      values.emplace(inner.result().index, record(inner).scalar.require(inner, "native")(inner, args));
    }
  }
  std::vector<uint64_t> examples = {bits};
  if (t == ElementType::kF32) {
    for (float x : {0.5f, -3.0f, 100.0f, 0.001f}) examples.push_back(std::bit_cast<uint32_t>(x));
  } else if (t == ElementType::kF64) {
    for (double x : {0.5, -3.0, 100.0, 0.001}) examples.push_back(std::bit_cast<uint64_t>(x));
  } else if (is_boolean(t)) {
    examples.insert(examples.end(), {0, 1});
  } else {
    examples.insert(examples.end(), {0, 1, 2, 100});
  }
  return std::ranges::all_of(examples, [&](uint64_t x) {
    const std::array<uint64_t, 2> left = {bits, x}, right = {x, bits};
    return run_scalar(program, result, left.data()) == x && run_scalar(program, result, right.data()) == x;
  });
}

/// Lanes of one register of the accumulator.
int row_lanes(const Emitter& e, ElementType t) {
  return std::max(1, e.options().isa.vector_bytes / static_cast<int>(byte_size(compute_type(t))));
}

class ScanEmitter {
 public:
  ScanEmitter(Emitter& e, const OpView& op, const Segment& s, bool narrow_memory)
      : e_(e), op_(op), s_(s), form_(*scan_form(op)), body_(e, op, 0), narrow_memory_(narrow_memory) {}

  std::vector<Value*> outputs;

  /// Calls body(o, k) for each line: k runs along the lanes where inner is not 1.
  void lines(const Expr& o, const Expr& chunk, const std::function<void(const Expr&, const Expr&)>& body) {
    if (form_.inner == 1) return body(o, Expr(0));
    llvm::IRBuilder<> b = e_.at(e_.current());
    Value* low = e_.scalar_of(chunk * s_.chunk);
    b.SetInsertPoint(e_.current()->at);
    Value* high =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s_.chunk))),
                                b.getInt64(static_cast<uint64_t>(form_.inner)));
    e_.lane_loop(low, high, form_.inner, s_.lanes, s_.chunks == 1, narrow_memory_, [&](const Expr& k) { body(o, k); });
  }
  /// As `lines`, over all outer places.
  void all_lines(const std::function<void(const Expr&, const Expr&)>& body) {
    if (form_.outer == 1) return lines(Expr(0), Expr(0), body);
    llvm::IRBuilder<> b = e_.at(e_.current());
    e_.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(form_.outer)), 1, {},
            [&](Level* level, Value* i, std::span<Value* const>) {
              lines(Expr::atom(e_.variable(i, level, {0, form_.outer - 1})), Expr(0), body);
              return std::vector<Value*>{};
            });
  }

  /// The fold of steps [low, high) of a line.
  Val fold(const Expr& o, const Expr& k, Value* low, Value* high) {
    if (!body_.monoid()) return scan(o, k, {neutral()}, low, high)[0];
    Fold fold;
    fold.loops = {{form_.extent, false, low, high}};
    fold.vectorised = e_.lanes.count == 1;
    fold.width = fold.vectorised ? fold_width(e_, form_.extent) : e_.lanes.count;
    fold.start = {neutral()};
    fold.combine = [&](std::span<const Val> a, std::span<const Val> b) { return body_.combine(a, b); };
    fold.step = [&](std::span<const Expr> t, std::span<const Val> a) { return combine_read(a, read(o, t[0], k)); };
    return emit_fold(e_, fold)[0];
  }

  /// The partial results before `part`, joined with the start value.
  std::vector<Val> before(Value* scratch, Value* part, const Expr& o, const Expr& k) {
    const ElementType t = compute_type(op_.result_type().element_type());
    const int64_t kept = form_.outer * form_.inner;
    const int lanes = e_.lanes.count;
    const std::vector<Val> start = inits();
    const std::vector<Value*> sum =
        e_.loop(llvm::ConstantInt::get(part->getType(), 0), part, 1, unwrap(start, lanes),
                [&](Level* level, Value* i, std::span<Value* const> phis) {
                  const Expr at = Expr::atom(e_.variable(i, level, {0, s_.parts - 1})) * kept + o * form_.inner + k;
                  const std::vector<Val> x = {e_.load(scratch, t, at, s_.parts * kept, {})};
                  return unwrap(combine_read(wrap(phis, level, lanes), x), lanes);
                });
    return wrap(sum, e_.current(), lanes);
  }

  std::vector<Val> inits() { return body_.inits(); }

  /// Steps [low, high) of a line, stored where there are outputs; the fold of all.
  std::vector<Val> scan(const Expr& o, const Expr& k, std::vector<Val> start, Value* low, Value* high) {
    const ElementType type = compute_type(op_.result_type(0).element_type());
    const int width = row_lanes(e_, type);
    if (e_.lanes.count > 1 || width == 1 || form_.extent < width || is_complex(type))
      return steps(o, k, std::move(start), low, high);
    // Whole vectors, then the rest one by one.
    llvm::IRBuilder<> b = e_.at(e_.current());
    Value* full = b.getInt64(static_cast<uint64_t>(form_.extent / width * width));
    Value* middle = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high, full);
    start = vectors(o, start[0], width, low, middle);
    return form_.extent % width == 0 ? start : steps(o, k, std::move(start), full, high);
  }

 private:
  std::vector<Val> wrap(std::span<Value* const> values, Level* level, int lanes) const {
    std::vector<Val> r;
    const bool complex = is_complex(op_.result_type(0).element_type());
    for (size_t i = 0; i < values.size(); ++i) {
      r.push_back({values[i], nullptr, level, lanes});
      if (complex) r.back().im = values[++i];
    }
    return r;
  }
  std::vector<Value*> unwrap(std::span<const Val> values, int lanes) {
    std::vector<Value*> r;
    for (const Val& v : values) {
      const Val x = e_.spread(v, lanes);
      r.push_back(x.v);
      if (x.im != nullptr) r.push_back(x.im);
    }
    return r;
  }

  Expr position(const Expr& t) const { return form_.reverse ? t * -1 + (form_.extent - 1) : t; }
  Index place(const Expr& o, const Expr& i, const Expr& k) const {
    Index at;
    if (form_.outer != 1) at.push_back({form_.outer, o});
    at.push_back({form_.extent, i});
    if (form_.inner != 1) at.push_back({form_.inner, k});
    return at;
  }
  std::vector<Val> read(const Expr& o, const Expr& t, const Expr& k) { return read(place(o, position(t), k)); }
  std::vector<Val> read(const Index& at) {
    std::vector<Val> x;
    for (size_t i = 0; i < op_.num_results(); ++i) x.push_back(body_.operand(i, e_.eval(op_.operand(i), at, {})));
    return x;
  }
  // Windows combine in the order of the axis.
  std::vector<Val> combine_read(std::span<const Val> a, const std::vector<Val>& x) {
    return form_.reverse && !body_.monoid() ? body_.combine(x, a) : body_.combine(a, x);
  }
  void store(const Index& at, std::vector<Val> accumulators) {
    if (outputs.empty()) return;
    const std::vector<Val> r = body_.finish(std::move(accumulators));
    for (size_t i = 0; i < r.size(); ++i)
      e_.store(e_.current(), outputs[i], op_.result_type(i).element_type(), linear(at), r[i], {});
  }

  // Step by step, lanes on neighbouring lines or none.
  std::vector<Val> steps(const Expr& o, const Expr& k, std::vector<Val> start, Value* low, Value* high) {
    Fold fold;
    fold.loops = {{form_.extent, false, low, high}};
    fold.width = e_.lanes.count;
    fold.start = std::move(start);
    fold.step = [&](std::span<const Expr> t, std::span<const Val> a) {
      const Index at = place(o, position(t[0]), k);
      const std::vector<Val> next = combine_read(a, read(at));
      store(at, form_.exclusive ? std::vector<Val>(a.begin(), a.end()) : next);
      return next;
    };
    return emit_fold(e_, fold);
  }

  // Lanes along the axis: each vector is scanned in its register, then joined with what came before.
  std::vector<Val> vectors(const Expr& o, const Val& start, int width, Value* low, Value* high) {
    const std::vector<Value*> last =
        e_.loop(low, high, width, std::array{start.v}, [&](Level* level, Value* t, std::span<Value* const> carried) {
          llvm::IRBuilder<> b = e_.at(level);
          Value* first = form_.reverse ? b.CreateSub(b.getInt64(static_cast<uint64_t>(form_.extent - width)), t) : t;
          const AtomId a = e_.variable(first, level, {0, form_.extent - 1}, width);
          const Lanes open = e_.lanes;
          e_.lanes = {a, width, nullptr, level};
          const Index at = place(o, Expr::atom(a), Expr(0));
          Val local = e_.spread(read(at)[0], width);
          if (local.level->depth < level->depth) local.level = level;
          for (int d = 1; d < width; d *= 2) local = after(shifted(local, d), local);
          const Val before{carried[0], nullptr, level, 1};
          const Val spread = e_.spread(before, width);
          store(at, {after(spread, form_.exclusive ? shifted(local, 1) : local)});
          e_.lanes = open;
          llvm::IRBuilder<> end = e_.at(level);
          const Val total{end.CreateExtractElement(local.v, static_cast<uint64_t>(form_.reverse ? 0 : width - 1)),
                          nullptr, level, 1};
          return std::vector<Value*>{after(before, total).v};
        });
    return {{last[0], nullptr, e_.current(), 1}};
  }
  Val neutral() { return body_.monoid() ? body_.neutral() : inits()[0]; }
  /// What came before in the scan, and b after it.
  Val after(const Val& before, const Val& b) { return combine_read(std::array{before}, {b})[0]; }
  // Each lane takes the value of the lane `by` steps before it, the first ones the neutral element.
  Val shifted(const Val& v, int by) {
    const int n = v.lanes;
    std::vector<int> from;
    for (int i = 0; i < n; ++i) {
      const int source = form_.reverse ? i + by : i - by;
      from.push_back(source < 0 || source >= n ? n : source);
    }
    llvm::IRBuilder<> b = e_.at(v.level);
    return {b.CreateShuffleVector(v.v, e_.spread(neutral(), n).v, from), nullptr, v.level, n};
  }

  Emitter& e_;
  OpView op_;
  const Segment& s_;
  ScanForm form_;
  RegionFold body_;
  bool narrow_memory_;
};

}  // namespace

bool is_scan(const OpView& op) { return scan_form(op).has_value(); }

std::optional<ScanForm> scan_form(const OpView& op) {
  if (op.def().mnemonic != "stablehlo.reduce_window" || op.num_results() != 1) return std::nullopt;
  const Type in = op.operand_type(0), out = op.result_type();
  if (!in.is_static() || in.num_elements() == 0) return std::nullopt;
  const Window w(op);
  if (w.is_dilated() || !all_are(w.window_dilations, 1)) return std::nullopt;
  ScanForm form;
  bool found = false;
  for (int64_t d = 0; d < in.rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    const int64_t n = in.dim(d), size = w.dimensions[i], low = w.padding[2 * i], high = w.padding[2 * i + 1];
    if (size == 1 && low == 0 && high == 0 && w.strides[i] == 1) {
      (found ? form.inner : form.outer) *= n;
      continue;
    }
    if (found || n < kMinExtent || (w.strides[i] != 1) || out.dim(d) != n) return std::nullopt;
    found = true;
    form.extent = n;
    // Window i covers [i - low, i - low + size).
    const int64_t end = size - low;
    if (low >= n - 1 && (end == 1 || end == 0)) {
      form.exclusive = end == 0;
    } else if (end >= n && (low == 0 || low == -1)) {
      form.reverse = true;
      form.exclusive = low == -1;
    } else {
      return std::nullopt;
    }
  }
  if (!found) return std::nullopt;
  const auto monoid = monoid_of(op.function, op.region(0));
  if (monoid ? !is_idempotent(op, *monoid) : !has_neutral_start(op)) return std::nullopt;
  return form;
}

void plan_scan(const OpView& op, const KernelOptions& options, Segment& s) {
  const ScanForm form = *scan_form(op);
  s.kind = SegmentKind::kScan;
  const int natural = natural_lanes(op.function, options);
  // Long pieces of each row that a scan over rows reads.
  s.lanes = form.inner == 1 ? 1 : lanes_for_extent(form.inner, std::min(128, 4 * natural));
  s.chunk = form.inner == 1 ? 1 : std::max<int64_t>(s.lanes, 16);
  s.chunks = (form.inner + s.chunk - 1) / s.chunk;
  s.units = form.outer * s.chunks;
  s.kept = form.outer * form.inner;
  const int64_t total = s.kept * form.extent;
  const bool splits = s.units < kFewUnits && total >= kMinSplitElements && !is_complex(op.result_type().element_type());
  if (splits) {
    const int64_t wanted = std::clamp<int64_t>(total / kElementsPerPart, 2, kMaxParts);
    s.step = ((form.extent + wanted - 1) / wanted + 63) / 64 * 64;
    s.parts = (form.extent + s.step - 1) / s.step;
    if (s.parts < 2) {
      s.parts = s.step = 0;
    } else {
      s.split = {op.id};
      s.finish_work = static_cast<double>(total);
      s.chunk = form.inner;
      s.chunks = 1;
      s.units = s.parts;
    }
  }
  s.work_per_unit = static_cast<double>(total) / static_cast<double>(s.units);
}

void emit_scan(Emitter& e, const OpView& op, std::span<Value* const> outputs, const Segment& s, Value* begin,
               Value* end, bool narrow_memory) {
  ScanEmitter scan(e, op, s, narrow_memory);
  scan.outputs.assign(outputs.begin(), outputs.end());
  const ScanForm form = *scan_form(op);
  e.loop(begin, end, 1, {}, [&](Level* level, Value* u, std::span<Value* const>) {
    const Index unit = {{s.units, Expr::atom(e.variable(u, level, {0, s.units - 1}))}};
    const std::vector<Expr> at = e.digits(unit, std::array{form.outer, s.chunks});
    scan.lines(at[0], at[1], [&](const Expr& o, const Expr& k) {
      llvm::IRBuilder<> b = e.at(e.current());
      scan.scan(o, k, scan.inits(), b.getInt64(0), b.getInt64(static_cast<uint64_t>(form.extent)));
    });
    return std::vector<Value*>{};
  });
}

namespace {

/// Units as parts of the axis: body(part, low, high).
void each_part(Emitter& e, const Segment& s, int64_t extent, Value* begin, Value* end,
               const std::function<void(Value*, Value*, Value*)>& body) {
  e.loop(begin, end, 1, {}, [&](Level* level, Value* p, std::span<Value* const>) {
    llvm::IRBuilder<> b = e.at(level);
    Value* step = b.getInt64(static_cast<uint64_t>(s.step));
    Value* low = b.CreateMul(p, step);
    Value* high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, step),
                                          b.getInt64(static_cast<uint64_t>(extent)));
    body(p, low, high);
    return std::vector<Value*>{};
  });
}

}  // namespace

void emit_scan_parts(Emitter& e, const OpView& op, const Segment& s, Value* scratch, Value* begin, Value* end,
                     bool narrow_memory) {
  ScanEmitter scan(e, op, s, narrow_memory);
  const ScanForm form = *scan_form(op);
  each_part(e, s, form.extent, begin, end, [&](Value* p, Value* low, Value* high) {
    const Expr part = Expr::atom(e.variable(p, e.current(), {0, s.parts - 1}));
    scan.all_lines([&](const Expr& o, const Expr& k) {
      const Val v = scan.fold(o, k, low, high);
      e.store(e.current(), scratch, compute_type(op.result_type().element_type()), part * s.kept + o * form.inner + k,
              v, {});
    });
  });
}

void emit_scan_finish(Emitter& e, const OpView& op, std::span<Value* const> outputs, const Segment& s, Value* scratch,
                      Value* begin, Value* end, bool narrow_memory) {
  ScanEmitter scan(e, op, s, narrow_memory);
  scan.outputs.assign(outputs.begin(), outputs.end());
  each_part(e, s, scan_form(op)->extent, begin, end, [&](Value* p, Value* low, Value* high) {
    scan.all_lines([&](const Expr& o, const Expr& k) { scan.scan(o, k, scan.before(scratch, p, o, k), low, high); });
  });
}

}  // namespace weft::codegen
