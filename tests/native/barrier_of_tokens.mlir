// A barrier passes tensors, tokens and tuples of them.
module @barrier_of_tokens {
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %a = stablehlo.create_token : !stablehlo.token
    %b = stablehlo.after_all %a, %a : !stablehlo.token
    %p:2 = stablehlo.optimization_barrier %x, %b : tensor<2xi32>, !stablehlo.token
    %t = stablehlo.tuple %p#0, %p#1 : tuple<tensor<2xi32>, !stablehlo.token>
    %u = "stablehlo.optimization_barrier"(%t) : (tuple<tensor<2xi32>, !stablehlo.token>) -> tuple<tensor<2xi32>, !stablehlo.token>
    %y = stablehlo.get_tuple_element %u[0] : (tuple<tensor<2xi32>, !stablehlo.token>) -> tensor<2xi32>
    check.expect_eq_const %y, dense<[1, 2]> : tensor<2xi32>
    return
  }
}
