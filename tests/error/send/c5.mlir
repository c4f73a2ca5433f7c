func.func @main(%x: tensor<2xf32>, %t: !stablehlo.token) -> (!stablehlo.token) {
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false} : (tensor<2xf32>, !stablehlo.token) -> (!stablehlo.token)  // error: (send_c5)
  return %0 : !stablehlo.token
}
