# What compiled code has in Julia for the host's functions, against the host's own: two ways to the same number.
using Test

# A NaN is like any other, also in parts.
alike(a::AbstractFloat, b::AbstractFloat) = isnan(a) ? isnan(b) : isequal(a, b) || isapprox(a, b; rtol = 8 * eps(typeof(a)), atol = 1e-320)
alike(a::Complex, b::Complex) = alike(a.re, b.re) && alike(a.im, b.im)
alike(a::Tuple, b::Tuple) = all(map(alike, a, b))
alike(a, b) = a === b
# The low parts may differ in their last bit.
function alike(a::StepRangeLen, b::StepRangeLen)
    (typeof(a) == typeof(b) && length(a) == length(b) && a.offset == b.offset) || return false
    places = filter(k -> 1 <= k <= length(a), [1, 2, 3, 7, 50, length(a)])
    return all(k -> isequal(a[k], b[k]), places)
end

const numbers = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.75, 1e-10, -1e-200, 1e10, -1e200, 20.0, 30.0, -710.0, 1e-310, Inf, -Inf, NaN]

@testset "complex functions" begin
    functions = [
        ("sinh", Base._compiled_complex_sinh, Base._complex_sinh),
        ("cosh", Base._compiled_complex_cosh, Base._complex_cosh),
        ("tanh", Base._compiled_complex_tanh, Base._complex_tanh),
        ("asin", Base._compiled_complex_asin, Base._complex_asin),
        ("acos", Base._compiled_complex_acos, Base._complex_acos),
        ("asinh", Base._compiled_complex_asinh, Base._complex_asinh),
        ("acosh", Base._compiled_complex_acosh, Base._complex_acosh),
        ("atanh", Base._compiled_complex_atanh, Base._complex_atanh),
    ]
    for (name, compiled, host) in functions
        bad = 0
        for x in numbers, y in numbers
            name == "tanh" && isinf(y) && isfinite(x) && continue
            name == "tanh" && isinf(y) && isinf(x) && continue
            z = Complex(x, y)
            ours, theirs = compiled(z), host(z)
            if !alike(ours, theirs)
                bad += 1
                bad <= 12 && println(name, z, " ", ours, " host ", theirs)
            end
        end
        @test bad == 0
    end
end

function differences(name, compiled, host, arguments)
    bad = 0
    for a in arguments
        theirs = try host(a...) catch e; e isa InterruptException ? rethrow() : "throws" end
        ours = try compiled(a...) catch e; "throws" end
        alike(ours, theirs) && continue
        bad += 1
        bad <= 12 && println(name, a, " ", ours, " host ", theirs)
    end
    return bad
end

@testset "floats" begin
    one_of = [(T(x),) for T in (Float64, Float32, Float16) for x in vcat(numbers, [0.3, 1.75, 1e-5, 6e-8, 1e5, 65504.0, 3e38])]
    for (name, compiled, host) in [
            ("eps", Base._compiled_eps, Base._eps), ("exponent", Base._compiled_exponent, Base._exponent),
            ("significand", Base._compiled_significand, Base._significand), ("frexp", Base._compiled_frexp, Base._frexp),
            ("modf", Base._compiled_modf, Base._modf), ("issubnormal", Base._compiled_issubnormal, Base._issubnormal)]
        @test differences(name, compiled, host, one_of) == 0
    end
    turns = [(T(x),) for T in (Float64, Float32) for x in [0.0, -0.0, 0.25, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, 1/3, 7.3, -12.75, 45, 60, 90, -180, 270, 1e6 + 0.25, 1e-300, NaN, Inf]]
    for (name, compiled, host) in [
            ("sinpi", Base._compiled_sinpi, Base._sinpi), ("cospi", Base._compiled_cospi, Base._cospi),
            ("sind", Base._compiled_sind, Base._sind), ("cosd", Base._compiled_cosd, Base._cosd),
            ("tanpi", Base._compiled_tanpi, Base._tanpi), ("tand", Base._compiled_tand, Base._tand),
            ("sincospi", Base._compiled_sincospi, Base._sincospi), ("sincosd", Base._compiled_sincosd, Base._sincosd)]
        @test differences(name, compiled, host, turns) == 0
    end
    powers = [(a..., n) for a in one_of for n in (0, 1, -1, 10, -10, 100, -130, 1000, -1000, 1100, -1074, 2000, -2200)]
    @test differences("ldexp", Base._compiled_ldexp, Base._ldexp, powers) == 0
    steps = [(a..., n) for a in one_of for n in (0, 1, -1, 5, -70, 10^6, typemax(Int), typemin(Int) + 1)]
    @test differences("nextfloat", Base._compiled_step_float, Base._nextfloat, steps) == 0
    pairs_of = [(a..., b...) for a in one_of for b in one_of if typeof(a) == typeof(b)]
    @test differences("rem", Base._compiled_rem_nearest, Base._rem_nearest, pairs_of) == 0
    @test differences("log", Base._compiled_log_base, Base._log_base, pairs_of) == 0
    @test differences("rem2pi", Base._compiled_rem2pi, Base._rem2pi, [(x, s) for x in (0.0, 1.0, -4.0, 7.0, 100.0, -1e5) for s in 0:3]) == 0
    products = [(a, b, c) for a in (1.0, 0.1, -3.7, 1e20, 1 / 3) for b in (1.0, 0.3, 1e-10, -7.1) for c in (0.0, 1.0, -0.03, 1e10, -1e-20, -a * b)]
    @test differences("fma", Base._compiled_fma, Base._fma, products) == 0
    @test differences("fma", Base._compiled_fma, Base._fma, [(Float32(a), Float32(b), Float32(c)) for (a, b, c) in products]) == 0
end

@testset "integers" begin
    whole = (T -> T[0, 1, 2, 3, 7, 12, 60, 100, typemax(T), typemax(T) - 1])
    signed_too = (T -> T <: Signed ? vcat(whole(T), T[-1, -2, -12, -100, typemin(T), typemin(T) + 1]) : whole(T))
    for T in (Int64, UInt64, Int32, UInt8, Int8)
        all_of = signed_too(T)
        two = [(a, b) for a in all_of for b in all_of]
        for (name, compiled, host) in [
                ("gcd", Base._compiled_gcd, Base._gcd), ("lcm", Base._compiled_lcm, Base._lcm),
                ("gcdx", Base._compiled_gcdx, Base._gcdx), ("checked_add", Base._compiled_checked_add, Base._checked_add),
                ("checked_sub", Base._compiled_checked_sub, Base._checked_sub), ("checked_mul", Base._compiled_checked_mul, Base._checked_mul),
                ("add_with_overflow", Base._compiled_add_with_overflow, Base._add_with_overflow),
                ("sub_with_overflow", Base._compiled_sub_with_overflow, Base._sub_with_overflow),
                ("mul_with_overflow", Base._compiled_mul_with_overflow, Base._mul_with_overflow)]
            @test differences(name, compiled, host, two) == 0
        end
        one_of = [(a,) for a in all_of]
        for (name, compiled, host) in [
                ("bswap", Base._compiled_bswap, Base._bswap), ("bitreverse", Base._compiled_bitreverse, Base._bitreverse),
                ("trailing_zeros", Base._compiled_trailing_zeros, Base._trailing_zeros),
                ("trailing_ones", Base._compiled_trailing_ones, Base._trailing_ones),
                ("leading_ones", Base._compiled_leading_ones, Base._leading_ones), ("isqrt", Base._compiled_isqrt, Base._isqrt),
                ("checked_neg", Base._compiled_checked_neg, Base._checked_neg), ("checked_abs", Base._compiled_checked_abs, Base._checked_abs)]
            @test differences(name, compiled, host, one_of) == 0
        end
        @test differences("bitrotate", Base._compiled_bitrotate, Base._bitrotate, [(a, k) for a in all_of for k in (0, 1, 5, -3, 64, 100)]) == 0
        @test differences("ndigits", Base._compiled_ndigits, Base._ndigits, [(a, b) for a in all_of for b in (2, 10, 16)]) == 0
        @test differences("powermod", Base._compiled_powermod, Base._powermod, [(a, p, m) for a in all_of for p in (0, 1, 2, 13, 100) for m in all_of]) == 0
        @test differences("checked_pow", Base._compiled_checked_pow, Base._checked_pow, [(a, p) for a in all_of for p in (0, 1, 2, 3, 20)]) == 0
        @test differences("factorial", Base._compiled_factorial, Base._factorial, [(T(n),) for n in (0, 1, 5, 20, 21, 25)]) == 0
        @test differences("binomial", Base._compiled_binomial, Base._binomial, [(T(n), T(k)) for n in (T <: Signed ? (-7, -1, 0, 5, 30, 62, 66) : (0, 5, 30, 62, 66)) for k in (0, 1, 2, 3, 5, 30, 33)]) == 0
    end
    @test differences("ndigits", Base._compiled_ndigits, Base._ndigits, [(n, b) for n in (0, 5, -5, 123, -999, 10^12) for b in (-2, -10)]) == 0
    for (S, U) in ((Int64, UInt64), (Int32, UInt32), (Int8, UInt64), (Int64, UInt8))
        mixed = vcat([(a, b) for a in signed_too(S) for b in whole(U)], [(b, a) for a in signed_too(S) for b in whole(U)])
        for (name, compiled, host) in [
                ("div", Base._unlike_idiv, Base._idiv), ("fld", Base._unlike_fld, Base._fld), ("cld", Base._unlike_cld, Base._cld),
                ("rem", Base._unlike_rem, Base._rem), ("mod", Base._unlike_mod, Base._mod)]
            @test differences(name, compiled, host, mixed) == 0
        end
    end
end

@testset "ranges" begin
    for T in (Float64, Float32, Float16)
        ends = filter(isfinite, T[0.0, 0.1, 0.3, 1.0, -1.0, 2.5, 1 / 3, -0.7, 10.0, 1e-3, 123.456, 1e15, π, 1e300])
        of_three = [(a, s, b) for a in ends for s in ends for b in ends if abs((b - a) / s) < 1e12]
        @test differences("colon", Base._compiled_float_colon, Base._float_colon, of_three) == 0
        counted = [(a, b, n) for a in ends for b in ends for n in (0, 1, 2, 3, 10, 101, 12345)]
        @test differences("range of steps", Base._compiled_float_step_range, Base._float_step_range, counted) == 0
        @test differences("range between", Base._compiled_float_range, Base._float_range, counted) == 0
    end
end

@testset "integers of 128 bits" begin
    for T in (Int128, UInt128)
        all_of = T[0, 1, 2, 7, 100, T(2)^63, T(2)^64 - 1, T(2)^64, T(2)^64 + 5, T(2)^100 + 12345, typemax(T), typemax(T) - 1]
        T === Int128 && append!(all_of, T[-1, -2, -7, -100, -T(2)^64, -T(2)^90 - 3, typemin(T), typemin(T) + 1])
        two = [(a, b) for a in all_of for b in all_of]
        small = [(a, b) for a in all_of for b in (0, 1, -1, 5, typemax(Int), typemin(Int), 0xff, typemax(UInt64), true)]
        swapped = [(b, a) for (a, b) in small]
        for (name, compiled, host) in [
                ("add", Base._wide_add, Base._add), ("sub", Base._wide_sub, Base._sub), ("mul", Base._wide_mul, Base._mul),
                ("and", Base._wide_and, Base._and), ("or", Base._wide_or, Base._or), ("xor", Base._wide_xor, Base._xor),
                ("eq", Base._wide_eq, Base._eq), ("ne", Base._wide_ne, Base._ne), ("lt", Base._wide_lt, Base._lt), ("le", Base._wide_le, Base._le),
                ("gt", Base._wide_gt, Base._gt), ("ge", Base._wide_ge, Base._ge), ("isless", Base._wide_isless, Base._isless),
                ("div", Base._wide_div, Base._div)]
            @test differences(name, compiled, host, vcat(two, small, swapped)) == 0
        end
        for (name, compiled, host) in [
                ("idiv", Base._wide_idiv, Base._idiv), ("fld", Base._wide_fld, Base._fld), ("cld", Base._wide_cld, Base._cld),
                ("rem", Base._wide_rem, Base._rem), ("mod", Base._wide_mod, Base._mod)]
            @test differences(name, compiled, host, two) == 0
        end
        one_of = [(a,) for a in all_of]
        for (name, compiled, host) in [
                ("neg", Base._wide_neg, Base._neg), ("abs", Base._wide_abs, Base._abs), ("sign", Base._wide_sign, Base._sign), ("not", Base._wide_not, Base._not),
                ("count_ones", Base._wide_count_ones, Base._count_ones), ("leading_zeros", Base._wide_leading_zeros, Base._leading_zeros),
                ("trailing_zeros", Base._wide_trailing_zeros, Base._trailing_zeros), ("bswap", Base._wide_bswap, Base._bswap),
                ("bitreverse", Base._wide_bitreverse, Base._bitreverse)]
            @test differences(name, compiled, host, one_of) == 0
        end
        shifts = [(a, n) for a in all_of for n in (0, 1, 63, 64, 65, 127, 128, 1000, -1, -64, -70, -200, 0x05, UInt64(200), Int8(-128))]
        for (name, compiled, host) in [("shl", Base._wide_shl, Base._shl), ("shr", Base._wide_shr, Base._shr), ("ushr", Base._wide_ushr, Base._ushr)]
            @test differences(name, compiled, host, shifts) == 0
        end
        types = (Int8, UInt8, Int64, UInt64, Int128, UInt128, Float64, Float32, Float16)
        @test differences("conversion", Base._wide_to_number, Base._to_number, [(S, a) for S in types for a in all_of]) == 0
        floats = Any[0.0, -0.0, 1.0, -1.0, 0.5, 1e18, -1e19, 0x1p64, 1e30, -1e38, 0x1p127, 0x1p128, -0x1p127, NaN, Inf, 3f10, Float16(7)]
        @test differences("conversion", Base._wide_to_number, Base._to_number, [(T, x) for x in vcat(floats, Any[0, -1, 7, 0xff, typemin(Int), typemax(UInt64)])]) == 0
        @test differences("wrap", Base._wide_wrap, Base._wrap, [(a, S) for a in all_of for S in (Int8, UInt8, Int64, UInt64, Int128, UInt128)]) == 0
        @test differences("power", Base._wide_pow, Base._pow, [(a, n) for a in all_of for n in (0, 1, 2, 3, 10)]) == 0
    end
end
