# Compiled functions as values. The macros @compile, @code_stablehlo and @code_hlo are lowered to calls of these.
module Weft

export @compile, @code_stablehlo, @code_hlo

struct Compiled{F} <: Function
    f::F
    code::Base.CompiledCode
end
_compiled(f, args...; options...) = Compiled(f, _compile(f, values(options), args...))
(c::Compiled)(args...; options...) = _run_compiled(c.code, c.f, values(options), args...)
Base.show(io::IO, c::Compiled) = print(io, "compiled ", _compiled_signature(c.code))
Base.show(io::IO, ::MIME"text/plain", c::Compiled) = show(io, c)

struct Code
    text::String
end
_code(f, args...; options...) = Code(_code_stablehlo(f, values(options), args...))
Base.show(io::IO, c::Code) = print(io, c.text)

end
