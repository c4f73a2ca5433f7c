func.func @main(%x0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = "stablehlo.custom_call"(%x0) {call_target_name = "foo", api_version = 2 : i32, backend_config = {a = 1 : i32}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)  // error: expected a string with api_version 2
  return %0 : tensor<2x3xf32>
}
