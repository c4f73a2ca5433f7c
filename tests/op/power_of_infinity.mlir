// Real numbers to real exponents in complex form at +infinity: pow of ISO C (annex F), which NumPy and XLA follow; 1^y and inf^0 too.
func.func @main() {
  %base = stablehlo.constant dense<[(0x7F800000, 0.0), (0x7F800000, -0.0), (0x7F800000, 0.0), (0x7F800000, 0.0), (0x7F800000, 0.0), (2.0, 0.0)]> : tensor<6xcomplex<f32>>
  %exponent = stablehlo.constant dense<[(1.0, 0.0), (0.5, 0.0), (-2.0, 0.0), (0x7F800000, 0.0), (0xFF800000, -0.0), (3.0, 0.0)]> : tensor<6xcomplex<f32>>
  %r = stablehlo.power %base, %exponent : tensor<6xcomplex<f32>>
  check.expect_eq_const %r, dense<[(0x7F800000, 0.0), (0x7F800000, 0.0), (0.0, 0.0), (0x7F800000, 0.0), (0.0, 0.0), (8.0, 0.0)]> : tensor<6xcomplex<f32>>
  return
}
