func.func @main() -> () {
  "stablehlo.sort"() ({  // error: (sort_c1)
  ^bb0(%r0: tensor<f32>, %r1: tensor<f32>):
    %c = stablehlo.compare LT, %r0, %r1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : () -> ()
  return
}
