# Iterators of a program: what `iterate` says comes next, in loops and in what takes elements one by one.
using Test

struct Fib
    n::Int
end
Base.iterate(f::Fib, s=(1,1,1)) = s[3] > f.n ? nothing : (s[1], (s[2], s[1]+s[2], s[3]+1))
Base.length(f::Fib) = f.n
Base.eltype(::Type{Fib}) = Int
function loop(n)
    s = 0
    for x in Fib(n)
        iseven(x) && continue
        x > 100 && break
        s += x
    end
    s
end
firstbig(n, k) = begin
    for x in Fib(n)
        x > k && return x
    end
    -1
end
sums(n) = (sum(Fib(n)), maximum(Fib(n)), any(>(50), Fib(n)), all(>(0), Fib(n)), count(iseven, Fib(n)), foldl(-, Fib(n); init=0), 8 in Fib(n), prod(x for x in Fib(n)))
col() = (collect(Fib(10)), [x^2 for x in Fib(5)], collect(Float64, Fib(3)))
enumr(n) = (s = 0; for (i, x) in enumerate(Fib(n)); s += i*x; end; s)
zipr(n) = (s = 0; for (i, x) in zip(1:n, Fib(n)); s += i*x; end; s)
mutable struct Lcg
    s::UInt32
    n::Int
end
Base.iterate(l::Lcg, _=nothing) = l.n == 0 ? nothing : (l.n -= 1; l.s = l.s * 0x0019660d + 0x3c6ef35f; (l.s >> 16, nothing))
Base.IteratorSize(::Type{Lcg}) = Base.SizeUnknown()
Base.eltype(::Type{Lcg}) = UInt32
lcg(s, n) = (l = Lcg(s, n); t = UInt32(0); for x in l; t ⊻= x; end; (t, l.n))
struct Empty end
Base.iterate(::Empty, s=1) = nothing
Base.eltype(::Type{Empty}) = Int
Base.length(::Empty) = 0
em() = (t = 0; for x in Empty(); t += x; end; (t, sum(Empty())))
struct Halves
    x::Float64
end
Base.iterate(h::Halves, s=h.x) = s < 1e-3 ? nothing : (s, s/2)
Base.IteratorSize(::Type{Halves}) = Base.SizeUnknown()
Base.eltype(::Type{Halves}) = Float64
halves(x) = (sum(Halves(x)), maximum(Halves(x); init=0.0), length(collect(Halves(x))))
nested(n) = (s = 0; for a in Fib(n), b in Fib(a); s += a*b; end; s)

@testset "iterators of the program" begin
    @test loop(20) == 1 + 1 + 3 + 5 + 13 + 21 + 55 + 89
    @test firstbig(20, 50) == 55 && firstbig(5, 50) == -1
    @test sums(10) == (143, 55, true, true, 3, -143, true, 122522400)
    @test col() == ([1, 1, 2, 3, 5, 8, 13, 21, 34, 55], [1, 1, 4, 9, 25], [1.0, 1.0, 2.0])
    @test enumr(6) == zipr(6) == 1 + 2 + 6 + 12 + 25 + 48
    @test em() == (0, 0)
    @test halves(1.0) == (2 - 2.0^-9, 1.0, 10)
    @test nested(4) == 1 + 1 + 2 * (1 + 1) + 3 * (1 + 1 + 2)
    # The generator's own recurrence, by hand.
    s, t = UInt32(7), UInt32(0)
    for _ in 1:5
        s = s * 0x0019660d + 0x3c6ef35f
        t ⊻= s >> 16
    end
    @test lcg(UInt32(7), 5) == (t, 0)
end
