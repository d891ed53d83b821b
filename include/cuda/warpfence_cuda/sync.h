// SPDX-License-Identifier: Apache-2.0
// Block and warp barriers, fences, clocks, waiting. Each function is the instruction that nvcc
// makes of it.
// (__syncthreads is a builtin of clang: bar.sync 0.)
#ifndef WF_CUDA_SYNC_H
#define WF_CUDA_SYNC_H

#include "common.h"

#define WF_BAR_RED_PRED(name, op)                                                                  \
    WF_DEV int name(int predicate)                                                                 \
    {                                                                                              \
        int r;                                                                                     \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." op ".pred q, 0, p; "      \
                     "selp.b32 %0, 1, 0, q; }"                                                     \
                     : "=r"(r)                                                                     \
                     : "r"(predicate)                                                              \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
WF_BAR_RED_PRED(__syncthreads_and, "and")
WF_BAR_RED_PRED(__syncthreads_or, "or")
#undef WF_BAR_RED_PRED

WF_DEV int __syncthreads_count(int predicate)
{
    int r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(r)
                 : "r"(predicate)
                 : "memory");
    return r;
}

WF_DEV void __syncwarp(unsigned int mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

WF_DEV void __threadfence_block()
{
    asm volatile("membar.cta;" ::: "memory");
}
WF_DEV void __threadfence()
{
    asm volatile("membar.gl;" ::: "memory");
}
WF_DEV void __threadfence_system()
{
    asm volatile("membar.sys;" ::: "memory");
}

WF_DEV void __nanosleep(unsigned int ns)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}
WF_DEV void __trap()
{
    asm volatile("trap;");
}
WF_DEV void __brkpt()
{
    asm volatile("brkpt;");
}
#define __prof_trigger(n) asm volatile("pmevent %0;" ::"n"(n))
WF_DEV void __exit()
{
    asm volatile("exit;");
}

WF_DEV long long clock64()
{
    long long r;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(r)::"memory");
    return r;
}
// nvcc reads the 64-bit counter here too.
typedef long wf_clock_t;
WF_DEV wf_clock_t clock()
{
    return clock64();
}
WF_DEV unsigned long long __globaltimer()
{
    unsigned long long r;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(r)::"memory");
    return r;
}

// Programmatic dependent launch and clusters.
WF_DEV void cudaTriggerProgrammaticLaunchCompletion()
{
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
WF_DEV void cudaGridDependencySynchronize()
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
WF_DEV void __cluster_barrier_arrive()
{
    asm volatile("barrier.cluster.arrive;" ::: "memory");
}
WF_DEV void __cluster_barrier_arrive_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
WF_DEV void __cluster_barrier_wait()
{
    asm volatile("barrier.cluster.wait;" ::: "memory");
}

// Votes, match, reduce.
#define WF_VOTE(name, op)                                                                          \
    WF_DEV int name(unsigned int mask, int predicate)                                              \
    {                                                                                              \
        int r;                                                                                     \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." op ".pred q, p, %2; "   \
                     "selp.b32 %0, 1, 0, q; }"                                                     \
                     : "=r"(r)                                                                     \
                     : "r"(predicate), "r"(mask)                                                   \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
WF_VOTE(__all_sync, "all")
WF_VOTE(__any_sync, "any")
WF_VOTE(__uni_sync, "uni")
#undef WF_VOTE

WF_DEV unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    unsigned int r;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(r)
                 : "r"(predicate), "r"(mask)
                 : "memory");
    return r;
}

WF_DEV unsigned int __activemask()
{
    unsigned int r;
    asm volatile("activemask.b32 %0;" : "=r"(r)::"memory");
    return r;
}

#define WF_MATCH(T, bits, c)                                                                       \
    WF_DEV unsigned int __match_any_sync(unsigned int mask, T value)                               \
    {                                                                                              \
        unsigned int r;                                                                            \
        asm volatile("match.any.sync.b" bits " %0, %1, %2;"                                        \
                     : "=r"(r)                                                                     \
                     : c(value), "r"(mask)                                                         \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }                                                                                              \
    WF_DEV unsigned int __match_all_sync(unsigned int mask, T value, int *predicate)               \
    {                                                                                              \
        unsigned int r;                                                                            \
        int p;                                                                                     \
        asm volatile("{ .reg .pred q; match.all.sync.b" bits " %0|q, %2, %3; "                     \
                     "selp.b32 %1, 1, 0, q; }"                                                     \
                     : "=r"(r), "=r"(p)                                                            \
                     : c(value), "r"(mask)                                                         \
                     : "memory");                                                                  \
        *predicate = p;                                                                            \
        return r;                                                                                  \
    }
WF_MATCH(int, "32", "r")
WF_MATCH(unsigned int, "32", "r")
WF_MATCH(long, "64", "l")
WF_MATCH(unsigned long, "64", "l")
WF_MATCH(long long, "64", "l")
WF_MATCH(unsigned long long, "64", "l")
WF_MATCH(float, "32", "f")
WF_MATCH(double, "64", "d")
#undef WF_MATCH

#define WF_REDUX(name, T, op)                                                                      \
    WF_DEV T name(unsigned int mask, T value)                                                      \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;"                                               \
                     : "=r"(r)                                                                     \
                     : "r"(value), "r"(mask)                                                       \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
WF_REDUX(__reduce_add_sync, unsigned int, "add.u32")
WF_REDUX(__reduce_add_sync, int, "add.s32")
WF_REDUX(__reduce_min_sync, unsigned int, "min.u32")
WF_REDUX(__reduce_min_sync, int, "min.s32")
WF_REDUX(__reduce_max_sync, unsigned int, "max.u32")
WF_REDUX(__reduce_max_sync, int, "max.s32")
WF_REDUX(__reduce_and_sync, unsigned int, "and.b32")
WF_REDUX(__reduce_or_sync, unsigned int, "or.b32")
WF_REDUX(__reduce_xor_sync, unsigned int, "xor.b32")
#undef WF_REDUX

#endif
