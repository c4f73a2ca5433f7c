func.func @main() -> (tensor<i64>) {
  %1 = stablehlo.constant dense<0> : tensor<8xi64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %w3:2 = func.call @place(%1, %2) : (tensor<8xi64>, tensor<i64>) -> (tensor<i64>, tensor<8xi64>)
  return %w3#0 : tensor<i64>
}

func.func private @place(%a0: tensor<8xi64>, %a1: tensor<i64>) -> (tensor<i64>, tensor<8xi64>) {
  %1 = stablehlo.constant dense<8> : tensor<i64>
  %2 = stablehlo.compare GT, %a1, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %w3:2 = "stablehlo.if"(%2) ({
    %4 = stablehlo.constant dense<1> : tensor<i64>
    stablehlo.return %4, %a0 : tensor<i64>, tensor<8xi64>
  }, {
    %5 = stablehlo.constant dense<0> : tensor<i64>
    %6 = stablehlo.constant dense<8> : tensor<i64>
    %7 = stablehlo.constant dense<1> : tensor<i64>
    %w8:3 = stablehlo.while(%c8_0 = %7, %c8_1 = %5, %c8_2 = %a0) : tensor<i64>, tensor<i64>, tensor<8xi64>
    cond {
      %9 = stablehlo.compare LE, %c8_0, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %10 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.constant dense<true> : tensor<i1>
      %w12:2 = stablehlo.while(%c12_0 = %10, %c12_1 = %11) : tensor<i64>, tensor<i1>
      cond {
        %13 = stablehlo.compare LT, %c12_0, %a1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %14 = stablehlo.and %13, %c12_1 : tensor<i1>
        stablehlo.return %14 : tensor<i1>
      } do {
        %15 = stablehlo.constant dense<1> : tensor<i64>
        %16 = stablehlo.add %c12_0, %15 : tensor<i64>
        %17 = stablehlo.constant dense<1> : tensor<i64>
        %18 = stablehlo.subtract %c12_0, %17 : tensor<i64>
        %19 = stablehlo.constant dense<1> : tensor<i64>
        %20 = stablehlo.compare GE, %c12_0, %19 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %21 = stablehlo.constant dense<8> : tensor<i64>
        %22 = stablehlo.compare LE, %c12_0, %21 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %23 = stablehlo.and %20, %22 : tensor<i1>
        "weft.check"(%23, %c12_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %24 = stablehlo.dynamic_slice %c8_2, %18, sizes = [1] : (tensor<8xi64>, tensor<i64>) -> tensor<1xi64>
        %25 = stablehlo.reshape %24 : (tensor<1xi64>) -> tensor<i64>
        %26 = stablehlo.subtract %a1, %c12_0 : tensor<i64>
        %27 = stablehlo.compare EQ, %25, %c8_0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %28 = stablehlo.subtract %25, %c8_0 : tensor<i64>
        %29 = stablehlo.compare EQ, %28, %26 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %30 = stablehlo.or %27, %29 : tensor<i1>
        %31 = stablehlo.subtract %c8_0, %25 : tensor<i64>
        %32 = stablehlo.compare EQ, %31, %26 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %33 = stablehlo.or %30, %32 : tensor<i1>
        %34 = stablehlo.not %33 : tensor<i1>
        %35 = stablehlo.and %c12_1, %34 : tensor<i1>
        stablehlo.return %16, %35 : tensor<i64>, tensor<i1>
      }
      %w36:2 = "stablehlo.if"(%w12#1) ({
        %37 = stablehlo.constant dense<1> : tensor<i64>
        %38 = stablehlo.subtract %a1, %37 : tensor<i64>
        %39 = stablehlo.constant dense<1> : tensor<i64>
        %40 = stablehlo.compare GE, %a1, %39 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %41 = stablehlo.constant dense<8> : tensor<i64>
        %42 = stablehlo.compare LE, %a1, %41 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %43 = stablehlo.and %40, %42 : tensor<i1>
        "weft.check"(%43, %a1) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %44 = stablehlo.reshape %c8_0 : (tensor<i64>) -> tensor<1xi64>
        %45 = stablehlo.dynamic_update_slice %c8_2, %44, %38 : (tensor<8xi64>, tensor<1xi64>, tensor<i64>) -> tensor<8xi64>
        %46 = stablehlo.constant dense<1> : tensor<i64>
        %47 = stablehlo.add %a1, %46 : tensor<i64>
        %w48:2 = func.call @place(%45, %47) : (tensor<8xi64>, tensor<i64>) -> (tensor<i64>, tensor<8xi64>)
        %49 = stablehlo.add %c8_1, %w48#0 : tensor<i64>
        stablehlo.return %49, %w48#1 : tensor<i64>, tensor<8xi64>
      }, {
        stablehlo.return %c8_1, %c8_2 : tensor<i64>, tensor<8xi64>
      }) : (tensor<i1>) -> (tensor<i64>, tensor<8xi64>)
      %50 = stablehlo.constant dense<1> : tensor<i64>
      %51 = stablehlo.add %c8_0, %50 : tensor<i64>
      stablehlo.return %51, %w36#0, %w36#1 : tensor<i64>, tensor<i64>, tensor<8xi64>
    }
    stablehlo.return %w8#1, %w8#2 : tensor<i64>, tensor<8xi64>
  }) : (tensor<i1>) -> (tensor<i64>, tensor<8xi64>)
  return %w3#0, %w3#1 : tensor<i64>, tensor<8xi64>
}
