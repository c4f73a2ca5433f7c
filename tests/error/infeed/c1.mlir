func.func @main(%t: !stablehlo.token) -> () {
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()  // error: (infeed_c1)
  return
}
