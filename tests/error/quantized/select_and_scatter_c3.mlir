func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %z: tensor<!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.select_and_scatter"(%x, %y, %z) ({  // error: (select_and_scatter_c3)
  ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:1>>, %q: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %s = stablehlo.compare GE, %p, %q : (tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%p: tensor<!quant.uniform<i8:f32, 0.5:1>>, %q: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i8:f32, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i8:f32, 0.5:1>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:2>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  return %r : tensor<4x!quant.uniform<i8:f32, 0.5:1>>
}
