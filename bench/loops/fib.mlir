func.func @main(%a0: tensor<i64>) -> (tensor<i64>) {
  %w1:1 = func.call @fib(%a0) : (tensor<i64>) -> (tensor<i64>)
  return %w1#0 : tensor<i64>
}

func.func private @fib(%a0: tensor<i64>) -> (tensor<i64>) {
  %1 = stablehlo.constant dense<2> : tensor<i64>
  %2 = stablehlo.compare LT, %a0, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %w3:1 = "stablehlo.if"(%2) ({
    stablehlo.return %a0 : tensor<i64>
  }, {
    %4 = stablehlo.constant dense<1> : tensor<i64>
    %5 = stablehlo.subtract %a0, %4 : tensor<i64>
    %w6:1 = func.call @fib(%5) : (tensor<i64>) -> (tensor<i64>)
    %7 = stablehlo.constant dense<2> : tensor<i64>
    %8 = stablehlo.subtract %a0, %7 : tensor<i64>
    %w9:1 = func.call @fib(%8) : (tensor<i64>) -> (tensor<i64>)
    %10 = stablehlo.add %w6#0, %w9#0 : tensor<i64>
    stablehlo.return %10 : tensor<i64>
  }) : (tensor<i1>) -> (tensor<i64>)
  return %w3#0 : tensor<i64>
}
