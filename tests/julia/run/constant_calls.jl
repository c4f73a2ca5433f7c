# Calls whose arguments are all constants still run the program's functions each time: they may draw, count, print and read what changes.
using Random, Test

const visits = [0]
const table = [1.0, 2.0, 3.0]
visit(x) = (visits[1] += 1; x)
visited() = sum(x -> (visits[1] += 1; x), 1:3)
visited_by_name() = mapreduce(visit, +, 1:3)
drawn() = sum(rand() for _ in 1:4)
drawn_one_by_one() = [rand(), rand(), rand(), rand()]
looked_up() = sum(i -> table[i], 1:3)
collected() = [table[i] for i in 1:3]

@testset "functions of the program among constants" begin
    @test visited() == 6 && visited() == 6 && visited_by_name() == 6
    @test visits == [9]
    @test looked_up() == 6 && collected() == [1, 2, 3]
    table[2] = 50
    @test looked_up() == 54 && collected() == [1, 50, 3]
    Random.seed!(1)
    first, second = drawn(), drawn()
    @test first != second
    Random.seed!(1)
    @test [first, second] ≈ [sum(drawn_one_by_one()), sum(drawn_one_by_one())]
end

# One function of the grid is long: compiling must not run it for all of its points.
function escape(c, limit)
    z = zero(c)
    for n in 1:limit
        abs2(z) > 4 && return n - 1
        z = z^2 + c
    end
    limit
end
escapes(w, h; limit = 100) =
    [escape(complex(x, y), limit) for y in range(-1.2, 1.2, length = h), x in range(-2, 0.6, length = w)]
@testset "grids" begin
    counts = escapes(27, 25)
    @test size(counts) == (25, 27)
    @test counts == reverse(counts, dims = 1)               # the set is symmetric
    @test counts[13, 21] == counts[13, 11] == 100           # 0 and -1 are in it
    @test counts[1, 1] == 1                                 # |-2 - 1.2i| > 2
end
