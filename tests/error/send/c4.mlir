func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) -> (!stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> (!stablehlo.token)  // error: (send_c4)
  return %0 : !stablehlo.token
}
