func.func @main(%x0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.custom_call"(%x0) {call_target_name = "foo", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)  // error: operand_index: got 1, expected a value in [0, 1)
  return %0 : tensor<2x3xf32>
}
