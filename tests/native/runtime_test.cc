// Threads, arenas, stacks and status of a call, as generated code uses them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "native/runtime/arena.h"
#include "native/runtime/parallel.h"
#include "native/runtime/symbols.h"

namespace weft::rt {
namespace {

struct ThreadCount {
  explicit ThreadCount(int threads) { weft_rt_set_thread_count(threads); }
  ~ThreadCount() { weft_rt_set_thread_count(0); }
};

TEST(Parallel, RunsEachPartOnceForAnyThreadCount) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadCount set(threads);
    for (int64_t parts : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<std::atomic<int>> runs(parts);
      std::atomic<bool> wrong_parts = false;
      parallel(parts, [&](int64_t part, int64_t of) {
        if (of != parts) wrong_parts = true;
        ++runs[part];
      });
      EXPECT_FALSE(wrong_parts);
      for (auto& count : runs) EXPECT_EQ(count, 1) << threads << " threads, " << parts << " parts";
    }
  }
}

TEST(Parallel, ManySectionsInARowSeeEachOthersWrites) {
  ThreadCount set(4);
  std::vector<int64_t> cell(4, 0);
  for (int section = 0; section < 5000; ++section) {
    // Each part reads what another part wrote in the section before.
    std::vector<int64_t> next(4);
    parallel(4, [&](int64_t part, int64_t) { next[part] = cell[(part + 1) % 4] + 1; });
    cell = next;
  }
  EXPECT_EQ(cell, std::vector<int64_t>(4, 5000));
}

TEST(Parallel, NestedSectionsRunOnTheSameThread) {
  ThreadCount set(3);
  std::atomic<int> inner = 0, strayed = 0;
  parallel(3, [&](int64_t, int64_t) {
    auto me = std::this_thread::get_id();
    parallel(5, [&](int64_t, int64_t) {
      ++inner;
      if (std::this_thread::get_id() != me) ++strayed;
      if (!weft_rt_in_section()) ++strayed;
    });
  });
  EXPECT_EQ(inner, 15);
  EXPECT_EQ(strayed, 0);
  EXPECT_EQ(weft_rt_in_section(), 0);
}

TEST(Parallel, ConcurrentCallersTakeTurns) {
  ThreadCount set(2);
  std::atomic<int> inside = 0, overlaps = 0, done = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 200; ++round) {
        int64_t sums[2] = {0, 0};
        parallel(2, [&](int64_t part, int64_t) {
          int others = inside.exchange(caller + 1);
          if (others != 0 && others != caller + 1) ++overlaps;
          sums[part] = part + round;
          done.fetch_add(1);
          if (done.load() % 2 == 0) inside = 0;
        });
        EXPECT_EQ(sums[0] + sums[1], 2 * round + 1);
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(done, 6 * 200 * 2);
  EXPECT_EQ(overlaps, 0);
}

TEST(Parallel, LibrarySectionKeepsOthersOut) {
  ThreadCount set(2);
  std::atomic<bool> ran = false;
  std::thread other;
  {
    SectionLock lock;
    EXPECT_EQ(weft_rt_in_section(), 1);
    other = std::thread([&] { parallel(2, [&](int64_t, int64_t) { ran = true; }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(ran);
    SectionLock inner;  // no deadlock
  }
  other.join();
  EXPECT_TRUE(ran);
}

TEST(ThreadCounts, StayWithinTheirLimits) {
  EXPECT_GE(cpu_count(), 1);
  EXPECT_GE(thread_count(), 1);
  EXPECT_LE(thread_count(), cpu_count());
  weft_rt_set_thread_count(1 << 30);
  EXPECT_EQ(thread_count(), int{WEFT_RT_MAX_THREADS});
  weft_rt_set_thread_count(0);
  EXPECT_LE(thread_count(), cpu_count());
}

TEST(Arena, IsReusedAlignedAndLargeEnough) {
  ArenaPool pool;
  void* first;
  {
    ArenaPool::Lease lease(pool, 1000);
    first = lease.data();
    EXPECT_GE(lease.capacity(), 1000u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % WEFT_RT_ALIGNMENT, 0u);
    std::memset(lease.data(), 1, lease.capacity());
  }
  {
    ArenaPool::Lease again(pool, 500), other(pool, 500);
    EXPECT_EQ(again.data(), first);
    EXPECT_NE(other.data(), first);
  }
  {
    ArenaPool::Lease large(pool, (size_t{5} << 20) + 3);
    EXPECT_GE(large.capacity(), (size_t{5} << 20) + 3);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % (2 << 20), 0u);
    std::memset(large.data(), 1, large.capacity());
  }
  ArenaPool::Lease empty(pool, 0);
  EXPECT_NE(empty.data(), nullptr);
  EXPECT_THROW(ArenaPool::Lease(pool, ~size_t{0} - 10), std::bad_alloc);
  EXPECT_THROW(ArenaPool::Lease(pool, size_t{1} << 62), std::bad_alloc);
}

TEST(Arena, ConcurrentLeasesNeverOverlap) {
  ArenaPool pool;
  std::atomic<int> spoiled = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 500; ++round) {
        ArenaPool::Lease lease(pool, 4096);
        auto* words = static_cast<int*>(lease.data());
        for (int at = 0; at < 1024; ++at) words[at] = caller;
        for (int at = 0; at < 1024; ++at) spoiled += words[at] != caller;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(spoiled, 0);
}

TEST(Stack, PopsWhatWasPushedLast) {
  std::mt19937 random(1);
  for (int64_t elem_bytes : {0, 1, 3, 4, 8, 16, 24, 33, 64, 100, 4096, 70000}) {
    CallContext call;
    weft_rt_stack* stack = weft_rt_stack_new(call.get(), elem_bytes, 0);
    std::vector<std::vector<char>> model;
    for (int step = 0; step < 3000; ++step) {
      // Long runs of pushes and of pops, so that several chunk borders are crossed both ways.
      bool is_push = model.empty() || (step / 400 % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0);
      std::vector<char> element(elem_bytes);
      if (is_push) {
        for (auto& byte : element) byte = static_cast<char>(random());
        ASSERT_EQ(weft_rt_stack_push(stack, element.data()), WEFT_RT_OK);
        model.push_back(element);
      } else {
        ASSERT_EQ(weft_rt_stack_pop(stack, element.data()), WEFT_RT_OK);
        ASSERT_EQ(element, model.back());
        model.pop_back();
      }
      ASSERT_EQ(weft_rt_stack_size(stack), static_cast<int64_t>(model.size()));
    }
  }
}

TEST(Stack, InlineFastPathsAgreeWithTheFunctions) {
  CallContext call;
  weft_rt_stack* stack = weft_rt_stack_new(call.get(), 8, 0);
  auto push = [&](int64_t value) {
    if (stack->cur != stack->end) {
      std::memcpy(stack->cur, &value, 8);
      stack->cur += stack->stride;
    } else {
      weft_rt_stack_push(stack, &value);
    }
  };
  auto pop = [&] {
    int64_t value = -1;
    if (stack->cur != stack->begin) {
      stack->cur -= stack->stride;
      std::memcpy(&value, stack->cur, 8);
    } else {
      weft_rt_stack_pop(stack, &value);
    }
    return value;
  };
  for (int64_t value = 0; value < 100000; ++value) push(value);
  for (int64_t value = 100000; value-- > 0;) ASSERT_EQ(pop(), value);
  EXPECT_EQ(call->status, WEFT_RT_OK);
}

TEST(Stack, LargeElementsAreAlignedInTheirSlots) {
  CallContext call;
  weft_rt_stack* stack = weft_rt_stack_new(call.get(), 100, 0);
  for (int step = 0; step < 1000; ++step)
    ASSERT_EQ(reinterpret_cast<uintptr_t>(weft_rt_stack_push_slot(stack)) % 64, 0u);
}

TEST(Stack, NestedStacksAreOwnedByTheOuterOne) {
  CallContext call;
  weft_rt_stack* outer = weft_rt_stack_new(call.get(), sizeof(weft_rt_stack*), 1);
  for (int64_t row = 0; row < 50; ++row) {
    weft_rt_stack* inner = weft_rt_stack_new(call.get(), 8, 0);
    for (int64_t at = 0; at < row; ++at) weft_rt_stack_push(inner, &at);
    weft_rt_stack_push(outer, &inner);
  }
  for (int64_t row = 49; row >= 25; --row) {
    weft_rt_stack* inner = nullptr;
    ASSERT_EQ(weft_rt_stack_pop(outer, &inner), WEFT_RT_OK);
    ASSERT_EQ(weft_rt_stack_size(inner), row);
    for (int64_t at = row, value; at-- > 0;) {
      ASSERT_EQ(weft_rt_stack_pop(inner, &value), WEFT_RT_OK);
      ASSERT_EQ(value, at);
    }
    weft_rt_stack_drop(inner);
  }
  weft_rt_stack_drop(outer);  // with 25 stacks still in it
  EXPECT_EQ(call->stacks, nullptr);
}

TEST(Stack, PopOfAnEmptyStackIsReported) {
  CallContext call;
  weft_rt_stack* stack = weft_rt_stack_new(call.get(), 8, 0);
  int64_t value = 42;
  EXPECT_EQ(weft_rt_stack_pop(stack, &value), WEFT_RT_STACK_EMPTY);
  EXPECT_EQ(value, 42);
  EXPECT_EQ(call->status, WEFT_RT_STACK_EMPTY);
  EXPECT_EQ(weft_rt_stack_new(call.get(), -1, 0), nullptr);
  EXPECT_EQ(call->status, WEFT_RT_STACK_EMPTY) << "the first report stays";
}

TEST(Stack, SteadyStateTakesChunksFromTheFreeList) {
  auto run = [] {
    CallContext call;
    for (int lane = 0; lane < 10; ++lane) {
      weft_rt_stack* stack = weft_rt_stack_new(call.get(), 24, 0);
      char element[24] = {};
      for (int step = 0; step < 5000; ++step) weft_rt_stack_push(stack, element);
    }  // left to the context, as on an error path
  };
  weft_rt_stack_trim();
  EXPECT_EQ(weft_rt_stack_cached_bytes(), 0u);
  run();
  size_t cached = weft_rt_stack_cached_bytes();
  EXPECT_GE(cached, 10u * 5000 * 24);
  run();
  EXPECT_EQ(weft_rt_stack_cached_bytes(), cached);
  weft_rt_stack_trim();
  EXPECT_EQ(weft_rt_stack_cached_bytes(), 0u);
}

TEST(Stack, PartsMayMakeTheirOwn) {
  ThreadCount set(4);
  CallContext call;
  std::atomic<int> wrong = 0;
  parallel(16, [&](int64_t part, int64_t) {
    weft_rt_stack* stack = weft_rt_stack_new(call.get(), 8, 0);
    for (int64_t step = 0; step < 2000; ++step) {
      int64_t value = part * 10000 + step;
      weft_rt_stack_push(stack, &value);
    }
    for (int64_t step = 2000, value; step-- > 0;) {
      weft_rt_stack_pop(stack, &value);
      wrong += value != part * 10000 + step;
    }
    if (part % 2) weft_rt_stack_drop(stack);
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Status, LowestRankWinsAndOfEqualRanksTheFirst) {
  CallContext call;
  EXPECT_EQ(call->status, WEFT_RT_OK);
  uint64_t values[10] = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  weft_rt_fail(call.get(), WEFT_RT_CHECK_FAILED, 5, 50, values, 2);
  weft_rt_fail(call.get(), WEFT_RT_CHECK_FAILED, 5, 51, values, 1);
  weft_rt_fail(call.get(), WEFT_RT_CHECK_FAILED, 9, 90, values, 1);
  EXPECT_EQ(call->site, 50);
  EXPECT_EQ(call->value_count, 2);
  EXPECT_EQ(call->values[1], 8u);
  weft_rt_fail(call.get(), WEFT_RT_CHECK_FAILED, 3, 30, values, 10);
  EXPECT_EQ(call->site, 30);
  EXPECT_EQ(call->value_count, int{WEFT_RT_MAX_CHECK_VALUES});
  EXPECT_EQ(call->values[7], 14u);
  EXPECT_EQ(call->values[7], 14u);
}

TEST(Status, ReportsOfPartsDoNotDependOnTheirOrder) {
  ThreadCount set(4);
  for (int round = 0; round < 50; ++round) {
    CallContext call;
    parallel(8, [&](int64_t part, int64_t) {
      uint64_t value = static_cast<uint64_t>(part) * 100;
      if (part >= 3) weft_rt_fail(call.get(), WEFT_RT_CHECK_FAILED, part, 1000 + part, &value, 1);
    });
    ASSERT_EQ(call->status, WEFT_RT_CHECK_FAILED);
    ASSERT_EQ(call->site, 1003);
    ASSERT_EQ(call->values[0], 300u);
  }
}

TEST(Symbols, AreNamedOnceAndHaveAddresses) {
  bool has_parallel = false;
  for (const Symbol& symbol : runtime_symbols()) {
    EXPECT_NE(symbol.address, nullptr) << symbol.name;
    if (std::strcmp(symbol.name, "weft_rt_parallel") == 0)
      has_parallel = symbol.address == reinterpret_cast<void*>(&weft_rt_parallel);
  }
  EXPECT_TRUE(has_parallel);
}

}  // namespace
}  // namespace weft::rt
