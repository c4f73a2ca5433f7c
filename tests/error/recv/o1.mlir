func.func @main(%t: !stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<2xf32>, tensor<2xf32>)  // error: (recv_o1)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}
