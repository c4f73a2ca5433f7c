func.func @main() -> (tensor<f64>, tensor<f64>) {
  %1 = stablehlo.constant dense<11400714819323198485> : tensor<ui64>
  %2 = stablehlo.constant dense<13787848793156543929> : tensor<ui64>
  %3 = stablehlo.constant dense<10723151780598845931> : tensor<ui64>
  %4 = stablehlo.constant dense<2685821657736338717> : tensor<ui64>
  %5 = stablehlo.constant dense<0.0> : tensor<1000xf64>
  %6 = stablehlo.constant dense<1000> : tensor<i64>
  %7 = stablehlo.constant dense<1> : tensor<i64>
  %w8:7 = stablehlo.while(%c8_0 = %7, %c8_1 = %5, %c8_2 = %5, %c8_3 = %1, %c8_4 = %2, %c8_5 = %3, %c8_6 = %4) : tensor<i64>, tensor<1000xf64>, tensor<1000xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
  cond {
    %9 = stablehlo.compare LE, %c8_0, %6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  } do {
    %10 = stablehlo.constant dense<0.0> : tensor<5x5xf64>
    %11 = stablehlo.constant dense<5> : tensor<i64>
    %12 = stablehlo.constant dense<1> : tensor<i64>
    %w13:6 = stablehlo.while(%c13_0 = %12, %c13_1 = %10, %c13_2 = %c8_3, %c13_3 = %c8_4, %c13_4 = %c8_5, %c13_5 = %c8_6) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    cond {
      %14 = stablehlo.compare LE, %c13_0, %11 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %14 : tensor<i1>
    } do {
      %15 = stablehlo.constant dense<5> : tensor<i64>
      %16 = stablehlo.constant dense<1> : tensor<i64>
      %w17:6 = stablehlo.while(%c17_0 = %16, %c17_1 = %c13_1, %c17_2 = %c13_2, %c17_3 = %c13_3, %c17_4 = %c13_4, %c17_5 = %c13_5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      cond {
        %18 = stablehlo.compare LE, %c17_0, %15 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %18 : tensor<i1>
      } do {
        %19 = stablehlo.add %c17_2, %c17_5 : tensor<ui64>
        %20 = stablehlo.constant dense<23> : tensor<ui64>
        %21 = stablehlo.shift_left %19, %20 : tensor<ui64>
        %22 = stablehlo.constant dense<41> : tensor<ui64>
        %23 = stablehlo.shift_right_logical %19, %22 : tensor<ui64>
        %24 = stablehlo.or %21, %23 : tensor<ui64>
        %25 = stablehlo.add %24, %c17_2 : tensor<ui64>
        %26 = stablehlo.constant dense<17> : tensor<ui64>
        %27 = stablehlo.shift_left %c17_3, %26 : tensor<ui64>
        %28 = stablehlo.xor %c17_4, %c17_2 : tensor<ui64>
        %29 = stablehlo.xor %c17_5, %c17_3 : tensor<ui64>
        %30 = stablehlo.xor %c17_3, %28 : tensor<ui64>
        %31 = stablehlo.xor %c17_2, %29 : tensor<ui64>
        %32 = stablehlo.xor %28, %27 : tensor<ui64>
        %33 = stablehlo.constant dense<45> : tensor<ui64>
        %34 = stablehlo.shift_left %29, %33 : tensor<ui64>
        %35 = stablehlo.constant dense<19> : tensor<ui64>
        %36 = stablehlo.shift_right_logical %29, %35 : tensor<ui64>
        %37 = stablehlo.or %34, %36 : tensor<ui64>
        %38 = stablehlo.constant dense<11> : tensor<ui64>
        %39 = stablehlo.shift_right_logical %25, %38 : tensor<ui64>
        %40 = stablehlo.convert %39 : (tensor<ui64>) -> tensor<f64>
        %41 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
        %42 = stablehlo.multiply %40, %41 : tensor<f64>
        %43 = stablehlo.constant dense<0.5> : tensor<f64>
        %44 = stablehlo.subtract %42, %43 : tensor<f64>
        %45 = stablehlo.constant dense<1> : tensor<i64>
        %46 = stablehlo.subtract %c13_0, %45 : tensor<i64>
        %47 = stablehlo.constant dense<1> : tensor<i64>
        %48 = stablehlo.compare GE, %c13_0, %47 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %49 = stablehlo.constant dense<5> : tensor<i64>
        %50 = stablehlo.compare LE, %c13_0, %49 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %51 = stablehlo.and %48, %50 : tensor<i1>
        "weft.check"(%51, %c13_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %52 = stablehlo.constant dense<1> : tensor<i64>
        %53 = stablehlo.subtract %c17_0, %52 : tensor<i64>
        %54 = stablehlo.constant dense<1> : tensor<i64>
        %55 = stablehlo.compare GE, %c17_0, %54 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %56 = stablehlo.constant dense<5> : tensor<i64>
        %57 = stablehlo.compare LE, %c17_0, %56 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %58 = stablehlo.and %55, %57 : tensor<i1>
        "weft.check"(%58, %c17_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %59 = stablehlo.reshape %44 : (tensor<f64>) -> tensor<1x1xf64>
        %60 = stablehlo.dynamic_update_slice %c17_1, %59, %46, %53 : (tensor<5x5xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<5x5xf64>
        %61 = stablehlo.constant dense<1> : tensor<i64>
        %62 = stablehlo.add %c17_0, %61 : tensor<i64>
        stablehlo.return %62, %60, %31, %30, %32, %37 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      }
      %63 = stablehlo.constant dense<1> : tensor<i64>
      %64 = stablehlo.add %c13_0, %63 : tensor<i64>
      stablehlo.return %64, %w17#1, %w17#2, %w17#3, %w17#4, %w17#5 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    }
    %65 = stablehlo.constant dense<0.0> : tensor<5x5xf64>
    %66 = stablehlo.constant dense<5> : tensor<i64>
    %67 = stablehlo.constant dense<1> : tensor<i64>
    %w68:6 = stablehlo.while(%c68_0 = %67, %c68_1 = %65, %c68_2 = %w13#2, %c68_3 = %w13#3, %c68_4 = %w13#4, %c68_5 = %w13#5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    cond {
      %69 = stablehlo.compare LE, %c68_0, %66 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %69 : tensor<i1>
    } do {
      %70 = stablehlo.constant dense<5> : tensor<i64>
      %71 = stablehlo.constant dense<1> : tensor<i64>
      %w72:6 = stablehlo.while(%c72_0 = %71, %c72_1 = %c68_1, %c72_2 = %c68_2, %c72_3 = %c68_3, %c72_4 = %c68_4, %c72_5 = %c68_5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      cond {
        %73 = stablehlo.compare LE, %c72_0, %70 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %73 : tensor<i1>
      } do {
        %74 = stablehlo.add %c72_2, %c72_5 : tensor<ui64>
        %75 = stablehlo.constant dense<23> : tensor<ui64>
        %76 = stablehlo.shift_left %74, %75 : tensor<ui64>
        %77 = stablehlo.constant dense<41> : tensor<ui64>
        %78 = stablehlo.shift_right_logical %74, %77 : tensor<ui64>
        %79 = stablehlo.or %76, %78 : tensor<ui64>
        %80 = stablehlo.add %79, %c72_2 : tensor<ui64>
        %81 = stablehlo.constant dense<17> : tensor<ui64>
        %82 = stablehlo.shift_left %c72_3, %81 : tensor<ui64>
        %83 = stablehlo.xor %c72_4, %c72_2 : tensor<ui64>
        %84 = stablehlo.xor %c72_5, %c72_3 : tensor<ui64>
        %85 = stablehlo.xor %c72_3, %83 : tensor<ui64>
        %86 = stablehlo.xor %c72_2, %84 : tensor<ui64>
        %87 = stablehlo.xor %83, %82 : tensor<ui64>
        %88 = stablehlo.constant dense<45> : tensor<ui64>
        %89 = stablehlo.shift_left %84, %88 : tensor<ui64>
        %90 = stablehlo.constant dense<19> : tensor<ui64>
        %91 = stablehlo.shift_right_logical %84, %90 : tensor<ui64>
        %92 = stablehlo.or %89, %91 : tensor<ui64>
        %93 = stablehlo.constant dense<11> : tensor<ui64>
        %94 = stablehlo.shift_right_logical %80, %93 : tensor<ui64>
        %95 = stablehlo.convert %94 : (tensor<ui64>) -> tensor<f64>
        %96 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
        %97 = stablehlo.multiply %95, %96 : tensor<f64>
        %98 = stablehlo.constant dense<0.5> : tensor<f64>
        %99 = stablehlo.subtract %97, %98 : tensor<f64>
        %100 = stablehlo.constant dense<1> : tensor<i64>
        %101 = stablehlo.subtract %c68_0, %100 : tensor<i64>
        %102 = stablehlo.constant dense<1> : tensor<i64>
        %103 = stablehlo.compare GE, %c68_0, %102 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %104 = stablehlo.constant dense<5> : tensor<i64>
        %105 = stablehlo.compare LE, %c68_0, %104 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %106 = stablehlo.and %103, %105 : tensor<i1>
        "weft.check"(%106, %c68_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %107 = stablehlo.constant dense<1> : tensor<i64>
        %108 = stablehlo.subtract %c72_0, %107 : tensor<i64>
        %109 = stablehlo.constant dense<1> : tensor<i64>
        %110 = stablehlo.compare GE, %c72_0, %109 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %111 = stablehlo.constant dense<5> : tensor<i64>
        %112 = stablehlo.compare LE, %c72_0, %111 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %113 = stablehlo.and %110, %112 : tensor<i1>
        "weft.check"(%113, %c72_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %114 = stablehlo.reshape %99 : (tensor<f64>) -> tensor<1x1xf64>
        %115 = stablehlo.dynamic_update_slice %c72_1, %114, %101, %108 : (tensor<5x5xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<5x5xf64>
        %116 = stablehlo.constant dense<1> : tensor<i64>
        %117 = stablehlo.add %c72_0, %116 : tensor<i64>
        stablehlo.return %117, %115, %86, %85, %87, %92 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      }
      %118 = stablehlo.constant dense<1> : tensor<i64>
      %119 = stablehlo.add %c68_0, %118 : tensor<i64>
      stablehlo.return %119, %w72#1, %w72#2, %w72#3, %w72#4, %w72#5 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    }
    %120 = stablehlo.constant dense<0.0> : tensor<5x5xf64>
    %121 = stablehlo.constant dense<5> : tensor<i64>
    %122 = stablehlo.constant dense<1> : tensor<i64>
    %w123:6 = stablehlo.while(%c123_0 = %122, %c123_1 = %120, %c123_2 = %w68#2, %c123_3 = %w68#3, %c123_4 = %w68#4, %c123_5 = %w68#5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    cond {
      %124 = stablehlo.compare LE, %c123_0, %121 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %124 : tensor<i1>
    } do {
      %125 = stablehlo.constant dense<5> : tensor<i64>
      %126 = stablehlo.constant dense<1> : tensor<i64>
      %w127:6 = stablehlo.while(%c127_0 = %126, %c127_1 = %c123_1, %c127_2 = %c123_2, %c127_3 = %c123_3, %c127_4 = %c123_4, %c127_5 = %c123_5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      cond {
        %128 = stablehlo.compare LE, %c127_0, %125 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %128 : tensor<i1>
      } do {
        %129 = stablehlo.add %c127_2, %c127_5 : tensor<ui64>
        %130 = stablehlo.constant dense<23> : tensor<ui64>
        %131 = stablehlo.shift_left %129, %130 : tensor<ui64>
        %132 = stablehlo.constant dense<41> : tensor<ui64>
        %133 = stablehlo.shift_right_logical %129, %132 : tensor<ui64>
        %134 = stablehlo.or %131, %133 : tensor<ui64>
        %135 = stablehlo.add %134, %c127_2 : tensor<ui64>
        %136 = stablehlo.constant dense<17> : tensor<ui64>
        %137 = stablehlo.shift_left %c127_3, %136 : tensor<ui64>
        %138 = stablehlo.xor %c127_4, %c127_2 : tensor<ui64>
        %139 = stablehlo.xor %c127_5, %c127_3 : tensor<ui64>
        %140 = stablehlo.xor %c127_3, %138 : tensor<ui64>
        %141 = stablehlo.xor %c127_2, %139 : tensor<ui64>
        %142 = stablehlo.xor %138, %137 : tensor<ui64>
        %143 = stablehlo.constant dense<45> : tensor<ui64>
        %144 = stablehlo.shift_left %139, %143 : tensor<ui64>
        %145 = stablehlo.constant dense<19> : tensor<ui64>
        %146 = stablehlo.shift_right_logical %139, %145 : tensor<ui64>
        %147 = stablehlo.or %144, %146 : tensor<ui64>
        %148 = stablehlo.constant dense<11> : tensor<ui64>
        %149 = stablehlo.shift_right_logical %135, %148 : tensor<ui64>
        %150 = stablehlo.convert %149 : (tensor<ui64>) -> tensor<f64>
        %151 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
        %152 = stablehlo.multiply %150, %151 : tensor<f64>
        %153 = stablehlo.constant dense<0.5> : tensor<f64>
        %154 = stablehlo.subtract %152, %153 : tensor<f64>
        %155 = stablehlo.constant dense<1> : tensor<i64>
        %156 = stablehlo.subtract %c123_0, %155 : tensor<i64>
        %157 = stablehlo.constant dense<1> : tensor<i64>
        %158 = stablehlo.compare GE, %c123_0, %157 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %159 = stablehlo.constant dense<5> : tensor<i64>
        %160 = stablehlo.compare LE, %c123_0, %159 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %161 = stablehlo.and %158, %160 : tensor<i1>
        "weft.check"(%161, %c123_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %162 = stablehlo.constant dense<1> : tensor<i64>
        %163 = stablehlo.subtract %c127_0, %162 : tensor<i64>
        %164 = stablehlo.constant dense<1> : tensor<i64>
        %165 = stablehlo.compare GE, %c127_0, %164 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %166 = stablehlo.constant dense<5> : tensor<i64>
        %167 = stablehlo.compare LE, %c127_0, %166 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %168 = stablehlo.and %165, %167 : tensor<i1>
        "weft.check"(%168, %c127_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %169 = stablehlo.reshape %154 : (tensor<f64>) -> tensor<1x1xf64>
        %170 = stablehlo.dynamic_update_slice %c127_1, %169, %156, %163 : (tensor<5x5xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<5x5xf64>
        %171 = stablehlo.constant dense<1> : tensor<i64>
        %172 = stablehlo.add %c127_0, %171 : tensor<i64>
        stablehlo.return %172, %170, %141, %140, %142, %147 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      }
      %173 = stablehlo.constant dense<1> : tensor<i64>
      %174 = stablehlo.add %c123_0, %173 : tensor<i64>
      stablehlo.return %174, %w127#1, %w127#2, %w127#3, %w127#4, %w127#5 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    }
    %175 = stablehlo.constant dense<0.0> : tensor<5x5xf64>
    %176 = stablehlo.constant dense<5> : tensor<i64>
    %177 = stablehlo.constant dense<1> : tensor<i64>
    %w178:6 = stablehlo.while(%c178_0 = %177, %c178_1 = %175, %c178_2 = %w123#2, %c178_3 = %w123#3, %c178_4 = %w123#4, %c178_5 = %w123#5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    cond {
      %179 = stablehlo.compare LE, %c178_0, %176 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %179 : tensor<i1>
    } do {
      %180 = stablehlo.constant dense<5> : tensor<i64>
      %181 = stablehlo.constant dense<1> : tensor<i64>
      %w182:6 = stablehlo.while(%c182_0 = %181, %c182_1 = %c178_1, %c182_2 = %c178_2, %c182_3 = %c178_3, %c182_4 = %c178_4, %c182_5 = %c178_5) : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      cond {
        %183 = stablehlo.compare LE, %c182_0, %180 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %183 : tensor<i1>
      } do {
        %184 = stablehlo.add %c182_2, %c182_5 : tensor<ui64>
        %185 = stablehlo.constant dense<23> : tensor<ui64>
        %186 = stablehlo.shift_left %184, %185 : tensor<ui64>
        %187 = stablehlo.constant dense<41> : tensor<ui64>
        %188 = stablehlo.shift_right_logical %184, %187 : tensor<ui64>
        %189 = stablehlo.or %186, %188 : tensor<ui64>
        %190 = stablehlo.add %189, %c182_2 : tensor<ui64>
        %191 = stablehlo.constant dense<17> : tensor<ui64>
        %192 = stablehlo.shift_left %c182_3, %191 : tensor<ui64>
        %193 = stablehlo.xor %c182_4, %c182_2 : tensor<ui64>
        %194 = stablehlo.xor %c182_5, %c182_3 : tensor<ui64>
        %195 = stablehlo.xor %c182_3, %193 : tensor<ui64>
        %196 = stablehlo.xor %c182_2, %194 : tensor<ui64>
        %197 = stablehlo.xor %193, %192 : tensor<ui64>
        %198 = stablehlo.constant dense<45> : tensor<ui64>
        %199 = stablehlo.shift_left %194, %198 : tensor<ui64>
        %200 = stablehlo.constant dense<19> : tensor<ui64>
        %201 = stablehlo.shift_right_logical %194, %200 : tensor<ui64>
        %202 = stablehlo.or %199, %201 : tensor<ui64>
        %203 = stablehlo.constant dense<11> : tensor<ui64>
        %204 = stablehlo.shift_right_logical %190, %203 : tensor<ui64>
        %205 = stablehlo.convert %204 : (tensor<ui64>) -> tensor<f64>
        %206 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
        %207 = stablehlo.multiply %205, %206 : tensor<f64>
        %208 = stablehlo.constant dense<0.5> : tensor<f64>
        %209 = stablehlo.subtract %207, %208 : tensor<f64>
        %210 = stablehlo.constant dense<1> : tensor<i64>
        %211 = stablehlo.subtract %c178_0, %210 : tensor<i64>
        %212 = stablehlo.constant dense<1> : tensor<i64>
        %213 = stablehlo.compare GE, %c178_0, %212 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %214 = stablehlo.constant dense<5> : tensor<i64>
        %215 = stablehlo.compare LE, %c178_0, %214 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %216 = stablehlo.and %213, %215 : tensor<i1>
        "weft.check"(%216, %c178_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %217 = stablehlo.constant dense<1> : tensor<i64>
        %218 = stablehlo.subtract %c182_0, %217 : tensor<i64>
        %219 = stablehlo.constant dense<1> : tensor<i64>
        %220 = stablehlo.compare GE, %c182_0, %219 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %221 = stablehlo.constant dense<5> : tensor<i64>
        %222 = stablehlo.compare LE, %c182_0, %221 : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %223 = stablehlo.and %220, %222 : tensor<i1>
        "weft.check"(%223, %c182_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
        %224 = stablehlo.reshape %209 : (tensor<f64>) -> tensor<1x1xf64>
        %225 = stablehlo.dynamic_update_slice %c182_1, %224, %211, %218 : (tensor<5x5xf64>, tensor<1x1xf64>, tensor<i64>, tensor<i64>) -> tensor<5x5xf64>
        %226 = stablehlo.constant dense<1> : tensor<i64>
        %227 = stablehlo.add %c182_0, %226 : tensor<i64>
        stablehlo.return %227, %225, %196, %195, %197, %202 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
      }
      %228 = stablehlo.constant dense<1> : tensor<i64>
      %229 = stablehlo.add %c178_0, %228 : tensor<i64>
      stablehlo.return %229, %w182#1, %w182#2, %w182#3, %w182#4, %w182#5 : tensor<i64>, tensor<5x5xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
    }
    %230 = stablehlo.concatenate %w13#1, %w68#1, %w123#1, %w178#1, dim = 0 : (tensor<5x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<20x5xf64>
    %231 = stablehlo.concatenate %w13#1, %w123#1, dim = 1 : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x10xf64>
    %232 = stablehlo.concatenate %w68#1, %w178#1, dim = 1 : (tensor<5x5xf64>, tensor<5x5xf64>) -> tensor<5x10xf64>
    %233 = stablehlo.concatenate %231, %232, dim = 0 : (tensor<5x10xf64>, tensor<5x10xf64>) -> tensor<10x10xf64>
    %234 = stablehlo.dot_general %230, %230, contracting_dims = [1] x [1] : (tensor<20x5xf64>, tensor<20x5xf64>) -> tensor<20x20xf64>
    %235 = stablehlo.dot_general %234, %234, contracting_dims = [1] x [0] : (tensor<20x20xf64>, tensor<20x20xf64>) -> tensor<20x20xf64>
    %236 = stablehlo.dot_general %235, %235, contracting_dims = [1] x [0] : (tensor<20x20xf64>, tensor<20x20xf64>) -> tensor<20x20xf64>
    %237 = stablehlo.constant dense<0.0> : tensor<f64>
    %238 = stablehlo.constant dense<20> : tensor<i64>
    %239 = stablehlo.constant dense<1> : tensor<i64>
    %w240:2 = stablehlo.while(%c240_0 = %239, %c240_1 = %237) : tensor<i64>, tensor<f64>
    cond {
      %241 = stablehlo.compare LE, %c240_0, %238 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %241 : tensor<i1>
    } do {
      %242 = stablehlo.constant dense<1> : tensor<i64>
      %243 = stablehlo.subtract %c240_0, %242 : tensor<i64>
      %244 = stablehlo.constant dense<1> : tensor<i64>
      %245 = stablehlo.compare GE, %c240_0, %244 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %246 = stablehlo.constant dense<20> : tensor<i64>
      %247 = stablehlo.compare LE, %c240_0, %246 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %248 = stablehlo.and %245, %247 : tensor<i1>
      "weft.check"(%248, %c240_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %249 = stablehlo.constant dense<1> : tensor<i64>
      %250 = stablehlo.subtract %c240_0, %249 : tensor<i64>
      %251 = stablehlo.constant dense<1> : tensor<i64>
      %252 = stablehlo.compare GE, %c240_0, %251 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %253 = stablehlo.constant dense<20> : tensor<i64>
      %254 = stablehlo.compare LE, %c240_0, %253 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %255 = stablehlo.and %252, %254 : tensor<i1>
      "weft.check"(%255, %c240_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %256 = stablehlo.dynamic_slice %236, %243, %250, sizes = [1, 1] : (tensor<20x20xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %257 = stablehlo.reshape %256 : (tensor<1x1xf64>) -> tensor<f64>
      %258 = stablehlo.add %c240_1, %257 : tensor<f64>
      %259 = stablehlo.constant dense<1> : tensor<i64>
      %260 = stablehlo.add %c240_0, %259 : tensor<i64>
      stablehlo.return %260, %258 : tensor<i64>, tensor<f64>
    }
    %261 = stablehlo.constant dense<1> : tensor<i64>
    %262 = stablehlo.subtract %c8_0, %261 : tensor<i64>
    %263 = stablehlo.constant dense<1> : tensor<i64>
    %264 = stablehlo.compare GE, %c8_0, %263 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %265 = stablehlo.constant dense<1000> : tensor<i64>
    %266 = stablehlo.compare LE, %c8_0, %265 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %267 = stablehlo.and %264, %266 : tensor<i1>
    "weft.check"(%267, %c8_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %268 = stablehlo.reshape %w240#1 : (tensor<f64>) -> tensor<1xf64>
    %269 = stablehlo.dynamic_update_slice %c8_1, %268, %262 : (tensor<1000xf64>, tensor<1xf64>, tensor<i64>) -> tensor<1000xf64>
    %270 = stablehlo.dot_general %233, %233, contracting_dims = [1] x [1] : (tensor<10x10xf64>, tensor<10x10xf64>) -> tensor<10x10xf64>
    %271 = stablehlo.dot_general %270, %270, contracting_dims = [1] x [0] : (tensor<10x10xf64>, tensor<10x10xf64>) -> tensor<10x10xf64>
    %272 = stablehlo.dot_general %271, %271, contracting_dims = [1] x [0] : (tensor<10x10xf64>, tensor<10x10xf64>) -> tensor<10x10xf64>
    %273 = stablehlo.constant dense<0.0> : tensor<f64>
    %274 = stablehlo.constant dense<10> : tensor<i64>
    %275 = stablehlo.constant dense<1> : tensor<i64>
    %w276:2 = stablehlo.while(%c276_0 = %275, %c276_1 = %273) : tensor<i64>, tensor<f64>
    cond {
      %277 = stablehlo.compare LE, %c276_0, %274 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %277 : tensor<i1>
    } do {
      %278 = stablehlo.constant dense<1> : tensor<i64>
      %279 = stablehlo.subtract %c276_0, %278 : tensor<i64>
      %280 = stablehlo.constant dense<1> : tensor<i64>
      %281 = stablehlo.compare GE, %c276_0, %280 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %282 = stablehlo.constant dense<10> : tensor<i64>
      %283 = stablehlo.compare LE, %c276_0, %282 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %284 = stablehlo.and %281, %283 : tensor<i1>
      "weft.check"(%284, %c276_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %285 = stablehlo.constant dense<1> : tensor<i64>
      %286 = stablehlo.subtract %c276_0, %285 : tensor<i64>
      %287 = stablehlo.constant dense<1> : tensor<i64>
      %288 = stablehlo.compare GE, %c276_0, %287 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %289 = stablehlo.constant dense<10> : tensor<i64>
      %290 = stablehlo.compare LE, %c276_0, %289 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %291 = stablehlo.and %288, %290 : tensor<i1>
      "weft.check"(%291, %c276_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
      %292 = stablehlo.dynamic_slice %272, %279, %286, sizes = [1, 1] : (tensor<10x10xf64>, tensor<i64>, tensor<i64>) -> tensor<1x1xf64>
      %293 = stablehlo.reshape %292 : (tensor<1x1xf64>) -> tensor<f64>
      %294 = stablehlo.add %c276_1, %293 : tensor<f64>
      %295 = stablehlo.constant dense<1> : tensor<i64>
      %296 = stablehlo.add %c276_0, %295 : tensor<i64>
      stablehlo.return %296, %294 : tensor<i64>, tensor<f64>
    }
    %297 = stablehlo.constant dense<1> : tensor<i64>
    %298 = stablehlo.subtract %c8_0, %297 : tensor<i64>
    %299 = stablehlo.constant dense<1> : tensor<i64>
    %300 = stablehlo.compare GE, %c8_0, %299 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %301 = stablehlo.constant dense<1000> : tensor<i64>
    %302 = stablehlo.compare LE, %c8_0, %301 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %303 = stablehlo.and %300, %302 : tensor<i1>
    "weft.check"(%303, %c8_0) {message = "BoundsError: attempt to access array at index [{}]"} : (tensor<i1>, tensor<i64>) -> ()
    %304 = stablehlo.reshape %w276#1 : (tensor<f64>) -> tensor<1xf64>
    %305 = stablehlo.dynamic_update_slice %c8_2, %304, %298 : (tensor<1000xf64>, tensor<1xf64>, tensor<i64>) -> tensor<1000xf64>
    %306 = stablehlo.constant dense<1> : tensor<i64>
    %307 = stablehlo.add %c8_0, %306 : tensor<i64>
    stablehlo.return %307, %269, %305, %w178#2, %w178#3, %w178#4, %w178#5 : tensor<i64>, tensor<1000xf64>, tensor<1000xf64>, tensor<ui64>, tensor<ui64>, tensor<ui64>, tensor<ui64>
  }
  %308 = stablehlo.constant dense<0.0> : tensor<f64>
  %309 = stablehlo.reduce(%w8#1 init: %308) applies stablehlo.add across dimensions = [0] : (tensor<1000xf64>, tensor<f64>) -> tensor<f64>
  %310 = stablehlo.constant dense<1000.0> : tensor<f64>
  %311 = stablehlo.divide %309, %310 : tensor<f64>
  %312 = stablehlo.broadcast_in_dim %311, dims = [] : (tensor<f64>) -> tensor<1000xf64>
  %313 = stablehlo.subtract %w8#1, %312 : tensor<1000xf64>
  %314 = stablehlo.multiply %313, %313 : tensor<1000xf64>
  %315 = stablehlo.constant dense<0.0> : tensor<f64>
  %316 = stablehlo.reduce(%314 init: %315) applies stablehlo.add across dimensions = [0] : (tensor<1000xf64>, tensor<f64>) -> tensor<f64>
  %317 = stablehlo.constant dense<999.0> : tensor<f64>
  %318 = stablehlo.divide %316, %317 : tensor<f64>
  %319 = stablehlo.sqrt %318 : tensor<f64>
  %320 = stablehlo.divide %319, %311 : tensor<f64>
  %321 = stablehlo.constant dense<0.0> : tensor<f64>
  %322 = stablehlo.reduce(%w8#2 init: %321) applies stablehlo.add across dimensions = [0] : (tensor<1000xf64>, tensor<f64>) -> tensor<f64>
  %323 = stablehlo.constant dense<1000.0> : tensor<f64>
  %324 = stablehlo.divide %322, %323 : tensor<f64>
  %325 = stablehlo.broadcast_in_dim %324, dims = [] : (tensor<f64>) -> tensor<1000xf64>
  %326 = stablehlo.subtract %w8#2, %325 : tensor<1000xf64>
  %327 = stablehlo.multiply %326, %326 : tensor<1000xf64>
  %328 = stablehlo.constant dense<0.0> : tensor<f64>
  %329 = stablehlo.reduce(%327 init: %328) applies stablehlo.add across dimensions = [0] : (tensor<1000xf64>, tensor<f64>) -> tensor<f64>
  %330 = stablehlo.constant dense<999.0> : tensor<f64>
  %331 = stablehlo.divide %329, %330 : tensor<f64>
  %332 = stablehlo.sqrt %331 : tensor<f64>
  %333 = stablehlo.divide %332, %324 : tensor<f64>
  return %320, %333 : tensor<f64>, tensor<f64>
}
