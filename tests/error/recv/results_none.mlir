func.func @main(%t: !stablehlo.token) -> () {
  "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> ()  // error: (recv_o1)
  return
}
