# Modules, imports and scope of names.
module Shapes
export area, Disc
const RATIO = 3
struct Disc
    r::Int
end
area(d::Disc) = RATIO * d.r^2
hidden() = "hidden"
module Inner
using ..Shapes: Disc
make() = Disc(2)
end
end

using .Shapes
using .Shapes: hidden as secret
import .Shapes.Inner
using Test

module Extends
import ..Shapes: area
struct Box
    side::Int
end
area(b::Box) = b.side^2
end

const LIMIT = 10
total = 0
for i in 1:3
    global total += i
end

function shadows()
    total = 100
    total + 1
end
reads() = total

@testset "modules" begin
    @test area(Disc(2)) == 12
    @test secret() == "hidden"
    @test Shapes.hidden() == "hidden"
    @test area(Inner.make()) == 12
    @test area(Extends.Box(3)) == 9
    @test !isdefined(Main, :hidden)
    @test total == 6 && shadows() == 101 && reads() == 6
    @test Shapes.RATIO == 3
    @test nameof(Shapes) == :Shapes && parentmodule(Inner) == Shapes
    @test_throws UndefVarError Shapes.nothing_of_this_name
    @test LIMIT === 10
    f() = (local y = 1; let y = 2; y end + y)
    @test f() == 3
    @test (@__MODULE__) === Main
    @test @isdefined(LIMIT) && !@isdefined(never_defined)
end
