#include "native/open/open_rows.h"

#include <algorithm>
#include <cmath>

#include "native/codegen/row_kernel.h"
#include "native/open/open_emitter.h"
#include "native/open/row_form.h"

namespace weft::native {
namespace {

/// Bytes from the beginning of a buffer to its part that a slice reads or an update writes.
OpenIndex view_offset(OpenEmitter& e, const OpView& op) {
  const Type x = op.operand_type(0);
  const bool is_update = op.def().mnemonic == "stablehlo.dynamic_update_slice";
  const bool is_static = op.def().mnemonic == "stablehlo.slice";
  const Type part = is_update ? op.operand_type(1) : op.result_type();
  OpenIndex place = e.number(0);
  for (size_t d = 0; d < x.shape().size(); ++d) {
    const int64_t extent = x.shape()[d], size = part.shape()[d];
    OpenIndex start = e.number(0);
    if (is_static) {
      start = e.number(op.attrs().ints("start_indices")[d]);
    } else if (extent != size) {
      start = e.clamp(e.index_value(op.operand(d + (is_update ? 2 : 1)), {}), e.number(0),
                      e.sub(e.number(extent), e.number(size)));
    }
    place = e.add(e.mul(place, e.number(extent)), start);
  }
  return e.mul(place, e.number(static_cast<int64_t>(x.with_shape(std::span<const int64_t>()).num_bytes())));
}

/// A number that is one, whatever names divide it.
OpenIndex plain(OpenEmitter& e, int64_t n) { return {e.at(0).getInt64(static_cast<uint64_t>(n)), 0}; }

/// Rows that share what they read, kRowTile at a time.
struct Together {
  llvm::Function* code = nullptr;  // null: none do
  codegen::RowUnits units;
};
Together emit_together(llvm::Module& module, const Function& kernel, const ExtentNames& names, bool updates,
                       const codegen::KernelOptions& options, const std::string& name) {
  Together out;
  const bool has_products = std::ranges::any_of(
      kernel.ops(kernel.body()), [&](OpId op) { return kernel.def(op).mnemonic == "stablehlo.dot_general"; });
  if (!has_products) return out;
  const std::optional<RowForm> form = row_form(kernel, names, updates, codegen::kRowTile);
  if (!form) return out;
  const auto units = codegen::emit_row_kernel(module, *form->function, options, true, name + ".together", &out.code);
  if (!units) return out;
  out.code->setLinkage(llvm::GlobalValue::InternalLinkage);
  out.units = *units;
  return out;
}

}  // namespace

std::optional<OpenRows> emit_open_rows(llvm::Module& module, const Function& kernel, const ExtentNames& names,
                                       bool updates, const codegen::KernelOptions& options, const std::string& name) {
  constexpr double kUnitNs = 2000;
  const std::optional<RowForm> form = row_form(kernel, names, updates);
  if (!form) return std::nullopt;
  codegen::KernelOptions row_options = options;
  row_options.rows = form->rows;
  llvm::Function* code = nullptr;
  const auto units = codegen::emit_row_kernel(module, *form->function, row_options, false, name + ".rows", &code);
  if (!units) return std::nullopt;
  code->setLinkage(llvm::GlobalValue::InternalLinkage);
  const Together together = emit_together(module, kernel, names, updates, row_options, name);
  OpenRows out;
  out.count = form->count;
  out.work_per_row = units->work_per_row;
  out.rows_per_unit = static_cast<int64_t>(
      std::clamp(std::ceil(kUnitNs / std::max(out.work_per_row, 0.01)), 1.0, static_cast<double>(form->rows)));

  const int64_t most_rows = form->rows / codegen::kRowTile * codegen::kRowTile;
  if (together.code != nullptr)
    out.rows_per_unit =
        std::min((out.rows_per_unit + codegen::kRowTile - 1) / codegen::kRowTile * codegen::kRowTile, most_rows);
  if (out.rows_per_unit == 1) {
    int64_t most = static_cast<int64_t>(out.work_per_row / (2 * kUnitNs));
    for (const codegen::RowUnits::Part& part : units->parts) most = std::min(most, part.per_row);
    while (2 * out.units_per_row <= most) out.units_per_row *= 2;
  }

  llvm::LLVMContext& context = module.getContext();
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  llvm::PointerType* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64}, false);
  out.main = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  out.main->addFnAttr(llvm::Attribute::NoUnwind);
  OpenEmitter e(module, *out.main, kernel, names, out.main->getArg(0));
  const OpenIndex begin{out.main->getArg(1), 0}, end{out.main->getArg(2), 0}, zero = e.number(0);
  std::vector<OpenIndex> starts;
  for (const RowForm::Buffer& buffer : form->buffers)
    starts.push_back(buffer.view ? view_offset(e, {kernel, buffer.view}) : zero);
  llvm::AllocaInst* table = e.stack(pointer, static_cast<int64_t>(form->buffers.size()) + 1);
  // The addresses for `rows` rows from `row` on, inside one loop.
  const auto run = [&](llvm::Function* f, const codegen::RowUnits& of, OpenIndex rows) {
    for (const codegen::RowUnits::Part& part : of.parts) {
      const OpenIndex first = plain(e, part.first), last = e.add(first, e.mul(rows, plain(e, part.per_row)));
      e.at(e.depth()).CreateCall(f, {table, first.v, last.v});
    }
  };
  const auto set_table = [&](OpenIndex row, OpenIndex rows) {
    for (size_t i = 0; i < form->buffers.size(); ++i) {
      const RowForm::Buffer& buffer = form->buffers[i];
      const OpenIndex place = e.add(starts[i], e.mul(row, plain(e, buffer.row_bytes)));
      llvm::Value* base = e.buffer(buffer.position);
      llvm::IRBuilder<> b = e.at(e.depth());
      b.CreateStore(b.CreateGEP(b.getInt8Ty(), base, place.v), b.CreateConstInBoundsGEP1_64(pointer, table, i));
    }
    llvm::IRBuilder<> b = e.at(e.depth());
    b.CreateStore(b.CreateIntToPtr(rows.v, pointer),
                  b.CreateConstInBoundsGEP1_64(pointer, table, form->buffers.size()));
  };
  if (out.units_per_row > 1) {
    const OpenIndex per_row = plain(e, out.units_per_row);
    e.loop(0, begin.v, end.v, {}, [&](OpenIndex unit, std::span<llvm::Value* const>) {
      const OpenIndex piece = e.rem(unit, per_row);
      set_table(e.div(unit, per_row), e.number(1));
      for (const codegen::RowUnits::Part& part : units->parts) {
        const OpenIndex all = plain(e, part.per_row), first = plain(e, part.first);
        const OpenIndex low = e.add(first, e.div(e.mul(piece, all), per_row));
        const OpenIndex high = e.add(first, e.div(e.mul(e.add(piece, e.number(1)), all), per_row));
        e.at(e.depth()).CreateCall(code, {table, low.v, high.v});
      }
      return std::vector<llvm::Value*>{};
    });
    return out;
  }
  const OpenIndex per_unit = plain(e, out.rows_per_unit), most = plain(e, most_rows),
                  tile = plain(e, codegen::kRowTile);
  const OpenIndex low = e.mul(begin, per_unit), high = e.clamp(e.mul(end, per_unit), low, e.number(form->count));
  const OpenIndex turns = e.div(e.add(e.sub(high, low), plain(e, most_rows - 1)), most);
  e.loop(0, zero.v, turns.v, {}, [&](OpenIndex turn, std::span<llvm::Value* const>) {
    const OpenIndex row = e.add(low, e.mul(turn, most));
    const OpenIndex rows = e.clamp(e.sub(high, row), zero, most);
    if (together.code == nullptr) {
      set_table(row, rows);
      run(code, *units, rows);
    } else {
      const OpenIndex groups = e.div(rows, tile), grouped = e.mul(groups, tile);
      set_table(row, groups);
      run(together.code, together.units, groups);
      set_table(e.add(row, grouped), e.sub(rows, grouped));
      run(code, *units, e.sub(rows, grouped));
    }
    return std::vector<llvm::Value*>{};
  });
  return out;
}

}  // namespace weft::native
