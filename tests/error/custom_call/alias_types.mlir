func.func @main(%x0: tensor<2x3xf32>) -> (tensor<3x2xf32>) {
  %0 = "stablehlo.custom_call"(%x0) {call_target_name = "foo", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>) -> (tensor<3x2xf32>)  // error: type of the result's part: got tensor<3x2xf32>, expected tensor<2x3xf32>
  return %0 : tensor<3x2xf32>
}
