func.func @main(%t: tuple<tensor<f32>>) -> tensor<f32> {
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>>) -> tensor<f32>  // error: [stablehlo.get_tuple_element] index: got 1, expected a value in [0, 1) (get_tuple_element_c1)
  return %0 : tensor<f32>
}
