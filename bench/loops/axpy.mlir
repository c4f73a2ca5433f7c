func.func @main(%a0: tensor<i64>, %a1: tensor<f64>, %a2: tensor<10000xf64>, %a3: tensor<10000xf64>) -> (tensor<10000xf64>) {
  %1 = stablehlo.constant dense<1> : tensor<i64>
  %w2:2 = stablehlo.while(%c2_0 = %1, %c2_1 = %a3) : tensor<i64>, tensor<10000xf64>
  cond {
    %3 = stablehlo.compare LE, %c2_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %4 = stablehlo.constant dense<1> : tensor<i64>
    %5 = stablehlo.subtract %c2_0, %4 : tensor<i64>
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.compare GE, %c2_0, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %8 = stablehlo.constant dense<10000> : tensor<i64>
    %9 = stablehlo.compare LE, %c2_0, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %10 = stablehlo.and %7, %9 : tensor<i1>
    "weft.check"(%10, %c2_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %11 = stablehlo.dynamic_slice %a2, %5, sizes = [1] : (tensor<10000xf64>, tensor<i64>) -> tensor<1xf64>
    %12 = stablehlo.reshape %11 : (tensor<1xf64>) -> tensor<f64>
    %13 = stablehlo.multiply %a1, %12 : tensor<f64>
    %14 = stablehlo.constant dense<1> : tensor<i64>
    %15 = stablehlo.subtract %c2_0, %14 : tensor<i64>
    %16 = stablehlo.constant dense<1> : tensor<i64>
    %17 = stablehlo.compare GE, %c2_0, %16 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %18 = stablehlo.constant dense<10000> : tensor<i64>
    %19 = stablehlo.compare LE, %c2_0, %18 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %20 = stablehlo.and %17, %19 : tensor<i1>
    "weft.check"(%20, %c2_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %21 = stablehlo.dynamic_slice %c2_1, %15, sizes = [1] : (tensor<10000xf64>, tensor<i64>) -> tensor<1xf64>
    %22 = stablehlo.reshape %21 : (tensor<1xf64>) -> tensor<f64>
    %23 = stablehlo.add %13, %22 : tensor<f64>
    %24 = stablehlo.constant dense<1> : tensor<i64>
    %25 = stablehlo.subtract %c2_0, %24 : tensor<i64>
    %26 = stablehlo.constant dense<1> : tensor<i64>
    %27 = stablehlo.compare GE, %c2_0, %26 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %28 = stablehlo.constant dense<10000> : tensor<i64>
    %29 = stablehlo.compare LE, %c2_0, %28 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %30 = stablehlo.and %27, %29 : tensor<i1>
    "weft.check"(%30, %c2_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %31 = stablehlo.reshape %23 : (tensor<f64>) -> tensor<1xf64>
    %32 = stablehlo.dynamic_update_slice %c2_1, %31, %25 : (tensor<10000xf64>, tensor<1xf64>, tensor<i64>) -> tensor<10000xf64>
    %33 = stablehlo.constant dense<1> : tensor<i64>
    %34 = stablehlo.add %c2_0, %33 : tensor<i64>
    stablehlo.return %34, %32 : tensor<i64>, tensor<10000xf64>
  }
  return %w2#1 : tensor<10000xf64>
}
