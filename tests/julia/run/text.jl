# Strings, characters, interpolation, printing.
using Test, Printf

@testset "text" begin
    name, n = "Weft", 3
    @test "Hello $name, $(n + 1)" == "Hello Weft, 4"
    @test "a" * "b" == "ab" && "ab"^3 == "ababab" && string(1, "x", :y) == "1xy"
    s = "naïve ∀"
    @test length(s) == 7 && s[1] == 'n' && s[end] == '∀' && ncodeunits(s) == 10
    @test first(s, 2) == "na" && last(s, 1) == "∀" && s[1:2] == "na"
    @test_throws StringIndexError s[4]
    @test collect("abc") == ['a', 'b', 'c'] && reverse("abc") == "cba"
    @test uppercase("abc") == "ABC" && lowercase("ABC") == "abc" && titlecase("ab cd") == "Ab Cd"
    @test strip("  x ") == "x" && lstrip("  x") == "x" && rstrip("x \n") == "x" && chomp("x\n") == "x"
    @test split("a,b,,c", ",") == ["a", "b", "", "c"] && split(" a  b ") == ["a", "b"]
    @test join([1, 2, 3], ", ") == "1, 2, 3" && join(["a", "b", "c"], ", ", " and ") == "a, b and c"
    @test replace("banana", "a" => "o") == "bonono" && occursin("nan", "banana")
    @test startswith("abc", "ab") && endswith("abc", "bc") && contains("abc", "b")
    @test findfirst("na", "banana") == 3:4 && findfirst('a', "banana") == 2 && findnext('a', "banana", 3) == 4
    @test lpad(7, 3) == "  7" && rpad("a", 3, '.') == "a.." && lpad("7", 3, "0") == "007"
    @test 'a' + 1 == 'b' && 'z' - 'a' == 25 && Int('A') == 65 && Char(66) == 'B'
    @test isdigit('7') && isletter('x') && isuppercase('A') && isspace(' ')
    @test "a" < "b" && cmp("a", "b") == -1 && "apple" < "banana" && isless("a", "aa")
    @test repr("a\n\"b\"") == "\"a\\n\\\"b\\\"\"" && repr('x') == "'x'" && repr(:a) == ":a"
    @test raw"a\b" == "a\\b" && "\u2200" == "∀" && "a\tb"[2] == '\t'
    @test """
        two
          lines
        """ == "two\n  lines\n"
    @test Symbol("a", 1) == :a1 && String(:abc) == "abc"
    @test isempty("") && !isempty(" ")
    @test parse.(Int, split("3 1 2")) == [3, 1, 2]
    @test [c for c in "héllo" if c != 'l'] == ['h', 'é', 'o']
    @test eachindex("aé") |> collect == [1, 2]
    @test chop("abc") == "ab" && string('a', 'b') == "ab"
    @test count(==('a'), "banana") == 3
    @test codeunits("A")[1] == 0x41
end

@testset "formats" begin
    @test @sprintf("%d %5d|%-5d|%05d", 42, 42, 42, 42) == "42    42|42   |00042"
    @test @sprintf("%.3f %e %g", π, 12345.678, 0.0001) == "3.142 1.234568e+04 0.0001"
    @test @sprintf("%s-%c-%x-%%", "ab", 'z', 255) == "ab-z-ff-%"
    @test @sprintf("%+d % d", 5, 5) == "+5  5"
    @test sprint(print, 1.5) == "1.5"
    @test sprint(show, "x") == "\"x\""
    io = IOBuffer()
    println(io, "a", 1)
    print(io, [1, 2])
    @test String(take!(io)) == "a1\n[1, 2]"
    @test repr([1.0, 2.5]) == "[1.0, 2.5]"
    @test repr((1, "a", :b)) == "(1, \"a\", :b)"
    @test repr((a = 1, b = 2.0)) == "(a = 1, b = 2.0)"
    @test repr(1:3) == "1:3" && repr(Dict(1 => 2)) == "Dict(1 => 2)"
    @test repr(nothing) == "nothing" && string(nothing) == "nothing"
    @test repr([true, false]) == "Bool[1, 0]"
    @test repr(Float32(1.5)) == "1.5f0"
    @test sprint(show, MIME("text/plain"), [1 2; 3 4]) == "2×2 Matrix{Int64}:\n 1  2\n 3  4"
end
