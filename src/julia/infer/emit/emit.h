// What the files that write the IR of intrinsics share.
#pragma once
#include "julia/host/number_ops.h"
#include "julia/infer/compiler.h"

namespace weft::julia {

struct Emission {
  std::string_view name;
  Abstract (*emit)(Compiler& c, std::span<const Abstract> arguments);
};
std::span<const Emission> scalar_emissions();
std::span<const Emission> float_emissions();
std::span<const Emission> array_emissions();
std::span<const Emission> core_emissions();
std::span<const Emission> functional_emissions();
std::span<const Emission> block_emissions();
std::span<const Emission> broadcast_emissions();
std::span<const Emission> compare_emissions();
std::span<const Emission> derivative_emissions();
std::span<const Emission> complex_emissions();
std::span<const Emission> algebra_emissions();
std::span<const Emission> random_emissions();
std::span<const Emission> text_emissions();
std::span<const Emission> order_emissions();
std::span<const Emission> product_emissions();
std::span<const Emission> solve_emissions();
std::span<const Emission> parts_emissions();
std::span<const Emission> orthogonal_emissions();
std::span<const Emission> eigen_emissions();
std::span<const Emission> growth_emissions();
std::span<const Emission> iteration_emissions();
std::span<const Emission> search_emissions();
std::span<const Emission> selection_emissions();

/// _pfor(f, arrays…) (lanes.cc).
Abstract lanes_of_call(Compiler& c, std::span<const Abstract> arguments);

/// Numbers as IR; in broadcasts they are tensors of one shape, beside rank-0 ones that are the same for all elements.
struct Num {
  NumberKind kind;
  IrValue v;
};
/// Fails for what is no machine number.
Num num(Compiler& c, const Abstract& a);
Abstract result(NumberKind kind, IrValue v);
Num convert_num(Compiler& c, const Num& x, NumberKind to);  // as the hardware does: checks are the caller's
IrValue like(Compiler& c, IrValue x, double value);         // a constant of x's type
IrValue int_like(Compiler& c, IrValue x, int64_t value);
/// The same op on both, a rank-0 one spread to the other's shape.
IrValue op2(Compiler& c, std::string_view mnemonic, IrValue a, IrValue b);
IrValue compare2(Compiler& c, IrValue a, IrValue b, std::string_view direction);
IrValue select3(Compiler& c, IrValue p, IrValue a, IrValue b);
IrValue op1(Compiler& c, std::string_view mnemonic, IrValue a);
/// A check for every element.
void check_all(Compiler& c, IrValue holds, const std::string& message);

}  // namespace weft::julia
