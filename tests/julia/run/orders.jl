# Orders that programs give.
using Test

# Orders with branches: of tuples, by several fields, by conditions.
struct Place
    x::Float64
    y::Float64
end
by_hand(v) = sort(v; lt=(a, b) -> a[1] == b[1] ? a[2] < b[2] : a[1] < b[1])
by_fields(v) = sort(v; by=p -> (p.x, -p.y))
by_parity(v) = sortperm(v; by=x -> isodd(x) ? -x : x)
@testset "orders with branches" begin
    @test by_hand([(2, 1), (1, 3), (1, 2)]) == [(1, 2), (1, 3), (2, 1)]
    @test by_fields([Place(2, 1), Place(1, 2), Place(1, 3)]) == [Place(1, 3), Place(1, 2), Place(2, 1)]
    @test by_parity([4, 3, 2, 1, 5]) == [5, 2, 4, 3, 1]
end
