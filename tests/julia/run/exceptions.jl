# try, catch, finally; what is thrown and what it says.
using Test

message(f) =
    try
        f()
        "nothing"
    catch e
        sprint(showerror, e)
    end

function order()
    steps = String[]
    try
        push!(steps, "try")
        error("x")
    catch
        push!(steps, "catch")
    else
        push!(steps, "else")
    finally
        push!(steps, "finally")
    end
    steps
end

function returns_early()
    steps = Int[]
    for i in 1:3
        try
            i == 2 && continue
            i == 3 && return steps
            push!(steps, i)
        finally
            push!(steps, 10i)
        end
    end
end

struct Broke <: Exception
    amount::Int
end
Base.showerror(io::IO, e::Broke) = print(io, "Broke: ", e.amount, " short")

@testset "exceptions" begin
    @test order() == ["try", "catch", "finally"]
    @test returns_early() == [1, 10, 20, 30]
    @test (try 1 catch; 2 end) == 1
    @test (try error("a") catch; 2 end) == 2
    @test message(() -> error("bad ", 1)) == "bad 1"
    @test message(() -> [1, 2][3]) == "BoundsError: attempt to access 2-element Vector{Int64} at index [3]"
    @test message(() -> div(1, 0)) == "DivideError: integer division error"
    @test message(() -> Int(1.5)) == "InexactError: Int64(1.5)"
    @test message(() -> Dict(1 => 2)[3]) == "KeyError: key 3 not found"
    @test startswith(message(() -> sqrt(-1.0)), "DomainError with -1.0:")
    @test message(() -> throw(Broke(3))) == "Broke: 3 short"
    @test message(() -> throw(ArgumentError("no"))) == "ArgumentError: no"
    @test startswith(message(() -> undefined_name), "UndefVarError: `undefined_name` not defined")
    @test startswith(message(() -> sin("a")), "MethodError: no method matching sin(::String)")
    @test message(() -> (1)::String) == "TypeError: in typeassert, expected String, got a value of type Int64"
    @test message(() -> [1 2] * [3 4]) |> m -> startswith(m, "DimensionMismatch: ")
    @test message(() -> @assert 1 == 2) == "AssertionError: 1 == 2"
    @test message(() -> @assert false "text") == "AssertionError: text"
    @test message(() -> (1, 2)[3]) == "BoundsError: attempt to access Tuple{Int64, Int64} at index [3]"
    @test_throws Broke throw(Broke(1))
    @test_throws "short" throw(Broke(1))
    caught = nothing
    try
        try
            throw(Broke(1))
        catch e
            rethrow()
        end
    catch e
        caught = e
    end
    @test caught == Broke(1)
    deep(n) = n + deep(n + 1)
    @test_throws StackOverflowError deep(1)
    @test (try "x" finally end) == "x"
    @test_throws ErrorException error()
    @test_throws TypeError findall([1])
    @test_throws TypeError count([1], dims = 1)
    @test_throws MethodError findmax([Set([1]), Set([2])])
end
