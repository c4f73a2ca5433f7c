func.func @main() -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>> {
  %r = "stablehlo.constant"() {value = dense<1> : tensor<2x2xui8>} : () -> tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>  // error: (constant_c1)
  return %r : tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
}
