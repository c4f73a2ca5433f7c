func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  %r = "stablehlo.all_reduce"(%x) ({  // error: (all_reduce_c7)
  ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:1>>, %q: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:1>>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.25>>
}
