func.func @main(%a0: tensor<i64>, %a1: tensor<i64>) -> (tensor<f64>) {
  %1 = stablehlo.constant dense<0.0> : tensor<f64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:2 = stablehlo.while(%c3_0 = %2, %c3_1 = %1) : tensor<i64>, tensor<f64>
  cond {
    %4 = stablehlo.compare LE, %c3_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.constant dense<0.0> : tensor<f64>
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %w7:2 = stablehlo.while(%c7_0 = %6, %c7_1 = %5) : tensor<i64>, tensor<f64>
    cond {
      %8 = stablehlo.compare LE, %c7_0, %a1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %9 = stablehlo.multiply %c7_0, %c7_0 : tensor<i64>
      %10 = stablehlo.convert %9 : (tensor<i64>) -> tensor<f64>
      %11 = stablehlo.constant dense<1.0> : tensor<f64>
      %12 = stablehlo.divide %11, %10 : tensor<f64>
      %13 = stablehlo.add %c7_1, %12 : tensor<f64>
      %14 = stablehlo.constant dense<1> : tensor<i64>
      %15 = stablehlo.add %c7_0, %14 : tensor<i64>
      stablehlo.return %15, %13 : tensor<i64>, tensor<f64>
    }
    %16 = stablehlo.constant dense<1> : tensor<i64>
    %17 = stablehlo.add %c3_0, %16 : tensor<i64>
    stablehlo.return %17, %w7#1 : tensor<i64>, tensor<f64>
  }
  return %w3#1 : tensor<f64>
}
