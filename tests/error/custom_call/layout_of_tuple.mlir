func.func @main(%x0: tuple<tensor<2xf32>>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.custom_call"(%x0) {call_target_name = "foo", operand_layouts = [dense<[0]> : tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tuple<tensor<2xf32>>) -> (tensor<2x3xf32>)  // error: operand_layouts[0]: got a layout for tuple<
  return %0 : tensor<2x3xf32>
}
