func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.sort"(%x) ({  // error: (sort_c5)
  ^bb0(%p: tensor<i8>, %q: tensor<i8>):
    %a = stablehlo.compare LT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %a : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  return %r : tensor<2x!quant.uniform<i8:f32, 0.5:1>>
}
