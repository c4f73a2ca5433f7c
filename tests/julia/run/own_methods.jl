# A program's own show, print, showerror, == and hash are used wherever Base prints and compares.
using Test, Printf

struct Celsius
    degrees::Float64
end
Base.show(io::IO, t::Celsius) = print(io, t.degrees, "°C")

struct Table
    rows::Vector{Int}
end
Base.show(io::IO, ::MIME"text/plain", t::Table) = print(io, "Table of ", length(t.rows), " rows")

struct Compact
    x::Float64
end
Base.show(io::IO, c::Compact) = print(io, get(io, :compact, false) ? "c" : "wide")

struct TooHot <: Exception
    at::Celsius
end
Base.showerror(io::IO, e::TooHot) = print(io, "too hot: ", e.at)

struct Point
    x::Int
    label::String
end
Base.:(==)(a::Point, b::Point) = a.x == b.x
Base.hash(a::Point, h::UInt) = hash(a.x, h)

@testset "own methods" begin
    @testset "show" begin
        t = Celsius(21.5)
        @test string(t) == "21.5°C"
        @test "now $t" == "now 21.5°C"
        @test repr(t) == "21.5°C"
        @test string([t, t]) == "Celsius[21.5°C, 21.5°C]"
        @test string((t, 1)) == "(21.5°C, 1)"
        @test string(Dict(:a => t)) == "Dict{Symbol, Celsius}(:a => 21.5°C)"
        @test sprint(print, "a", t) == "a21.5°C"
        @test join([t, t], " | ") == "21.5°C | 21.5°C"
        @test @sprintf("%s|%8s|", t, t) == "21.5°C|  21.5°C|"
        @test repr("text/plain", Table([1, 2])) == "Table of 2 rows"
        @test repr("text/plain", [t]) == "1-element Vector{Celsius}:\n 21.5°C"
        @test repr(Compact(1.0)) == "wide"
        @test sprint(show, Compact(1.0); context = :compact => true) == "c"
    end
    @testset "showerror" begin
        @test sprint(showerror, TooHot(Celsius(99.0))) == "too hot: 99.0°C"
        @test_throws "too hot" throw(TooHot(Celsius(99.0)))
        @test_throws TooHot(Celsius(99.0)) throw(TooHot(Celsius(99.0)))
    end
    @testset "keys" begin
        d = Dict(Point(1, "a") => 1)
        d[Point(1, "b")] = 2
        @test length(d) == 1
        @test d[Point(1, "c")] == 2
        @test haskey(Dict((Point(1, "a"), 2) => 3), (Point(1, "b"), 2))
        @test length(Set([Point(1, "a"), Point(1, "b"), Point(2, "c")])) == 2
        @test Point(2, "") in Set([Point(2, "x")])
        @test length(IdDict(Point(1, "a") => 1, Point(1, "b") => 2)) == 2
    end
end

@testset "streams" begin
    io = IOBuffer()
    @test write(io, "JuliaLang", UInt8(0x21)) == 10
    @test String(take!(io)) == "JuliaLang!"
    io = IOBuffer("first\nsecond\r\n\nlast")
    @test readline(io) == "first"
    @test readline(io; keep = true) == "second\r\n"
    @test readlines(io) == ["", "last"]
    @test eof(io)
    @test readuntil(IOBuffer("JuliaLang"), 'L') == "Julia"
    @test countlines(IOBuffer("a.b.c"); eol = '.') == 3
    mktempdir() do folder
        path = joinpath(folder, "a.txt")
        @test !isfile(path)
        open(io -> println(io, "one"), path, "w")
        open(io -> print(io, "two"), path, "a")
        @test read(path, String) == "one\ntwo"
        @test collect(eachline(path)) == ["one", "two"]
        @test (basename(path), dirname(path), splitext(path)[2]) == ("a.txt", folder, ".txt")
    end
end

@testset "decimals" begin
    @test @sprintf("%.20f", 0.1) == "0.10000000000000000555"
    @test @sprintf("%.0f %.0f", 0.5, 1.5) == "0 2"
    @test @sprintf("%+d|% d|%05d|%-5d|%x|%X|%#o", 7, 7, 7, 7, 255, 255, 8) == "+7| 7|00007|7    |ff|FF|010"
    @test @sprintf("%*d|%.*f", 4, 7, 2, 3.14159) == "   7|3.14"
    @test @sprintf("%e %g %g", 12345.678, 1.0e-5, 100000.0) == "1.234568e+04 1e-05 100000"
    @test @sprintf("%5.1f|%s|%%", Inf, nothing) == "  Inf|nothing|%"
    @test_throws ArgumentError Printf.format(Printf.Format("%d"), 1, 2)
end
