# Tables of text, one row a line.
module DelimitedFiles

export readdlm, writedlm

function _write_cell(io::IO, x, quotes::Bool)
    if quotes && x isa AbstractString && (occursin('"', x) || occursin('\n', x))
        print(io, '"', replace(x, '"' => "\"\""), '"')
    else
        print(io, x)
    end
end
function _write_row(io::IO, row, dlm, quotes::Bool)
    first_cell = true
    for x in row
        first_cell || print(io, dlm)
        first_cell = false
        _write_cell(io, x, quotes)
    end
    println(io)
end
function writedlm(io::IO, a::AbstractMatrix, dlm = '\t'; quotes::Bool = true)
    for i in axes(a, 1)
        _write_row(io, (a[i, j] for j in axes(a, 2)), dlm, quotes)
    end
end
function writedlm(io::IO, a::AbstractVector, dlm = '\t'; quotes::Bool = true)
    for row in a
        row isa AbstractString || row isa Number ? _write_row(io, (row,), dlm, quotes) : _write_row(io, row, dlm, quotes)
    end
end
function writedlm(io::IO, itr, dlm = '\t'; quotes::Bool = true)
    for row in itr
        row isa AbstractString || row isa Number ? _write_row(io, (row,), dlm, quotes) : _write_row(io, row, dlm, quotes)
    end
end
writedlm(path::AbstractString, a, dlm = '\t'; quotes::Bool = true) = open(io -> writedlm(io, a, dlm; quotes = quotes), path, "w")

function _cells(line::AbstractString, dlm)
    dlm === nothing && return String[String(c) for c in split(line)]
    out = String[]
    cell = Char[]
    inside = false
    for c in line
        if c == '"'
            inside = !inside
        elseif c == dlm && !inside
            push!(out, String(cell))
            cell = Char[]
        else
            push!(cell, c)
        end
    end
    push!(out, String(cell))
    return out
end
function _numeric(s::AbstractString)
    t = strip(s)
    x = tryparse(Float64, t)
    x === nothing || return x
    t == "true" && return true
    t == "false" && return false
    return String(s)
end
function _table(text::AbstractString, dlm, eol, T; header = false, skipstart = 0, skipblanks = true, comments = false, comment_char = '#')
    lines = [endswith(l, '\r') ? chop(l) : l for l in split(text, eol)]
    !isempty(lines) && isempty(lines[end]) && pop!(lines)
    lines = lines[skipstart+1:end]
    comments && (lines = [rstrip(split(l, comment_char)[1]) for l in lines])
    skipblanks && (lines = [l for l in lines if !isempty(strip(l))])
    rows = [_cells(l, dlm) for l in lines]
    head = header ? reshape([strip(c) for c in popfirst!(rows)], 1, :) : nothing
    columns = isempty(rows) ? 0 : maximum(length, rows)
    cells = Matrix{Any}(undef, length(rows), columns)
    for i in 1:length(rows), j in 1:columns
        s = j <= length(rows[i]) ? rows[i][j] : ""
        cells[i, j] = T === nothing || T === Any ? _numeric(s) : T <: AbstractString ? s : T === Char ? only(s) : parse(T, strip(s))
    end
    data = T === nothing ? (all(x -> x isa Float64, cells) ? Matrix{Float64}(cells) : all(x -> x isa Bool, cells) && !isempty(cells) ? Matrix{Bool}(cells) : cells) :
        Matrix{T}(cells)
    return header ? (data, Matrix{AbstractString}(head)) : data
end
readdlm(source, T::Type; options...) = _table(_source_text(source), nothing, '\n', T; options...)
readdlm(source, dlm::AbstractChar, T::Type; options...) = _table(_source_text(source), dlm, '\n', T; options...)
readdlm(source, dlm::AbstractChar, T::Type, eol::AbstractChar; options...) = _table(_source_text(source), dlm, eol, T; options...)
readdlm(source, dlm::AbstractChar, eol::AbstractChar; options...) = _table(_source_text(source), dlm, eol, nothing; options...)
readdlm(source, dlm::AbstractChar; options...) = _table(_source_text(source), dlm, '\n', nothing; options...)
readdlm(source; options...) = _table(_source_text(source), nothing, '\n', nothing; options...)
_source_text(io::IO) = read(io, String)
_source_text(path::AbstractString) = read(path, String)

end
