// What transforms of weft.lane_while have in common: its regions as functions, their work, and rows of lanes by number.
#pragma once
#include <memory>

#include "ops/builder.h"
#include "ops/control_flow/lane_cost.h"

namespace weft {

/// Whether a lane that is done may go through the ops of a region with the others: they have no effect, come to an end, call nothing and
/// have lane rules. `but`: ops at the region's top that are not looked at.
bool is_quiet(const Function& f, RegionId region, const std::vector<OpId>& but = {});

/// Whether the types of a weft.lane_while's operands and results have the very lanes of the op, rather than extents that only prove to be as many.
bool has_static_lanes(const OpView& op);

/// A region of a weft.lane_while as a function of one lane.
std::unique_ptr<Function> one_lane_region(const OpView& op, size_t region, const std::string& name);
/// The ops of g at the builder's place, for these arguments. Returns g's results.
std::vector<Value> inlined(const Function& g, OpBuilder& b, std::span<const Value> args);

/// The loop's operands for all lanes at once: what differs by lane has its lane axes as one, what is carried though it begins alike is spread
/// over it, the rest stays. `operands` stand for the op's own where the builder is.
std::vector<Value> on_one_lane_axis(OpBuilder& b, const OpView& op, std::span<const Value> operands, size_t carries,
                                    int64_t lanes);

/// The work of a turn where these operands differ by lane.
LaneWork lane_loop_work(const OpView& op, const std::vector<bool>& by_lane, int64_t lanes);
/// Bytes that a lane carries.
double lane_loop_bytes(const OpView& op);
/// Says on the op, for accounts, how its lanes run.
void note_lanes(Function& f, OpId op, const std::string& note);

/// Rows of x along axis 0 by numbers, a vector of i32; those out of range are the last.
Value take_rows(OpBuilder& b, Value x, Value numbers);
/// x with `values` in rows that differ; those out of range are left out.
Value put_rows(OpBuilder& b, Value x, Value numbers, Value values);

}  // namespace weft
