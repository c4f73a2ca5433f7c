func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:1>>, %y: tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i16:f64, 0.5:1>> {
  %r = "stablehlo.reduce_window"(%x, %y) ({  // error: (reduce_window_c13)
  ^bb0(%p: tensor<!quant.uniform<i16:f64, 0.5:1>>, %q: tensor<!quant.uniform<i16:f64, 0.5:1>>):
    %s = stablehlo.add %p, %q : tensor<!quant.uniform<i16:f64, 0.5:1>>
    stablehlo.return %s : tensor<!quant.uniform<i16:f64, 0.5:1>>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i16:f64, 0.5:1>>
  return %r : tensor<2x!quant.uniform<i16:f64, 0.5:1>>
}
