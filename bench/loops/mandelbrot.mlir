func.func @main() -> (tensor<26x21xi64>) {
  %1 = stablehlo.constant dense<0> : tensor<26x21xi64>
  %2 = stablehlo.constant dense<26> : tensor<i64>
  %3 = stablehlo.constant dense<1> : tensor<i64>
  %w4:2 = stablehlo.while(%c4_0 = %3, %c4_1 = %1) : tensor<i64>, tensor<26x21xi64>
  cond {
    %5 = stablehlo.compare LE, %c4_0, %2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.subtract %c4_0, %6 : tensor<i64>
    %8 = stablehlo.convert %7 : (tensor<i64>) -> tensor<f64>
    %9 = stablehlo.constant dense<0.1> : tensor<f64>
    %10 = stablehlo.multiply %9, %8 : tensor<f64>
    %11 = stablehlo.constant dense<-2.0> : tensor<f64>
    %12 = stablehlo.add %11, %10 : tensor<f64>
    %13 = stablehlo.constant dense<21> : tensor<i64>
    %14 = stablehlo.constant dense<1> : tensor<i64>
    %w15:2 = stablehlo.while(%c15_0 = %14, %c15_1 = %c4_1) : tensor<i64>, tensor<26x21xi64>
    cond {
      %16 = stablehlo.compare LE, %c15_0, %13 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %17 = stablehlo.constant dense<1> : tensor<i64>
      %18 = stablehlo.subtract %c15_0, %17 : tensor<i64>
      %19 = stablehlo.convert %18 : (tensor<i64>) -> tensor<f64>
      %20 = stablehlo.constant dense<0.1> : tensor<f64>
      %21 = stablehlo.multiply %20, %19 : tensor<f64>
      %22 = stablehlo.constant dense<-1.0> : tensor<f64>
      %23 = stablehlo.add %22, %21 : tensor<f64>
      %w24:1 = func.call @mandel(%12, %23) : (tensor<f64>, tensor<f64>) -> (tensor<i64>)
      %25 = stablehlo.constant dense<1> : tensor<i64>
      %26 = stablehlo.subtract %c4_0, %25 : tensor<i64>
      %27 = stablehlo.constant dense<1> : tensor<i64>
      %28 = stablehlo.compare GE, %c4_0, %27 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %29 = stablehlo.constant dense<26> : tensor<i64>
      %30 = stablehlo.compare LE, %c4_0, %29 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %31 = stablehlo.and %28, %30 : tensor<i1>
      "weft.check"(%31, %c4_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %32 = stablehlo.constant dense<1> : tensor<i64>
      %33 = stablehlo.subtract %c15_0, %32 : tensor<i64>
      %34 = stablehlo.constant dense<1> : tensor<i64>
      %35 = stablehlo.compare GE, %c15_0, %34 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %36 = stablehlo.constant dense<21> : tensor<i64>
      %37 = stablehlo.compare LE, %c15_0, %36 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %38 = stablehlo.and %35, %37 : tensor<i1>
      "weft.check"(%38, %c15_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %39 = stablehlo.reshape %w24#0 : (tensor<i64>) -> tensor<1x1xi64>
      %40 = stablehlo.dynamic_update_slice %c15_1, %39, %26, %33 : (tensor<26x21xi64>, tensor<1x1xi64>, tensor<i64>, tensor<i64>) -> tensor<26x21xi64>
      %41 = stablehlo.constant dense<1> : tensor<i64>
      %42 = stablehlo.add %c15_0, %41 : tensor<i64>
      stablehlo.return %42, %40 : tensor<i64>, tensor<26x21xi64>
    }
    %43 = stablehlo.constant dense<1> : tensor<i64>
    %44 = stablehlo.add %c4_0, %43 : tensor<i64>
    stablehlo.return %44, %w15#1 : tensor<i64>, tensor<26x21xi64>
  }
  return %w4#1 : tensor<26x21xi64>
}

func.func private @mandel(%a0: tensor<f64>, %a1: tensor<f64>) -> (tensor<i64>) {
  %1 = stablehlo.constant dense<80> : tensor<i64>
  %2 = stablehlo.constant dense<1> : tensor<i64>
  %3 = stablehlo.constant dense<false> : tensor<i1>
  %w4:5 = stablehlo.while(%c4_0 = %2, %c4_1 = %a0, %c4_2 = %a1, %c4_3 = %3, %c4_4 = %1) : tensor<i64>, tensor<f64>, tensor<f64>, tensor<i1>, tensor<i64>
  cond {
    %5 = stablehlo.not %c4_3 : tensor<i1>
    %6 = stablehlo.compare LE, %c4_0, %1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    stablehlo.return %7 : tensor<i1>
  } do {
    %8 = stablehlo.multiply %c4_1, %c4_1 : tensor<f64>
    %9 = stablehlo.multiply %c4_2, %c4_2 : tensor<f64>
    %10 = stablehlo.add %8, %9 : tensor<f64>
    %11 = stablehlo.constant dense<4.0> : tensor<f64>
    %12 = stablehlo.compare GT, %10, %11 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %w13:5 = "stablehlo.if"(%12) ({
      %14 = stablehlo.constant dense<true> : tensor<i1>
      %15 = stablehlo.constant dense<1> : tensor<i64>
      %16 = stablehlo.subtract %c4_0, %15 : tensor<i64>
      stablehlo.return %c4_0, %c4_1, %c4_2, %14, %16 : tensor<i64>, tensor<f64>, tensor<f64>, tensor<i1>, tensor<i64>
    }, {
      %17 = stablehlo.constant dense<1> : tensor<i64>
      %18 = stablehlo.add %c4_0, %17 : tensor<i64>
      %19 = stablehlo.multiply %c4_1, %c4_1 : tensor<f64>
      %20 = stablehlo.multiply %c4_2, %c4_2 : tensor<f64>
      %21 = stablehlo.subtract %19, %20 : tensor<f64>
      %22 = stablehlo.add %21, %a0 : tensor<f64>
      %23 = stablehlo.constant dense<2.0> : tensor<f64>
      %24 = stablehlo.multiply %23, %c4_1 : tensor<f64>
      %25 = stablehlo.multiply %24, %c4_2 : tensor<f64>
      %26 = stablehlo.add %25, %a1 : tensor<f64>
      stablehlo.return %18, %22, %26, %c4_3, %c4_4 : tensor<i64>, tensor<f64>, tensor<f64>, tensor<i1>, tensor<i64>
    }) : (tensor<i1>) -> (tensor<i64>, tensor<f64>, tensor<f64>, tensor<i1>, tensor<i64>)
    stablehlo.return %w13#0, %w13#1, %w13#2, %w13#3, %w13#4 : tensor<i64>, tensor<f64>, tensor<f64>, tensor<i1>, tensor<i64>
  }
  return %w4#4 : tensor<i64>
}
