func.func @main(%x0: tuple<tensor<2xf32>>) -> (tensor<3xf32>) {
  %0 = "stablehlo.get_tuple_element"(%x0) {index = 0 : i32} : (tuple<tensor<2xf32>>) -> (tensor<3xf32>)  // error: (get_tuple_element_c2)
  return %0 : tensor<3xf32>
}
