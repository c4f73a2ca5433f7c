func.func @main(%a0: tensor<200x200xf64>, %a1: tensor<200xf64>) -> (tensor<200xf64>, tensor<i64>) {
  %1 = stablehlo.constant dense<0.0> : tensor<200xf64>
  %2 = stablehlo.constant dense<0> : tensor<i64>
  %3 = stablehlo.dot_general %a1, %a1, contracting_dims = [0] x [0] : (tensor<200xf64>, tensor<200xf64>) -> tensor<f64>
  %w4:5 = stablehlo.while(%c4_0 = %2, %c4_1 = %1, %c4_2 = %a1, %c4_3 = %a1, %c4_4 = %3) : tensor<i64>, tensor<200xf64>, tensor<200xf64>, tensor<200xf64>, tensor<f64>
  cond {
    %5 = stablehlo.constant dense<200> : tensor<i64>
    %6 = stablehlo.compare LT, %c4_0, %5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %7 = stablehlo.sqrt %c4_4 : tensor<f64>
    %8 = stablehlo.constant dense<1e-10> : tensor<f64>
    %9 = stablehlo.compare GT, %7, %8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %10 = stablehlo.and %6, %9 : tensor<i1>
    stablehlo.return %10 : tensor<i1>
  } do {
    %11 = stablehlo.dot_general %c4_3, %a0, contracting_dims = [0] x [0] : (tensor<200xf64>, tensor<200x200xf64>) -> tensor<200xf64>
    %12 = stablehlo.dot_general %c4_3, %11, contracting_dims = [0] x [0] : (tensor<200xf64>, tensor<200xf64>) -> tensor<f64>
    %13 = stablehlo.divide %c4_4, %12 : tensor<f64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f64>) -> tensor<200xf64>
    %15 = stablehlo.multiply %14, %c4_3 : tensor<200xf64>
    %16 = stablehlo.add %c4_1, %15 : tensor<200xf64>
    %17 = stablehlo.multiply %14, %11 : tensor<200xf64>
    %18 = stablehlo.subtract %c4_2, %17 : tensor<200xf64>
    %19 = stablehlo.dot_general %18, %18, contracting_dims = [0] x [0] : (tensor<200xf64>, tensor<200xf64>) -> tensor<f64>
    %20 = stablehlo.divide %19, %c4_4 : tensor<f64>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f64>) -> tensor<200xf64>
    %22 = stablehlo.multiply %21, %c4_3 : tensor<200xf64>
    %23 = stablehlo.add %18, %22 : tensor<200xf64>
    %24 = stablehlo.constant dense<1> : tensor<i64>
    %25 = stablehlo.add %c4_0, %24 : tensor<i64>
    stablehlo.return %25, %16, %18, %23, %19 : tensor<i64>, tensor<200xf64>, tensor<200xf64>, tensor<200xf64>, tensor<f64>
  }
  return %w4#1, %w4#0 : tensor<200xf64>, tensor<i64>
}
