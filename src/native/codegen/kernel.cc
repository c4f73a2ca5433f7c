#include "native/codegen/kernel.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "native/codegen/contraction.h"
#include "native/codegen/emitter.h"
#include "native/codegen/fold.h"
#include "native/codegen/lane_while.h"
#include "native/codegen/layout.h"
#include "native/codegen/loops.h"
#include "native/codegen/pool_gradient.h"
#include "native/codegen/reduce.h"
#include "native/codegen/row_kernel.h"
#include "native/codegen/scan.h"
#include "native/codegen/scatter.h"
#include "native/codegen/window.h"

namespace weft::codegen {
namespace {

bool refuse(std::string* reason, std::string text) {
  if (reason != nullptr) *reason = std::move(text);
  return false;
}

bool has_generated_types(const OpView& op, std::string* reason) {
  auto ok = [&](Type t) {
    if (!t.is_tensor()) return refuse(reason, "not a tensor");
    if (!t.is_static()) return refuse(reason, "extents are not static");
    if (is_index(t.element_type())) return refuse(reason, "element type " + std::string(name(t.element_type())));
    return true;
  };
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (!ok(op.operand_type(i))) return false;
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!ok(op.result_type(i))) return false;
  }
  return true;
}

constexpr int64_t kMaxInlineLiteralBytes = 4096;

Pieces pieces_of(const Segment& s) { return {s.parts * s.kept_lanes, s.step, s.kept_lanes}; }

class KernelEmitter {
 public:
  KernelEmitter(Emitter& e) : e_(e), terminator_{e.kernel(), e.kernel().terminator(e.kernel().body())} {}

  void segment(const Segment& s, llvm::Value* begin, llvm::Value* end) {
    if (s.kind == SegmentKind::kLaneWhile) {
      const OpView op{e_.kernel(), e_.kernel().defining_op(terminator_.operand(s.roots[0]))};
      std::vector<llvm::Value*> outputs(op.num_results(), nullptr);
      for (size_t r : s.roots) outputs[e_.kernel().position(terminator_.operand(r))] = output(r);
      emit_lane_while(e_, op, outputs, s, begin, end);
      return;
    }
    if (s.kind == SegmentKind::kScan) {
      emit_scan(e_, root_op(s), std::array{output(s.roots[0])}, s, begin, end, narrow_memory());
      return;
    }
    if (s.kind == SegmentKind::kWindowScatter) {
      emit_window_scatter(e_, root_op(s), output(s.roots[0]), s, begin, end, narrow_memory());
      return;
    }
    if (s.kind == SegmentKind::kScatter) {
      std::vector<llvm::Value*> outputs(root_op(s).num_results(), nullptr);
      for (size_t r : s.roots) outputs[e_.kernel().position(terminator_.operand(r))] = output(r);
      emit_scatter(e_, root_op(s), outputs, s, begin, end, narrow_memory());
      return;
    }
    if (s.kind == SegmentKind::kStream) return stream(s, begin, end);
    const size_t n = s.extents.size();
    if (n == 0) {
      e_.loop(begin, end, 1, {}, [&](Level*, llvm::Value*, std::span<llvm::Value* const>) {
        roots(s, {});
        return std::vector<llvm::Value*>{};
      });
      return;
    }
    if (s.unit_loops == 0) {
      llvm::IRBuilder<> b = e_.at(e_.current());
      llvm::Value* chunk = b.getInt64(static_cast<uint64_t>(s.chunk));
      llvm::Value* low = b.CreateMul(begin, chunk);
      llvm::Value* high = b.CreateMul(end, chunk);
      high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high, b.getInt64(static_cast<uint64_t>(iterations(s, 0))));
      const auto all = [&] { inner(s, {}, low, high, /*whole=*/false, [&](const Index& index) { tiled(s, index); }); };
      if (!leaves_the_caches(s)) return all();
      llvm::Value* address = b.CreatePtrToInt(output(s.roots[0]), b.getInt64Ty());
      llvm::Value* is_aligned = b.CreateICmpEQ(b.CreateAnd(address, b.getInt64(63)), b.getInt64(0));
      llvm::Value* is_not = b.CreateNot(is_aligned);
      e_.branch(is_aligned, [&](Level* level) {
        e_.streaming = true;
        all();
        e_.streaming = false;
        e_.at(level).CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
      });
      e_.branch(is_not, [&](Level*) { all(); });
      return;
    }
    e_.loop(begin, end, 1, {}, [&](Level* level, llvm::Value* u, std::span<llvm::Value* const>) {
      const Index unit = {{s.units, Expr::atom(e_.variable(u, level, {0, s.units - 1}))}};
      std::vector<int64_t> extents;
      for (size_t i = 0; i < s.unit_loops; ++i) extents.push_back(unit_iterations(s, i));
      extents.push_back(s.chunks);
      const std::vector<Expr> digits = e_.digits(unit, extents);
      Index index;
      for (size_t i = 0; i < s.unit_loops; ++i) index.push_back(digit(s, i, digits[i]));
      const auto body = [&](const Index& at) { tiled(s, at); };
      if (s.transposes) {
        tile_loop(s, index, [&](const Index& at) { each(s, at, digits.back(), body); });
      } else {
        each(s, index, digits.back(), body);
      }
      return std::vector<llvm::Value*>{};
    });
  }

  // Chunks of a matrix-vector product: its sums in an array on the stack, then the roots from them.
  void stream(const Segment& s, llvm::Value* begin, llvm::Value* end) {
    const OpView op{e_.kernel(), s.product};
    const ElementType t = stream_type(op);
    llvm::BasicBlock& entry = e_.top()->at->getFunction()->getEntryBlock();
    llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
    llvm::AllocaInst* sums = at_entry.CreateAlloca(
        llvm::ArrayType::get(memory_type(e_.context(), t), static_cast<uint64_t>(s.chunk)), nullptr, "sums");
    sums->setAlignment(llvm::Align(64));
    const int64_t extent = s.extents[0];
    e_.loop(begin, end, 1, {}, [&](Level* level, llvm::Value* u, std::span<llvm::Value* const>) {
      const Expr first = Expr::atom(e_.variable(u, level, {0, s.units - 1})) * s.chunk;
      llvm::Value* low = e_.scalar_of(first);
      llvm::IRBuilder<> b = e_.at(level);
      llvm::Value* high =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s.chunk))),
                                  b.getInt64(static_cast<uint64_t>(extent)));
      const auto element = [&](const Expr& at) { return Index{{extent, at}}; };
      emit_stream(e_, op, {sums, low, high, first, extent, s.lanes, narrow_memory()}, element);
      e_.ready = [&](const OpView& v, const Index& index) -> std::optional<std::vector<Val>> {
        if (v.id != op.id) return std::nullopt;
        const Val sum = e_.load(sums, t, linear(index) + first * -1, extent, {}, e_.current());
        return std::vector<Val>{e_.convert(sum, t, op.result_type().element_type())};
      };
      e_.lane_loop(low, high, extent, s.lanes, false, narrow_memory(), [&](const Expr& at) { roots(s, element(at)); });
      e_.ready = nullptr;
      return std::vector<llvm::Value*>{};
    });
  }

  // Parts [begin, end) of the split reductions of a segment, into scratch memory at `offset`.
  void partial(const Segment& s, size_t offset, llvm::Value* begin, llvm::Value* end) {
    if (s.kind == SegmentKind::kScan)
      return emit_scan_parts(e_, root_op(s), s, scratch(offset), begin, end, narrow_memory());
    if (s.kind == SegmentKind::kScatter)
      return emit_scatter_parts(e_, root_op(s), s, scratch(offset), begin, end, narrow_memory());
    if (s.in_pieces) return emit_pieces(e_, {e_.kernel(), s.split[0]}, pieces_of(s), scratch(offset), begin, end);
    e_.loop(begin, end, 1, {}, [&](Level* level, llvm::Value* p, std::span<llvm::Value* const>) {
      llvm::IRBuilder<> b = e_.at(level);
      llvm::Value* low = b.CreateMul(p, b.getInt64(static_cast<uint64_t>(s.step)));
      const int64_t extent = reduction_loops({e_.kernel(), s.split[0]}, s.merged)[0];
      llvm::Value* high =
          b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s.step))),
                                  b.getInt64(static_cast<uint64_t>(extent)));
      const Expr part = Expr::atom(e_.variable(p, level, {0, s.parts - 1}));
      Segment kept;
      kept.extents = kept.count = s.kept_extents;
      kept.low.assign(kept.extents.size(), 0);
      kept.chunk = kept.extents.empty() ? 1 : kept.extents.back();
      kept.lanes = s.kept_lanes;
      each(kept, {}, Expr(0), [&](const Index& index) {
        size_t at = offset;
        for (OpId id : s.split) {
          const OpView op{e_.kernel(), id};
          const ElementType t = compute_type(op.result_type().element_type());
          const Val v = partial_value(op, index, s.merged, low, high);
          e_.store(e_.current(), scratch(at), t, part * s.kept + linear(index), v, {});
          at += partial_bytes(s, op);
        }
      });
      return std::vector<llvm::Value*>{};
    });
  }

  // The segment itself, from the partial results.
  void finish(const Segment& s, size_t offset, llvm::Value* begin, llvm::Value* end) {
    if (s.kind == SegmentKind::kScan) {
      emit_scan_finish(e_, root_op(s), std::array{output(s.roots[0])}, s, scratch(offset), begin, end, narrow_memory());
      return;
    }
    if (s.kind == SegmentKind::kScatter) {
      emit_scatter_finish(e_, root_op(s), output(s.roots[0]), s, scratch(offset), begin, end, narrow_memory());
      return;
    }
    e_.ready = [&](const OpView& op, const Index& index) -> std::optional<std::vector<Val>> {
      if (s.in_pieces) return emit_joined_pieces(e_, op, pieces_of(s), scratch(offset));
      size_t at = offset;
      for (OpId id : s.split) {
        if (id == op.id) {
          RegionFold f(e_, op, 0);
          const ElementType t = compute_type(op.result_type().element_type());
          Fold fold;
          fold.loops = {{s.parts}};
          fold.width = e_.lanes.count;
          fold.start = {f.neutral()};
          fold.step = [&](std::span<const Expr> variables, std::span<const Val> accumulators) {
            const std::vector<Val> x = {
                e_.load(scratch(at), t, variables[0] * s.kept + linear(index), s.parts * s.kept, {})};
            return f.combine(accumulators, x);
          };
          const std::vector<Val> sum = emit_fold(e_, fold);
          return f.finish(f.combine(f.inits(), sum));
        }
        at += partial_bytes(s, {e_.kernel(), id});
      }
      return std::nullopt;
    };
    segment(s, begin, end);
    e_.ready = nullptr;
  }

  static size_t partial_bytes(const Segment& s, const OpView& op) {
    const size_t bytes =
        static_cast<size_t>(s.parts * s.kept) * byte_size(compute_type(op.result_type().element_type()));
    return (bytes + 63) / 64 * 64;
  }

 private:
  // One result so large that it would push everything else out of the caches, and be read back from memory anyway.
  bool leaves_the_caches(const Segment& s) const {
    constexpr int64_t kLarge = int64_t{32} << 20, kLine = 64;
    if (s.kind != SegmentKind::kMap || s.roots.size() != 1 || s.tile != 1 || !e_.options().isa.has_masks) return false;
    if (e_.options().rows > 0) return false;
    const Type t = terminator_.operand_type(s.roots[0]);
    const auto bytes = static_cast<int64_t>(byte_size(t.element_type()));
    return bytes >= 4 && !is_complex(t.element_type()) && t.num_elements() * bytes >= kLarge && s.low[0] == 0 &&
           s.lanes * bytes % kLine == 0 && s.chunk * bytes % kLine == 0;
  }
  OpView root_op(const Segment& s) const {
    return {e_.kernel(), e_.kernel().defining_op(terminator_.operand(s.roots[0]))};
  }
  llvm::Value* scratch(size_t offset) {
    llvm::IRBuilder<> b = e_.at(e_.top());
    return b.CreateConstGEP1_64(b.getInt8Ty(), e_.buffer(e_.kernel().args().size() + terminator_.num_operands()),
                                offset);
  }

  // As Emitter::eval_results: in the current level, lanes only if the place has some.
  Val partial_value(const OpView& op, const Index& index, bool merged, llvm::Value* low, llvm::Value* high) {
    const Lanes open = e_.lanes;
    if (std::ranges::none_of(index, [&](const Factor& f) { return e_.varies_by_lane(f.expr); })) e_.lanes = {};
    const Val v = emit_partial_reduce(e_, op, index, merged, low, high);
    e_.lanes = open;
    return v;
  }

  // Loops between the units and the innermost.
  using Body = std::function<void(const Index&)>;
  void each(const Segment& s, const Index& index, const Expr& chunk, const Body& body) {
    if (s.extents.empty()) return body({});
    if (index.size() + 1 < s.extents.size()) {
      const int64_t extent = iterations(s, index.size());
      llvm::IRBuilder<> b = e_.at(e_.current());
      e_.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(extent)), 1, {},
              [&](Level* level, llvm::Value* i, std::span<llvm::Value* const>) {
                Index deeper = index;
                deeper.push_back(digit(s, index.size(), Expr::atom(e_.variable(i, level, {0, extent - 1}))));
                each(s, deeper, chunk, body);
                return std::vector<llvm::Value*>{};
              });
      return;
    }
    llvm::IRBuilder<> b = e_.at(e_.current());
    llvm::Value* low = e_.scalar_of(chunk * s.chunk);
    llvm::Value* high = b.getInt64(static_cast<uint64_t>(iterations(s, s.extents.size() - 1)));
    if (s.chunks > 1) {
      b.SetInsertPoint(e_.current()->at);
      high = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                     b.CreateAdd(low, b.getInt64(static_cast<uint64_t>(s.chunk))), high);
    }
    inner(s, index, low, high, s.chunks == 1, body);
  }

  // Elements [low, high) of the innermost loop; `whole`: all of it.
  void inner(const Segment& s, const Index& outer, llvm::Value* low, llvm::Value* high, bool whole, const Body& body) {
    const size_t last = s.extents.size() - 1;
    e_.lane_loop(low, high, iterations(s, last), s.lanes, whole, narrow_memory(), [&](const Expr& at) {
      Index index = outer;
      index.push_back(digit(s, last, at));
      body(index);
    });
  }

  bool narrow_memory() const {
    const Function& k = e_.kernel();
    for (uint32_t i = 0; i < k.num_values(); ++i) {
      const Type t = k.type(Value{i});
      if (t.rank() > 0 && byte_size(t.element_type()) < 4) return true;
    }
    return false;
  }

  // The digit of loop `i` for its iteration; the first of a tile.
  static Factor digit(const Segment& s, size_t i, const Expr& iteration) {
    return {s.extents[i], iteration * (static_cast<int>(i) == s.tile_loop ? s.tile : 1) + s.low[i]};
  }

  // The tile loop around the lanes of a chunk: each lane reads on along it, and a chunk writes whole cache lines of a row.
  void tile_loop(const Segment& s, const Index& index, const Body& body) {
    const size_t d = static_cast<size_t>(s.tile_loop);
    const int64_t count = iterations(s, d);
    llvm::IRBuilder<> b = e_.at(e_.current());
    e_.loop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(count)), 1, {},
            [&](Level* level, llvm::Value* i, std::span<llvm::Value* const>) {
              Index at = index;
              at[d] = digit(s, d, Expr::atom(e_.variable(i, level, {0, count - 1})));
              body(at);
              return std::vector<llvm::Value*>{};
            });
  }

  void tiled(const Segment& s, const Index& index) {
    if (s.tile == 1) return roots(s, index);
    const size_t d = static_cast<size_t>(s.tile_loop);
    std::vector<Index> places(static_cast<size_t>(s.tile), index);
    for (int t = 0; t < s.tile; ++t) places[static_cast<size_t>(t)][d].expr = index[d].expr + t;
    sum_together(s, places);
    // All reads come before all writes, as an output may be an input at the same place.
    std::vector<Val> values;
    for (int t = 0; t < s.tile; ++t) {
      e_.tile = {index[d].expr.terms.empty() ? -1 : index[d].expr.terms[0].first, s.tile, t};
      for (size_t r : s.roots) values.push_back(e_.eval(terminator_.operand(r), places[static_cast<size_t>(t)], {}));
    }
    e_.tile = {};
    size_t k = 0;
    for (const Index& at : places) {
      for (size_t r : s.roots) {
        e_.store(e_.current(), output(r), terminator_.operand_type(r).element_type(), linear(at), values[k++], {});
      }
    }
  }

  // A contraction that the roots need at all these places, in one loop.
  void sum_together(const Segment& s, std::span<const Index> places) {
    OpId op;
    std::vector<Index> indices;
    bool possible = true;
    for (const Index& place : places) {
      DryRun run(e_.kernel());
      run.adopt_atoms(e_);
      size_t found = 0;
      run.on_loop = [&](const OpView& v, const Index& index) {
        possible = possible && (!op || op == v.id) && is_contraction(v) && ++found == 1;
        op = v.id;
        for (const Factor& f : index) {
          for (const auto& [a, c] : f.expr.terms) possible = possible && e_.knows(a);
        }
        indices.push_back(index);
      };
      for (size_t r : s.roots) run.walk(terminator_.operand(r), place);
      possible = possible && found == 1;
    }
    if (possible) e_.eval_together(op, indices);
  }

  llvm::Value* output(size_t root) { return e_.buffer(e_.kernel().args().size() + root); }

  void roots(const Segment& s, const Index& index) {
    if (s.kind == SegmentKind::kUpdate) {
      const size_t r = s.roots[0];
      const OpView op{e_.kernel(), e_.kernel().defining_op(terminator_.operand(r))};
      const Index place = update_place(op, index, e_, e_);
      e_.store(e_.current(), output(r), op.result_type().element_type(), linear(place),
               e_.eval(op.operand(1), index, {}), {});
      return;
    }
    if (s.kind == SegmentKind::kPoolGradient) {
      const size_t r = s.roots[0];
      const OpView op{e_.kernel(), e_.kernel().defining_op(terminator_.operand(r))};
      for (const auto& [place, v] : emit_pool_gradient(e_, op, index)) {
        e_.store(e_.current(), output(r), op.result_type().element_type(), linear(place), v, {});
      }
      return;
    }
    std::vector<Val> values;
    for (size_t r : s.roots) values.push_back(e_.eval(terminator_.operand(r), index, {}));
    for (size_t i = 0; i < s.roots.size(); ++i) {
      const size_t r = s.roots[i];
      e_.store(e_.current(), output(r), terminator_.operand_type(r).element_type(), linear(index), values[i], {});
    }
  }

  Emitter& e_;
  OpView terminator_;
};

}  // namespace

bool can_inline(const OpView& op, std::string* reason) {
  if (op.num_results() == 0) return refuse(reason, "no result");
  if (!has_generated_types(op, reason)) return false;
  if (structural_kind(op.def()) != Structural::kNone) return true;
  if (op.def().mnemonic == "stablehlo.iota") return true;
  if (op.def().mnemonic == "stablehlo.constant") {
    const Literal& l = op.attrs().literal("value");
    if (l.splat || l.type.num_elements() == 1 || static_cast<int64_t>(l.type.num_bytes()) <= kMaxInlineLiteralBytes)
      return true;
    return refuse(reason, "a large constant is a buffer of its own");
  }
  if (scan_form(op)) return refuse(reason, "a scan is a kernel of its own");
  if (scatters_windows(op)) return refuse(reason, "windows are added to their operand's places");
  if (is_loop(op)) return can_inline_loop(op, reason);
  if (op.def().mnemonic == "stablehlo.bitcast_convert") {
    if (!has_scalar_code(op, reason)) return false;
    if (bit_width(op.operand_type(0).element_type()) == bit_width(op.result_type().element_type())) return true;
    return refuse(reason, "the element size changes");
  }
  if (op.def().mnemonic == "stablehlo.convert") return true;
  if (op.num_results() != 1 || !op.regions().empty()) return refuse(reason, "not elementwise");
  if (record(op).scalar.refused()) return refuse(reason, std::string(record(op).scalar.reason()));
  return has_scalar_code(op, reason);
}

bool has_scalar_code(const OpView& op, std::string* reason) {
  bool has_complex = is_complex(op.result_type().element_type());
  std::vector<ElementType> types;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    types.push_back(compute_type(op.operand_type(i).element_type()));
    has_complex = has_complex || is_complex(types.back());
  }
  if (!has_complex || op.def().mnemonic == "stablehlo.constant") return true;
  try {
    ScalarProgram program;
    record(op).scalar.require(op, "native")(op, scalar_args(program, types));
    return true;
  } catch (const Unsupported& e) { return refuse(reason, e.what()); }
}

bool can_root(const OpView& op, std::string* reason) {
  if (op.def().mnemonic == "weft.lane_while") return has_generated_types(op, reason) && can_root_lane_while(op, reason);
  if (op.def().mnemonic == "stablehlo.scatter" || scan_form(op) || scatters_windows(op)) {
    return has_generated_types(op, reason) && std::ranges::all_of(op.regions(), [&](RegionId region) {
             return is_scalar_region(op.function, region, reason);
           });
  }
  return can_inline(op, reason);
}

namespace {

// Units of the main function: parts of a split segment, units of the others.
int64_t main_units(const Segment& s) { return s.parts > 0 ? s.parts : s.units; }

size_t scratch_of(const Function& kernel, const Segment& s) {
  size_t bytes = 0;
  if (s.kind == SegmentKind::kScatter && s.parts > 0) {
    const Value root = kernel.operand(kernel.terminator(kernel.body()), s.roots[0]);
    return static_cast<size_t>(s.parts) * scatter_part_bytes({kernel, kernel.defining_op(root)}, s);
  }
  if (s.in_pieces) {
    const OpView op{kernel, s.split[0]};
    return piece_bytes(op, pieces_of(s), op.num_results());
  }
  for (OpId id : s.split) bytes += KernelEmitter::partial_bytes(s, {kernel, id});
  return bytes;
}

llvm::Function* emit_function(llvm::Module& module, const std::string& name, const Function& kernel,
                              const Layout& layout, const KernelOptions& options, bool is_finish) {
  llvm::LLVMContext& c = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(c);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(c), {llvm::PointerType::get(c, 0), i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  Emitter emitter(module, *function, kernel, options);
  KernelEmitter out(emitter);
  llvm::Value* begin = function->getArg(1);
  llvm::Value* end = function->getArg(2);
  size_t count = 0;
  for (const Segment& s : layout.segments) count += !is_finish || s.parts > 0 ? 1 : 0;
  int64_t first = 0;
  size_t offset = 0;
  for (const Segment& s : layout.segments) {
    if (is_finish && s.parts == 0) continue;
    const int64_t units = is_finish ? s.units : main_units(s);
    llvm::Value *b0 = begin, *b1 = end;
    if (count > 1) {
      llvm::IRBuilder<> b = emitter.at(emitter.top());
      auto within = [&](llvm::Value* v) {
        v = b.CreateSub(v, b.getInt64(static_cast<uint64_t>(first)));
        v = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, v, b.getInt64(0));
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v, b.getInt64(static_cast<uint64_t>(units)));
      };
      b0 = within(begin);
      b1 = within(end);
    }
    if (is_finish) {
      out.finish(s, offset, b0, b1);
    } else if (s.parts > 0) {
      out.partial(s, offset, b0, b1);
    } else {
      out.segment(s, b0, b1);
    }
    first += units;
    offset += scratch_of(kernel, s);
  }
  return function;
}

}  // namespace

KernelPlan plan_kernel(const Function& kernel, const KernelOptions& options) {
  const Layout layout = choose_layout(kernel, options);
  KernelPlan plan;
  double work = 0, finish_work = 0;
  for (const Segment& s : layout.segments) {
    plan.units += main_units(s);
    if (s.parts > 0) plan.finish_units += s.units, finish_work += s.finish_work;
    plan.scratch_bytes += scratch_of(kernel, s);
    work += s.work_per_unit * static_cast<double>(s.units);
  }
  if (plan.units > 0) plan.work_per_unit = work / static_cast<double>(plan.units);
  if (plan.finish_units > 0) plan.finish_work_per_unit = finish_work / static_cast<double>(plan.finish_units);
  return plan;
}

EmittedKernel emit_kernel(llvm::Module& module, const Function& kernel, const KernelPlan& plan,
                          const KernelOptions& options, const std::string& name) {
  const Layout layout = choose_layout(kernel, options);
  EmittedKernel emitted;
  emitted.main = emit_function(module, name, kernel, layout, options, false);
  if (plan.scratch_bytes > 0) emitted.finish = emit_function(module, name + "_finish", kernel, layout, options, true);
  return emitted;
}

std::optional<RowUnits> emit_row_kernel(llvm::Module& module, const Function& kernel, const KernelOptions& options,
                                        bool only_together, const std::string& name, llvm::Function** code) {
  const Layout layout = choose_layout(kernel, options);
  RowUnits out;
  int64_t first = 0;
  for (const Segment& s : layout.segments) {
    const bool is_nest =
        s.kind == SegmentKind::kMap || s.kind == SegmentKind::kUpdate || s.kind == SegmentKind::kPoolGradient;
    if (!is_nest || s.parts > 0 || s.units == 0 || s.units % options.rows != 0) return std::nullopt;
    const int64_t units = s.units / options.rows;
    out.parts.push_back({first, units});
    out.work_per_row += s.work_per_unit * static_cast<double>(units);
    first += s.units;
  }
  const bool shares = std::ranges::any_of(layout.segments, [](const Segment& s) { return s.tile_loop == 0; });
  if (out.parts.empty() || (only_together && !shares)) return std::nullopt;
  *code = emit_function(module, name, kernel, layout, options, false);
  return out;
}

}  // namespace weft::codegen
