func.func @main(%t: !stablehlo.token) -> (!stablehlo.token, !stablehlo.token) {
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)  // error: (infeed_c2)
  return %0#0, %0#1 : !stablehlo.token, !stablehlo.token
}
