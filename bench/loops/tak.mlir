func.func @main(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<i64>) -> (tensor<i64>) {
  %w1:1 = func.call @tak(%a0, %a1, %a2) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
  return %w1#0 : tensor<i64>
}

func.func private @tak(%a0: tensor<i64>, %a1: tensor<i64>, %a2: tensor<i64>) -> (tensor<i64>) {
  %1 = stablehlo.compare LT, %a1, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %w2:1 = "stablehlo.if"(%1) ({
    %3 = stablehlo.constant dense<1> : tensor<i64>
    %4 = stablehlo.subtract %a0, %3 : tensor<i64>
    %w5:1 = func.call @tak(%4, %a1, %a2) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.subtract %a1, %6 : tensor<i64>
    %w8:1 = func.call @tak(%7, %a2, %a0) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %9 = stablehlo.constant dense<1> : tensor<i64>
    %10 = stablehlo.subtract %a2, %9 : tensor<i64>
    %w11:1 = func.call @tak(%10, %a0, %a1) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
    %w12:1 = func.call @tak(%w5#0, %w8#0, %w11#0) : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>)
    stablehlo.return %w12#0 : tensor<i64>
  }, {
    stablehlo.return %a2 : tensor<i64>
  }) : (tensor<i1>) -> (tensor<i64>)
  return %w2#0 : tensor<i64>
}
