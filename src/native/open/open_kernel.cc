#include "native/open/open_kernel.h"

#include <algorithm>

#include "native/open/open_emitter.h"
#include "native/open/open_root.h"
#include "native/open/open_rows.h"

namespace weft::native {
namespace {

constexpr int64_t kChunk = 4096;

/// The loops of a kernel: extents, outermost first; the innermost is cut into chunks of so many elements (0: it is not).
struct OpenLoops {
  std::vector<int64_t> extents;
  int64_t chunk = 0;
};

/// Whether a reduction has several results: its rows then run side by side.
bool folds_rows(const Function& kernel) {
  return std::ranges::any_of(kernel.ops(kernel.body()), [&](OpId id) {
    return kernel.def(id).mnemonic == "stablehlo.reduce" && kernel.num_results(id) > 1;
  });
}

bool has_costly(const Function& kernel) {
  return std::ranges::any_of(kernel.ops(kernel.body()), [&](OpId id) { return OpenEmitter::is_costly({kernel, id}); });
}

bool sums_columns(const Function& kernel, const ExtentNames& names) {
  for (OpId id : kernel.ops(kernel.body())) {
    if (sums_dot_columns({kernel, id}, names) || sums_convolution_columns({kernel, id})) return true;
    if (kernel.def(id).mnemonic != "stablehlo.reduce") continue;
    const Type x = kernel.type(kernel.operand(id, 0));
    if (x.rank() > 0 && std::ranges::count(kernel.attrs(id).ints("dimensions"), x.rank() - 1) == 0) return true;
  }
  return false;
}

class Builder {
 public:
  Builder(llvm::Module& module, const Function& kernel, const ExtentNames& names, bool updates, bool has_masks,
          std::string name)
      : module_(module),
        kernel_(kernel),
        names_(names),
        updates_(updates),
        has_masks_(has_masks),
        name_(std::move(name)) {
    const OpId last = kernel.terminator(kernel.body());
    roots_.assign(kernel.operands(last).begin(), kernel.operands(last).end());
    shape_ = kernel.type(updates ? kernel.operand(kernel.defining_op(roots_[0]), 1) : roots_[0]);
  }

  /// As code for rows; false where it has none.
  bool run_rows(const codegen::KernelOptions& options, OpenKernelCode& code) {
    const auto rows = emit_open_rows(module_, kernel_, names_, updates_, options, name_);
    if (!rows) return false;
    code.main = rows->main;
    code.is_by_rows = true;
    code.units = units({{rows->count * rows->units_per_row}, rows->rows_per_unit});
    llvm::IRBuilder<> b = body(".work", &code.work);
    llvm::Value* n = emit_number(b, names_, code.work->getArg(0), rows->count);
    const auto scaled = static_cast<uint64_t>(rows->work_per_row * 16) + 1;
    b.CreateRet(b.CreateUDiv(b.CreateMul(n, b.getInt64(scaled)), b.getInt64(16)));
    code.part = part(code);
    return true;
  }

  OpenKernelCode run() {
    OpenLoops loops;
    root_ = OpenRoot::of({kernel_, kernel_.defining_op(roots_[0])}, names_);
    if (root_ != nullptr) {
      root_->independent = [this](llvm::Instruction* latch) { parallel(latch); };
      loops.extents = root_->extents();
      loops.chunk = OpenEmitter::kMaxColumns;
      return finish(loops);
    }
    for (int64_t d : shape_.shape()) {
      if (d != 1) loops.extents.push_back(d);
    }
    if (updates_) loops.extents.assign(shape_.shape().begin(), shape_.shape().end());
    merge(loops);
    if (loops.extents.size() == 1) loops.chunk = kChunk;
    if (sums_columns(kernel_, names_)) loops.chunk = OpenEmitter::kMaxColumns;
    if (folds_rows(kernel_)) loops.chunk = OpenEmitter::kRows;
    return finish(loops);
  }

 private:
  OpenKernelCode finish(const OpenLoops& loops) {
    OpenKernelCode code;
    int divisions = 0;
    code.main = main(loops, divisions);
    code.units = units(loops);
    code.work = work();
    code.part = part(code);
    return code;
  }

  llvm::LLVMContext& context() const { return module_.getContext(); }

  /// Neighbouring loops as one where that costs no division.
  void merge(OpenLoops& loops) {
    if (updates_ || loops.extents.size() < 2) return;
    int least = 0;
    main(loops, least)->eraseFromParent();
    for (size_t d = loops.extents.size() - 1; d-- > 0;) {
      OpenLoops merged = loops;
      merged.extents[d] *= merged.extents[d + 1];
      merged.extents.erase(merged.extents.begin() + static_cast<std::ptrdiff_t>(d) + 1);
      int divisions = 0;
      main(merged, divisions)->eraseFromParent();
      if (divisions <= least) loops = merged;
    }
  }

  llvm::Function* function(const char* suffix, llvm::Type* result, std::initializer_list<llvm::Type*> args) {
    auto* f = llvm::Function::Create(llvm::FunctionType::get(result, args, false), llvm::Function::InternalLinkage,
                                     name_ + suffix, module_);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    return f;
  }

  llvm::Function* main(const OpenLoops& loops, int& divisions) {
    llvm::Type* i64 = llvm::Type::getInt64Ty(context());
    llvm::Function* f =
        function("", llvm::Type::getVoidTy(context()), {llvm::PointerType::get(context(), 0), i64, i64});
    OpenEmitter e(module_, *f, kernel_, names_, f->getArg(0));
    const bool has_rows = root_ == nullptr && loops.extents.size() > 1 && loops.chunk == 0 && has_costly(kernel_);
    e.masks_tails = has_rows && has_masks_;
    const auto run = [&] {
      e.loop(e.depth(), f->getArg(1), f->getArg(2), {}, [&](OpenIndex number, std::span<llvm::Value* const>) {
        divisions = unit(e, loops, number);
        return std::vector<llvm::Value*>{};
      });
    };
    const bool folds = std::ranges::any_of(kernel_.ops(kernel_.body()),
                                           [&](OpId id) { return kernel_.def(id).mnemonic == "stablehlo.reduce"; });
    if (!has_rows || !folds) {
      run();
    } else {
      // Short rows, whose costly values are kept, and long ones.
      const OpenIndex extent = e.number(loops.extents.back());
      llvm::Value* is_short = e.at(0).CreateICmpSLE(extent.v, e.at(0).getInt64(OpenEmitter::kMaxKept));
      for (const bool keeps : {true, false}) {
        llvm::IRBuilder<> b = e.at(0);
        llvm::Value* turns = b.CreateZExt(keeps ? is_short : b.CreateNot(is_short), i64);
        e.loop(0, b.getInt64(0), turns, {}, [&](OpenIndex, std::span<llvm::Value* const>) {
          if (keeps) e.keep_rows({loops.extents.back(), e.depth()});
          run();
          e.keep_rows({});
          return std::vector<llvm::Value*>{};
        });
      }
    }
    for (llvm::BasicBlock& block : *f) {
      for (llvm::Instruction& i : block) {
        if (group_ != nullptr && i.mayReadOrWriteMemory() &&
            (llvm::isa<llvm::LoadInst>(i) || llvm::isa<llvm::StoreInst>(i)))
          i.setMetadata(llvm::LLVMContext::MD_access_group, group_);
      }
    }
    return f;
  }

  /// Returns how many divisions its innermost loop needs.
  int unit(OpenEmitter& e, const OpenLoops& loops, OpenIndex unit) {
    if (loops.extents.empty()) {
      roots(e, {}, {});
      return 0;
    }
    std::vector<int64_t> outer(loops.extents.begin(), loops.extents.end() - 1);
    int64_t count = 1;
    for (int64_t d : outer) count *= d;
    const OpenIndex extent = e.number(loops.extents.back());
    OpenIndex low = e.number(0), high = extent, row = unit;
    if (loops.chunk > 0) {
      const OpenIndex chunk = e.number(loops.chunk);
      OpenIndex number = unit;
      if (!outer.empty()) {
        const OpenIndex chunks = e.div(e.add(extent, e.number(loops.chunk - 1)), chunk);
        row = e.div(unit, chunks);
        number = e.rem(unit, chunks);
      }
      low = e.mul(number, chunk);
      high = e.clamp(e.add(low, chunk), e.number(0), extent);
    }
    std::vector<OpenIndex> at;
    if (!outer.empty()) at = e.digits({{count, row}}, outer);
    if (root_ != nullptr) {
      root_->emit(e, at, low, high);
      return 0;
    }
    const int before = e.divisions();
    e.loop(e.depth(), low.v, high.v, {}, [&](OpenIndex i, std::span<llvm::Value* const>) {
      OpenPlace place;
      for (size_t d = 0; d < outer.size(); ++d) place.push_back({outer[d], at[d]});
      place.push_back({loops.extents.back(), i});
      if (loops.chunk > 0 && loops.chunk <= OpenEmitter::kMaxColumns) e.columns = {i.v, low, high, i.depth};
      roots(e, place, at);
      e.columns = {};
      parallel(e.latch(), e.masks_tails);
      return std::vector<llvm::Value*>{};
    });
    return e.divisions() - before;
  }

  void roots(OpenEmitter& e, const OpenPlace& place, std::span<const OpenIndex>) {
    const size_t first = kernel_.args().size();
    if (updates_) {
      const OpView op{kernel_, kernel_.defining_op(roots_[0])};
      const Type x = op.operand_type(0), u = op.operand_type(1);
      std::vector<OpenIndex> to;
      OpenPlace from;
      for (int64_t d = 0; d < u.rank(); ++d) {
        const size_t k = static_cast<size_t>(d);
        if (u.dim(d) != 1) from.push_back(place[k]);
        OpenIndex at = place[k].at;
        if (x.dim(d) != u.dim(d))
          at = e.add(at, e.clamp(e.index_value(op.operand(k + 2), {}), e.number(0),
                                 e.sub(e.number(x.dim(d)), e.number(u.dim(d)))));
        to.push_back(at);
      }
      e.store(first, x.element_type(), e.place(x.shape(), to), e.eval(op.operand(1), from));
      return;
    }
    // All reads come before all writes, as an output may be an input at the same place.
    std::vector<OpenValue> values;
    for (Value r : roots_) values.push_back(e.eval(r, place));
    for (size_t k = 0; k < roots_.size(); ++k)
      e.store(first + k, kernel_.type(roots_[k]).element_type(), place, values[k]);
  }

  /// No iteration of the loop reads what another writes.
  void parallel(llvm::Instruction* latch, bool masks_tails = false) {
    if (group_ == nullptr) group_ = llvm::MDNode::getDistinct(context(), {});
    llvm::Metadata* accesses[] = {llvm::MDString::get(context(), "llvm.loop.parallel_accesses"), group_};
    llvm::Metadata* hint[] = {llvm::MDString::get(context(), "llvm.loop.vectorize.predicate.enable"),
                              llvm::ConstantAsMetadata::get(llvm::ConstantInt::getBool(context(), masks_tails))};
    llvm::Metadata* parts[] = {nullptr, llvm::MDNode::get(context(), accesses), llvm::MDNode::get(context(), hint)};
    llvm::MDNode* id = llvm::MDNode::getDistinct(context(), llvm::ArrayRef(parts, masks_tails ? 3 : 2));
    id->replaceOperandWith(0, id);
    latch->setMetadata(llvm::LLVMContext::MD_loop, id);
  }

  /// i64(symbols)
  llvm::IRBuilder<> body(const char* suffix, llvm::Function** f) {
    *f = function(suffix, llvm::Type::getInt64Ty(context()), {llvm::PointerType::get(context(), 0)});
    return llvm::IRBuilder<>(llvm::BasicBlock::Create(context(), "start", *f));
  }

  llvm::Function* units(const OpenLoops& loops) {
    llvm::Function* f = nullptr;
    llvm::IRBuilder<> b = body(".units", &f);
    if (loops.extents.empty()) {
      b.CreateRet(b.getInt64(1));
      return f;
    }
    llvm::Value* n = emit_number(b, names_, f->getArg(0), loops.extents.back());
    if (loops.chunk > 0) {
      const auto chunk = static_cast<uint64_t>(loops.chunk);
      n = b.CreateUDiv(b.CreateAdd(n, b.getInt64(chunk - 1)), b.getInt64(chunk));
    } else {
      // Without elements there are no units either.
      n = b.CreateZExt(b.CreateICmpNE(n, b.getInt64(0)), b.getInt64Ty());
    }
    for (size_t d = 0; d + 1 < loops.extents.size(); ++d)
      n = b.CreateMul(n, emit_number(b, names_, f->getArg(0), loops.extents[d]));
    b.CreateRet(n);
    return f;
  }

  llvm::Function* work() {
    llvm::Function* f = nullptr;
    llvm::IRBuilder<> b = body(".work", &f);
    llvm::Value* n = b.getInt64(0);
    const auto count = [&](int64_t elements) { n = b.CreateAdd(n, emit_number(b, names_, f->getArg(0), elements)); };
    for (Value v : kernel_.args()) count(kernel_.type(v).num_elements());
    for (Value v : roots_) count(kernel_.type(v).num_elements());
    uint64_t ops = 1;
    for (OpId id : kernel_.ops(kernel_.body())) {
      ops += 1;
      const std::string_view m = kernel_.def(id).mnemonic;
      if (m != "stablehlo.dot_general" && m != "stablehlo.convolution") continue;
      int64_t products = kernel_.type(kernel_.result(id)).num_elements();
      if (m == "stablehlo.convolution") {
        // Numbers of their own: all names in one might be more than a number holds.
        const Type window = kernel_.type(kernel_.operand(id, 1));
        llvm::Value* all = emit_number(b, names_, f->getArg(0), products);
        for (int64_t d = 0; d < window.rank(); ++d) {
          if (d != kernel_.attrs(id).integer("kernel_output_feature_dimension"))
            all = b.CreateMul(all, emit_number(b, names_, f->getArg(0), window.dim(d)));
        }
        n = b.CreateAdd(n, all);
        continue;
      }
      for (int64_t d : kernel_.attrs(id).ints("lhs_contracting_dimensions"))
        products *= kernel_.type(kernel_.operand(id, 0)).dim(d);
      count(products);
    }
    b.CreateRet(b.CreateUDiv(b.CreateMul(n, b.getInt64(ops)), b.getInt64(8)));
    return f;
  }

  llvm::Function* part(const OpenKernelCode& code) {
    llvm::Type* i64 = llvm::Type::getInt64Ty(context());
    llvm::PointerType* ptr = llvm::PointerType::get(context(), 0);
    llvm::Function* f = function(".part", llvm::Type::getVoidTy(context()), {ptr, i64, i64});
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context(), "start", f));
    llvm::Value* table =
        b.CreateLoad(ptr, b.CreateConstGEP1_64(ptr, f->getArg(0), kernel_.args().size() + roots_.size()));
    llvm::Value* count = b.CreateCall(code.units, {table});
    llvm::Value* begin = b.CreateUDiv(b.CreateMul(count, f->getArg(1)), f->getArg(2));
    llvm::Value* end = b.CreateUDiv(b.CreateMul(count, b.CreateAdd(f->getArg(1), b.getInt64(1))), f->getArg(2));
    b.CreateCall(code.main, {f->getArg(0), begin, end});
    b.CreateRetVoid();
    return f;
  }

  llvm::Module& module_;
  const Function& kernel_;
  const ExtentNames& names_;
  const bool updates_, has_masks_;
  const std::string name_;
  std::vector<Value> roots_;
  Type shape_;
  llvm::MDNode* group_ = nullptr;
  std::unique_ptr<OpenRoot> root_;
};

}  // namespace

OpenKernelCode emit_open_kernel(llvm::Module& module, const Function& kernel, const ExtentNames& names, bool updates,
                                const codegen::KernelOptions& options, bool as_rows, const std::string& name) {
  Builder builder(module, kernel, names, updates, options.isa.has_masks, name);
  OpenKernelCode code;
  if (!as_rows || !builder.run_rows(options, code)) code = builder.run();
  const codegen::Isa& isa = options.isa;
  code.main->addFnAttr("target-cpu", isa.cpu);
  if (!isa.features.empty()) code.main->addFnAttr("target-features", isa.features);
  code.main->addFnAttr("prefer-vector-width", std::to_string(8 * isa.vector_bytes));
  return code;
}

}  // namespace weft::native
