# @with_kw and @unpack are part of the language as Weft lowers it.
module Parameters

export @with_kw, @with_kw_noshow, @unpack, @pack!, type2dict

type2dict(x) = Dict{Symbol,Any}(f => getfield(x, f) for f in fieldnames(typeof(x)))

end
