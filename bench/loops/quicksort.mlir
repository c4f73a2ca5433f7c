func.func @main(%a0: tensor<5000xf64>) -> (tensor<5000xf64>) {
  %1 = stablehlo.constant dense<1> : tensor<i64>
  %2 = stablehlo.constant dense<5000> : tensor<i64>
  %w3:1 = func.call @qsort(%a0, %1, %2) : (tensor<5000xf64>, tensor<i64>, tensor<i64>) -> (tensor<5000xf64>)
  return %w3#0 : tensor<5000xf64>
}

func.func private @qsort(%a0: tensor<5000xf64>, %a1: tensor<i64>, %a2: tensor<i64>) -> (tensor<5000xf64>) {
  %w1:4 = stablehlo.while(%c1_0 = %a0, %c1_1 = %a1, %c1_2 = %a1, %c1_3 = %a2) : tensor<5000xf64>, tensor<i64>, tensor<i64>, tensor<i64>
  cond {
    %2 = stablehlo.compare LT, %c1_2, %a2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %3 = stablehlo.add %c1_1, %a2 : tensor<i64>
    %4 = stablehlo.constant dense<1> : tensor<i64>
    %5 = stablehlo.shift_right_logical %3, %4 : tensor<i64>
    %6 = stablehlo.constant dense<1> : tensor<i64>
    %7 = stablehlo.subtract %5, %6 : tensor<i64>
    %8 = stablehlo.constant dense<1> : tensor<i64>
    %9 = stablehlo.compare GE, %5, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %10 = stablehlo.constant dense<5000> : tensor<i64>
    %11 = stablehlo.compare LE, %5, %10 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %12 = stablehlo.and %9, %11 : tensor<i1>
    "weft.check"(%12, %5) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %13 = stablehlo.dynamic_slice %c1_0, %7, sizes = [1] : (tensor<5000xf64>, tensor<i64>) -> tensor<1xf64>
    %14 = stablehlo.reshape %13 : (tensor<1xf64>) -> tensor<f64>
    %w15:3 = stablehlo.while(%c15_0 = %c1_0, %c15_1 = %c1_2, %c15_2 = %c1_3) : tensor<5000xf64>, tensor<i64>, tensor<i64>
    cond {
      %16 = stablehlo.compare LE, %c15_1, %c15_2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %16 : tensor<i1>
    } do {
      %w17:1 = stablehlo.while(%c17_0 = %c15_1) : tensor<i64>
      cond {
        %18 = stablehlo.constant dense<1> : tensor<i64>
        %19 = stablehlo.subtract %c17_0, %18 : tensor<i64>
        %20 = stablehlo.constant dense<1> : tensor<i64>
        %21 = stablehlo.compare GE, %c17_0, %20 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %22 = stablehlo.constant dense<5000> : tensor<i64>
        %23 = stablehlo.compare LE, %c17_0, %22 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %24 = stablehlo.and %21, %23 : tensor<i1>
        "weft.check"(%24, %c17_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %25 = stablehlo.dynamic_slice %c15_0, %19, sizes = [1] : (tensor<5000xf64>, tensor<i64>) -> tensor<1xf64>
        %26 = stablehlo.reshape %25 : (tensor<1xf64>) -> tensor<f64>
        %27 = stablehlo.compare LT, %26, %14 : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %27 : tensor<i1>
      } do {
        %28 = stablehlo.constant dense<1> : tensor<i64>
        %29 = stablehlo.add %c17_0, %28 : tensor<i64>
        stablehlo.return %29 : tensor<i64>
      }
      %w30:1 = stablehlo.while(%c30_0 = %c15_2) : tensor<i64>
      cond {
        %31 = stablehlo.constant dense<1> : tensor<i64>
        %32 = stablehlo.subtract %c30_0, %31 : tensor<i64>
        %33 = stablehlo.constant dense<1> : tensor<i64>
        %34 = stablehlo.compare GE, %c30_0, %33 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %35 = stablehlo.constant dense<5000> : tensor<i64>
        %36 = stablehlo.compare LE, %c30_0, %35 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %37 = stablehlo.and %34, %36 : tensor<i1>
        "weft.check"(%37, %c30_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %38 = stablehlo.dynamic_slice %c15_0, %32, sizes = [1] : (tensor<5000xf64>, tensor<i64>) -> tensor<1xf64>
        %39 = stablehlo.reshape %38 : (tensor<1xf64>) -> tensor<f64>
        %40 = stablehlo.compare GT, %39, %14 : (tensor<f64>, tensor<f64>) -> tensor<i1>
        stablehlo.return %40 : tensor<i1>
      } do {
        %41 = stablehlo.constant dense<1> : tensor<i64>
        %42 = stablehlo.subtract %c30_0, %41 : tensor<i64>
        stablehlo.return %42 : tensor<i64>
      }
      %43 = stablehlo.compare LE, %w17#0, %w30#0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %w44:3 = "stablehlo.if"(%43) ({
        %45 = stablehlo.constant dense<1> : tensor<i64>
        %46 = stablehlo.subtract %w30#0, %45 : tensor<i64>
        %47 = stablehlo.constant dense<1> : tensor<i64>
        %48 = stablehlo.compare GE, %w30#0, %47 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %49 = stablehlo.constant dense<5000> : tensor<i64>
        %50 = stablehlo.compare LE, %w30#0, %49 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %51 = stablehlo.and %48, %50 : tensor<i1>
        "weft.check"(%51, %w30#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %52 = stablehlo.dynamic_slice %c15_0, %46, sizes = [1] : (tensor<5000xf64>, tensor<i64>) -> tensor<1xf64>
        %53 = stablehlo.reshape %52 : (tensor<1xf64>) -> tensor<f64>
        %54 = stablehlo.constant dense<1> : tensor<i64>
        %55 = stablehlo.subtract %w17#0, %54 : tensor<i64>
        %56 = stablehlo.constant dense<1> : tensor<i64>
        %57 = stablehlo.compare GE, %w17#0, %56 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %58 = stablehlo.constant dense<5000> : tensor<i64>
        %59 = stablehlo.compare LE, %w17#0, %58 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %60 = stablehlo.and %57, %59 : tensor<i1>
        "weft.check"(%60, %w17#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %61 = stablehlo.dynamic_slice %c15_0, %55, sizes = [1] : (tensor<5000xf64>, tensor<i64>) -> tensor<1xf64>
        %62 = stablehlo.reshape %61 : (tensor<1xf64>) -> tensor<f64>
        %63 = stablehlo.constant dense<1> : tensor<i64>
        %64 = stablehlo.subtract %w17#0, %63 : tensor<i64>
        %65 = stablehlo.constant dense<1> : tensor<i64>
        %66 = stablehlo.compare GE, %w17#0, %65 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %67 = stablehlo.constant dense<5000> : tensor<i64>
        %68 = stablehlo.compare LE, %w17#0, %67 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %69 = stablehlo.and %66, %68 : tensor<i1>
        "weft.check"(%69, %w17#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %70 = stablehlo.reshape %53 : (tensor<f64>) -> tensor<1xf64>
        %71 = stablehlo.dynamic_update_slice %c15_0, %70, %64 : (tensor<5000xf64>, tensor<1xf64>, tensor<i64>) -> tensor<5000xf64>
        %72 = stablehlo.constant dense<1> : tensor<i64>
        %73 = stablehlo.subtract %w30#0, %72 : tensor<i64>
        %74 = stablehlo.constant dense<1> : tensor<i64>
        %75 = stablehlo.compare GE, %w30#0, %74 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %76 = stablehlo.constant dense<5000> : tensor<i64>
        %77 = stablehlo.compare LE, %w30#0, %76 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %78 = stablehlo.and %75, %77 : tensor<i1>
        "weft.check"(%78, %w30#0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %79 = stablehlo.reshape %62 : (tensor<f64>) -> tensor<1xf64>
        %80 = stablehlo.dynamic_update_slice %71, %79, %73 : (tensor<5000xf64>, tensor<1xf64>, tensor<i64>) -> tensor<5000xf64>
        %81 = stablehlo.constant dense<1> : tensor<i64>
        %82 = stablehlo.add %w17#0, %81 : tensor<i64>
        %83 = stablehlo.constant dense<1> : tensor<i64>
        %84 = stablehlo.subtract %w30#0, %83 : tensor<i64>
        stablehlo.return %80, %82, %84 : tensor<5000xf64>, tensor<i64>, tensor<i64>
      }, {
        stablehlo.return %c15_0, %w17#0, %w30#0 : tensor<5000xf64>, tensor<i64>, tensor<i64>
      }) : (tensor<i1>) -> (tensor<5000xf64>, tensor<i64>, tensor<i64>)
      stablehlo.return %w44#0, %w44#1, %w44#2 : tensor<5000xf64>, tensor<i64>, tensor<i64>
    }
    %85 = stablehlo.compare LT, %c1_1, %w15#2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %w86:1 = "stablehlo.if"(%85) ({
      %w87:1 = func.call @qsort(%w15#0, %c1_1, %w15#2) : (tensor<5000xf64>, tensor<i64>, tensor<i64>) -> (tensor<5000xf64>)
      stablehlo.return %w87#0 : tensor<5000xf64>
    }, {
      stablehlo.return %w15#0 : tensor<5000xf64>
    }) : (tensor<i1>) -> (tensor<5000xf64>)
    stablehlo.return %w86#0, %w15#1, %w15#1, %a2 : tensor<5000xf64>, tensor<i64>, tensor<i64>, tensor<i64>
  }
  return %w1#0 : tensor<5000xf64>
}
