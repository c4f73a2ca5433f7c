func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<7> : tensor<i32>
  %inner = stablehlo.tuple %b : tuple<tensor<i32>>
  %both = stablehlo.tuple %a, %inner : tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %first = stablehlo.get_tuple_element %both[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tensor<2xf32>
  %second = stablehlo.get_tuple_element %both[1] : (tuple<tensor<2xf32>, tuple<tensor<i32>>>) -> tuple<tensor<i32>>
  %deep = stablehlo.get_tuple_element %second[0] : (tuple<tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %first, dense<[1.0, 2.0]> : tensor<2xf32>
  check.expect_eq_const %deep, dense<7> : tensor<i32>
  return
}
