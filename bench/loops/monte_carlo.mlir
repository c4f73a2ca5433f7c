func.func @main(%a0: tensor<i64>) -> (tensor<f64>) {
  %1 = stablehlo.constant dense<11400714819323198485> : tensor<ui64>
  %2 = stablehlo.constant dense<13787848793156543929> : tensor<ui64>
  %3 = stablehlo.constant dense<10723151780598845931> : tensor<ui64>
  %4 = stablehlo.constant dense<2685821657736338717> : tensor<ui64>
  %5 = stablehlo.constant dense<0> : tensor<i64>
  %6 = stablehlo.constant dense<1> : tensor<i64>
  %w7:6 = stablehlo.while(%c7_0 = %6, %c7_1 = %5, %c7_2 = %1, %c7_3 = %2, %c7_4 = %3, %c7_5 = %4) : tensor<i64>, tensor<i64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
  cond {
    %8 = stablehlo.compare LE, %c7_0, %a0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %8 : tensor<i1>
  } do {
    %9 = stablehlo.add %c7_2, %c7_5 : tensor<ui64>
    %10 = stablehlo.constant dense<23> : tensor<ui64>
    %11 = stablehlo.shift_left %9, %10 : tensor<ui64>
    %12 = stablehlo.constant dense<41> : tensor<ui64>
    %13 = stablehlo.shift_right_logical %9, %12 : tensor<ui64>
    %14 = stablehlo.or %11, %13 : tensor<ui64>
    %15 = stablehlo.add %14, %c7_2 : tensor<ui64>
    %16 = stablehlo.constant dense<17> : tensor<ui64>
    %17 = stablehlo.shift_left %c7_3, %16 : tensor<ui64>
    %18 = stablehlo.xor %c7_4, %c7_2 : tensor<ui64>
    %19 = stablehlo.xor %c7_5, %c7_3 : tensor<ui64>
    %20 = stablehlo.xor %c7_3, %18 : tensor<ui64>
    %21 = stablehlo.xor %c7_2, %19 : tensor<ui64>
    %22 = stablehlo.xor %18, %17 : tensor<ui64>
    %23 = stablehlo.constant dense<45> : tensor<ui64>
    %24 = stablehlo.shift_left %19, %23 : tensor<ui64>
    %25 = stablehlo.constant dense<19> : tensor<ui64>
    %26 = stablehlo.shift_right_logical %19, %25 : tensor<ui64>
    %27 = stablehlo.or %24, %26 : tensor<ui64>
    %28 = stablehlo.add %21, %27 : tensor<ui64>
    %29 = stablehlo.constant dense<23> : tensor<ui64>
    %30 = stablehlo.shift_left %28, %29 : tensor<ui64>
    %31 = stablehlo.constant dense<41> : tensor<ui64>
    %32 = stablehlo.shift_right_logical %28, %31 : tensor<ui64>
    %33 = stablehlo.or %30, %32 : tensor<ui64>
    %34 = stablehlo.add %33, %21 : tensor<ui64>
    %35 = stablehlo.constant dense<17> : tensor<ui64>
    %36 = stablehlo.shift_left %20, %35 : tensor<ui64>
    %37 = stablehlo.xor %22, %21 : tensor<ui64>
    %38 = stablehlo.xor %27, %20 : tensor<ui64>
    %39 = stablehlo.xor %20, %37 : tensor<ui64>
    %40 = stablehlo.xor %21, %38 : tensor<ui64>
    %41 = stablehlo.xor %37, %36 : tensor<ui64>
    %42 = stablehlo.constant dense<45> : tensor<ui64>
    %43 = stablehlo.shift_left %38, %42 : tensor<ui64>
    %44 = stablehlo.constant dense<19> : tensor<ui64>
    %45 = stablehlo.shift_right_logical %38, %44 : tensor<ui64>
    %46 = stablehlo.or %43, %45 : tensor<ui64>
    %47 = stablehlo.constant dense<11> : tensor<ui64>
    %48 = stablehlo.shift_right_logical %15, %47 : tensor<ui64>
    %49 = stablehlo.convert %48 : (tensor<ui64>) -> tensor<f64>
    %50 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
    %51 = stablehlo.multiply %49, %50 : tensor<f64>
    %52 = stablehlo.constant dense<11> : tensor<ui64>
    %53 = stablehlo.shift_right_logical %34, %52 : tensor<ui64>
    %54 = stablehlo.convert %53 : (tensor<ui64>) -> tensor<f64>
    %55 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
    %56 = stablehlo.multiply %54, %55 : tensor<f64>
    %57 = stablehlo.multiply %51, %51 : tensor<f64>
    %58 = stablehlo.multiply %56, %56 : tensor<f64>
    %59 = stablehlo.add %57, %58 : tensor<f64>
    %60 = stablehlo.constant dense<1.0> : tensor<f64>
    %61 = stablehlo.compare LE, %59, %60 : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %w62:1 = "stablehlo.if"(%61) ({
      %63 = stablehlo.constant dense<1> : tensor<i64>
      %64 = stablehlo.add %c7_1, %63 : tensor<i64>
      stablehlo.return %64 : tensor<i64>
    }, {
      stablehlo.return %c7_1 : tensor<i64>
    }) : (tensor<i1>) -> (tensor<i64>)
    %65 = stablehlo.constant dense<1> : tensor<i64>
    %66 = stablehlo.add %c7_0, %65 : tensor<i64>
    stablehlo.return %66, %w62#0, %40, %39, %41, %46 : tensor<i64>, tensor<i64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
  }
  %67 = stablehlo.convert %w7#1 : (tensor<i64>) -> tensor<f64>
  %68 = stablehlo.constant dense<4.0> : tensor<f64>
  %69 = stablehlo.multiply %68, %67 : tensor<f64>
  %70 = stablehlo.convert %a0 : (tensor<i64>) -> tensor<f64>
  %71 = stablehlo.divide %69, %70 : tensor<f64>
  return %71 : tensor<f64>
}
