// What may follow a convolution inside its library kernel: by channel, a residual, the rectifier.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "ir/function.h"
#include "native/kernels/convolution.h"

namespace weft::native {

/// result = relu(ops on channels of the contraction + addend); every op rounds, as in the program.
struct Epilogue {
  struct OnChannels {
    ChannelOp op;
    Value operand;  // as many elements as there are channels
  };
  std::vector<OnChannels> channels;
  Value addend;  // none, or of the result's type
  bool has_relu = false;
  std::vector<OpId> members;  // the contraction first; the last one makes the result

  /// Operands of the kernel after those of the contraction.
  std::vector<Value> inputs() const;
};

/// The longest epilogue of a stablehlo.convolution, or none. `only_user` gives the op of the same block that is the only one to use a
/// value, or none when there are others.
std::optional<Epilogue> find_epilogue(const Function& f, OpId contraction, const std::function<OpId(Value)>& only_user);

}  // namespace weft::native
