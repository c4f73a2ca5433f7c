func.func @main(%a0: tensor<i64>) -> (tensor<i64>) {
  %1 = stablehlo.constant dense<0> : tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:2 = stablehlo.while(%c3_0 = %2, %c3_1 = %1) : tensor<i64>, tensor<i64>
  cond {
    %4 = stablehlo.compare LE, %c3_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %4 : tensor<i1>
  } do {
    %5 = stablehlo.constant dense<1> : tensor<i64>
    %w6:2 = stablehlo.while(%c6_0 = %c3_0, %c6_1 = %5) : tensor<i64>, tensor<i64>
    cond {
      %7 = stablehlo.constant dense<1> : tensor<i64>
      %8 = stablehlo.compare GT, %c6_0, %7 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %8 : tensor<i1>
    } do {
      %9 = stablehlo.constant dense<1> : tensor<i64>
      %10 = stablehlo.shift_right_logical %c6_0, %9 : tensor<i64>
      %11 = stablehlo.constant dense<3> : tensor<i64>
      %12 = stablehlo.multiply %11, %c6_0 : tensor<i64>
      %13 = stablehlo.constant dense<1> : tensor<i64>
      %14 = stablehlo.add %12, %13 : tensor<i64>
      %15 = stablehlo.constant dense<1> : tensor<i64>
      %16 = stablehlo.and %c6_0, %15 : tensor<i64>
      %17 = stablehlo.constant dense<0> : tensor<i64>
      %18 = stablehlo.compare EQ, %16, %17 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %19 = stablehlo.select %18, %10, %14 : tensor<i1>, tensor<i64>
      %20 = stablehlo.constant dense<1> : tensor<i64>
      %21 = stablehlo.add %c6_1, %20 : tensor<i64>
      stablehlo.return %19, %21 : tensor<i64>, tensor<i64>
    }
    %22 = stablehlo.compare GT, %w6#1, %c3_1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %23 = stablehlo.select %22, %w6#1, %c3_1 : tensor<i1>, tensor<i64>
    %24 = stablehlo.constant dense<1> : tensor<i64>
    %25 = stablehlo.add %c3_0, %24 : tensor<i64>
    stablehlo.return %25, %23 : tensor<i64>, tensor<i64>
  }
  return %w3#1 : tensor<i64>
}
