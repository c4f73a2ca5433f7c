func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %i: tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.25>> {
  %r = "stablehlo.reduce"(%x, %i) ({  // error: (reduce_c8)
  ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:1>>, %q: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %s = stablehlo.maximum %p, %q : tensor<!quant.uniform<i8:f32, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:1>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.25>>
  return %r : tensor<!quant.uniform<i8:f32, 0.25>>
}
