# Strings, characters, symbols and commands.
name = "world"
println("hello, $name! $(1 + 2) \$ \" \\ \x41 \u2200 \U1F600 \101 \e[0m")
println("nested $("inner $(name * "!")") end", 'c', '\'', '"', '\n', 'α', '\u03b1')
text = """
    first line
      indented $name
    last "quoted" line
    """
tight = """a
    b"""
joined = "a long \
          line"
raw"C:\path\$name"
r"^\d+(?:\.\d*)?$"im
b"bytes\x00"
v"1.12.0"
raw"""
  keeps \n
  """
cmd = `ls -l $name "a b"`
more = ```
echo "x"
```
sym = :name, :+, :(a + b), :end, :(=), :.+, :[1, 2]
var"odd name!" = 3
var"odd name!" + 1
html"<b>"s
@doc raw"docs for f" f
"docs" g(x) = x
"""
docs for h with $name
"""
function h end
isempty("") && 'a' < 'b'
x' * 'y'
s = "tab\tand unicode: ∀x∈ℝ: ⌈x⌉ = −⌊−x⌋"
