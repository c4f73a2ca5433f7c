# The names under which programs use the lazy iterators.

module Iterators
import ..Base
const Enumerate = Base.Enumerate
const Zip = Base.Zip
const Filter = Base.Filter
const Reverse = Base.Reverse
const Take = Base.Take
const Drop = Base.Drop
const TakeWhile = Base.TakeWhile
const DropWhile = Base.DropWhile
const Flatten = Base.Flatten
const Cycle = Base.Cycle
const Repeated = Base.Repeated
const Count = Base.Count
const Rest = Base.Rest
const ProductIterator = Base.ProductIterator
const PartitionIterator = Base.PartitionIterator
const Accumulate = Base.Accumulate
const zip = Base.zip
const enumerate = Base.enumerate
const rest = Base.lazy_rest
const peel = Base.peel
const countfrom = Base.countfrom
const take = Base.take
const drop = Base.drop
const takewhile = Base.takewhile
const dropwhile = Base.dropwhile
const cycle = Base.cycle
const repeated = Base.repeated
const product = Base.product
const flatten = Base.flatten
const flatmap = Base.flatmap
const partition = Base.partition
const only = Base.only
const Stateful = Base.Stateful
const reset! = Base.reset!
const nth = Base.nth
const filter = Base.lazy_filter
const map = Base.lazy_map
const reverse = Base.lazy_reverse
const accumulate = Base.lazy_accumulate
const isdone = Base.isdone
const pairs = Base.pairs
const IteratorSize = Base.IteratorSize
const IteratorEltype = Base.IteratorEltype
const HasLength = Base.HasLength
const HasShape = Base.HasShape
const SizeUnknown = Base.SizeUnknown
const IsInfinite = Base.IsInfinite
const HasEltype = Base.HasEltype
const EltypeUnknown = Base.EltypeUnknown
export enumerate, zip, rest, peel, countfrom, take, drop, takewhile, dropwhile, cycle, repeated, product, flatten, flatmap, partition,
    only
end

export Iterators
