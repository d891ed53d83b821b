// SPDX-License-Identifier: Apache-2.0
// Sentences of the race checker. No logic but which words fit. See say.h.
#include "check/say.h"

#include <stdio.h>  // snprintf
#include <string.h> // strcmp

#include "check/where.h" // wf__where_common
#include "core/loc.h"    // wf_loc_user

#define SPOT 80 // bytes of a line's name

// With the file where it is not the one at the finding's head: frames of inlined library code.
static const char *line_of(char buf[SPOT], const struct wf_loc *l, const struct wf__pair *p)
{
    const struct wf_loc *head = wf_loc_user(p->x->site->loc);
    l = wf_loc_user(l);
    const char *slash = l->file ? strrchr(l->file, '/') : NULL;
    if (l->line && l->file && head->file && strcmp(l->file, head->file) != 0)
        snprintf(buf, SPOT, "%s:%u", slash ? slash + 1 : l->file, l->line);
    else if (l->line)
        snprintf(buf, SPOT, "line %u", l->line);
    else
        snprintf(buf, SPOT, "PTX line %u", l->ptx_line);
    return buf;
}

// The block's threads left the barrier in line `bar` last. Of the two lines one lies behind it and
// one before: the way from the one behind to the one before leads over the loop's back edge.
static bool goes_round(const struct wf__pair *p, uint32_t lo, uint32_t hi)
{
    const struct wf__block *b = p->x->w->block;
    const struct wf_loc *bar, *here;
    if (!p->one_function || !b->full_loc || p->e->base != b->full_base)
        return false;
    wf__where_common(b->full_loc, p->now, &bar, &here);
    return here == p->now && bar->function && here->function &&
           strcmp(bar->function, here->function) == 0 && lo < bar->line && bar->line < hi;
}

static void fix_with(const struct wf__pair *p, struct wf_finding *f, const char *barrier)
{
    char a[SPOT], b[SPOT];
    bool in_order = p->then->line <= p->now->line;
    const struct wf_loc *lo = in_order ? p->then : p->now, *hi = in_order ? p->now : p->then;
    bool lo_writes = in_order ? p->then_writes : p->now_writes;
    bool hi_writes = in_order ? p->now_writes : p->then_writes;
    line_of(a, lo, p);
    line_of(b, hi, p);
    if (!p->one_function)
        snprintf(f->fix, sizeof f->fix, "put %s on the way from %s to %s", barrier,
                 in_order ? a : b, in_order ? b : a);
    else if (lo->line == hi->line && lo_writes != hi_writes)
        snprintf(f->fix, sizeof f->fix,
                 "put %s between the reads of %s and the writes of other threads: before the next round and, if "
                 "a round reads what it writes, also within the line (read into a variable first)",
                 barrier, a);
    else if (lo->line == hi->line)
        snprintf(f->fix, sizeof f->fix,
                 "give each thread its own place to write in %s, or let one thread write", a);
    else if (goes_round(p, lo->line, hi->line))
        snprintf(
            f->fix, sizeof f->fix,
            "add %s after %s, at the end of the loop body: %s %s what %s of the next iteration "
            "%s",
            barrier, b, b, hi_writes ? "writes" : "reads", a, lo_writes ? "writes" : "reads");
    else
        snprintf(f->fix, sizeof f->fix, "put %s between %s and %s", barrier, a, b);
}

void wf__say_update(struct wf_finding *f, const struct wf_loc *at)
{
    char a[24];
    snprintf(a, sizeof a, "line %u", wf_loc_user(at)->line);
    snprintf(f->why, sizeof f->why,
             "%s reads, changes and writes the same place in several threads at once: updates can be lost", a);
    snprintf(f->fix, sizeof f->fix,
             "make the update in %s one atomic operation (atomicAdd and the like), or give each thread its own place", a);
    f->weight = 2;
}

static const char *act(bool writes, const struct wf_site *s)
{
    return s->is_atomic ? "atomic" : writes ? "write" : "read";
}

// Lanes of the other access's warp that are ordered before us though the one in question is not: a
// lane signalled for its warp.
static bool half_ordered(const struct wf__pair *p)
{
    const struct wf__warp *w = p->x->w;
    const struct wf__grid *g = w->block->grid;
    if (p->e->warp >= WF__AGENT || p->is_async || p->same_warp)
        return false;
    return wf__clk_covers(&g->cs, wf__lane_clk(w, p->lane), p->e->serial - g->serial0, p->e->warp,
                          UINT32_MAX, p->e->epoch) != 0;
}

// A plain word that one side writes after a fence and the other reads: a flag.
static bool is_plain_flag(const struct wf__pair *p)
{
    const struct wf__grid *g = p->x->w->block->grid;
    uint32_t index = p->e->serial - g->serial0;
    if (p->now_writes == p->then_writes || p->e->warp >= WF__AGENT || index >= g->n_blocks)
        return false;
    if (p->now_writes)
        return p->x->w->ext && p->x->w->ext->has_fence;
    for (const struct wf__block *b = g->blocks; b; b = b->next)
        if (b->serial == p->e->serial)
            return b->warp[p->e->warp].ext && b->warp[p->e->warp].ext->has_fence;
    struct wf__fence **last = g->cs.blk[index].last_sc[0];
    return last && last[p->e->warp * 32 + p->other];
}

static void say_flag(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    line_of(a, p->then, p);
    line_of(b, p->now, p);
    snprintf(f->why, sizeof f->why,
             "a plain access to a flag is a data race even with fences around it, and the compiler "
             "may read it once and never again");
    snprintf(f->fix, sizeof f->fix,
             "make the flag atomic: a release store in %s and an acquire load in %s "
             "(cuda::atomic_ref), or atomicExch and atomicAdd(&flag, 0) beside the fences",
             p->then_writes ? a : b, p->then_writes ? b : a);
}

// A copy under way, or one that its reader has not waited for; a and b name the earlier and the later access.
static void say_async(const struct wf__pair *p, struct wf_finding *f, const char *a, const char *b)
{
    if (p->x->flags & WF__ASYNC && !(p->e->flags & WF__ASYNC)) {
        snprintf(f->why, sizeof f->why,
                 "the copy may land from the moment it is issued, and nothing makes the access of line %u come before that",
                 wf_loc_user(p->then)->line);
        bool one_file = p->now->file && p->then->file && strcmp(p->now->file, p->then->file) == 0;
        if (!p->then_writes && one_file && p->now->line < p->then->line)
            snprintf(f->fix, sizeof f->fix,
                     "if %s reads what this copy brings, wait for it before (consumer_wait(), wait() of its barrier); if it reads "
                     "what an earlier one brought, put __syncthreads() between %s and the next copy in %s (consumer_release())",
                     a, a, b);
        else
            snprintf(f->fix, sizeof f->fix,
                     "put __syncthreads() between %s and the next copy in %s (with cuda::pipeline: consumer_release() after "
                     "the last read)",
                     a, b);
    } else if (p->e->warp >= WF__AGENT) {
        snprintf(f->why, sizeof f->why,
                 "an asynchronous copy is complete only for threads that have waited for the barrier object it completes on");
        snprintf(f->fix, sizeof f->fix, "wait for that barrier object (wait(), arrive_and_wait(), consumer_wait()) before %s", b);
    } else {
        snprintf(
            f->why, sizeof f->why,
            "an asynchronous copy is complete only after the thread that issued it has waited for "
            "it; a barrier does not wait for copies");
        snprintf(
            f->fix, sizeof f->fix,
            "wait for the copy (__pipeline_wait_prior(0) or cp.async.wait_all) before the barrier "
            "that stands between %s and %s",
            a, b);
    }
}

static void say_atomic(const struct wf__pair *p, struct wf_finding *f, const char *a, const char *b)
{
    snprintf(f->why, sizeof f->why,
             "an atomic operation is atomic to other atomic operations only, and no barrier or "
             "release/acquire pair comes between the two");
    const char *plain = p->x->site->is_atomic ? a : b;
    bool sets_anew = (p->x->site->is_add && p->then_writes) || (p->e->site->is_add && p->now_writes);
    const char *how = sets_anew ? " (by an addition, of a negative number if need be: an atomic store would lose others that come "
                                  "in between)" : "";
    if (p->same_block) {
        fix_with(p, f, p->same_warp ? "__syncwarp()" : "__syncthreads()");
        size_t n = strlen(f->fix);
        snprintf(f->fix + n, sizeof f->fix - n, ", or make the plain access in %s atomic too", plain);
    } else {
        snprintf(f->fix, sizeof f->fix, "make the plain access in %s atomic too%s, or order it", plain, how);
    }
}

void wf__say_race(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    line_of(a, p->then, p);
    line_of(b, p->now, p);
    bool same_thread = p->is_async && p->same_block && p->e->warp == p->x->w->index && p->other == p->lane;
    const char *who = same_thread     ? p->e->flags & WF__ASYNC ? "the same thread's asynchronous copy" : "the same thread"
                      : p->same_warp  ? "another lane of the same warp"
                      : p->same_block ? "another thread of the same block"
                                      : "a thread of another block";
    snprintf(f->sentence, sizeof f->sentence,
             "The %s in %s and the %s in %s by %s touch the same bytes and nothing orders them.",
             act(p->now_writes, p->x->site), b, act(p->then_writes, p->e->site), a, who);
    const char *barrier = p->same_warp ? "__syncwarp()" : "__syncthreads()";
    if (p->is_async) {
        say_async(p, f, a, b);
    } else if (p->x->site->is_atomic != p->e->site->is_atomic) {
        say_atomic(p, f, a, b);
    } else if ((p->x->flags | p->e->flags) & WF__NC) {
        snprintf(f->why, sizeof f->why,
                 "the read in %s goes through the read-only cache (__ldg, const __restrict__), which is for data that "
                 "nothing writes while the kernel runs",
                 p->x->flags & WF__NC ? b : a);
        snprintf(f->fix, sizeof f->fix, "write the results into another array");
    } else if (p->same_warp) {
        snprintf(
            f->why, sizeof f->why,
            "lanes of a warp do not run in step since Volta: only __syncwarp() or a block barrier "
            "orders their memory accesses");
        fix_with(p, f, barrier);
    } else if (half_ordered(p)) {
        snprintf(f->why, sizeof f->why,
                 "one lane of the warp signalled for all, but the other lanes' accesses were not "
                 "ordered before its signal");
        snprintf(f->fix, sizeof f->fix, "put __syncwarp() after %s, before the lane signals", a);
    } else if (is_plain_flag(p)) {
        say_flag(p, f);
    } else if (p->same_block) {
        snprintf(f->why, sizeof f->why,
                 "no barrier that both threads meet lies between the two accesses");
        if (p->x->w->block->has_parts)
            snprintf(f->fix, sizeof f->fix,
                     "let both sides meet at a named barrier between %s and %s: the later one must wait until the "
                     "earlier one has arrived",
                     a, b);
        else
            fix_with(p, f, barrier);
    } else {
        snprintf(
            f->why, sizeof f->why,
            "blocks of one launch run in any order and at the same time; no release/acquire pair "
            "or grid barrier lies between the two accesses");
        snprintf(f->fix, sizeof f->fix,
                 "%s, or put the two into different launches, or use a cooperative launch with "
                 "grid.sync() between them",
                 p->now_writes && p->then_writes ? "use atomics or one place a block"
                                                 : "write the results into another array");
    }
}

enum wf_finding_kind wf__say_link(const struct wf__pair *p, struct wf_finding *f, const struct wf__link *k)
{
    char x[SPOT], y[SPOT], w[SPOT], r[SPOT];
    const char *fence = p->same_block ? "__threadfence_block()" : "__threadfence()";
    line_of(x, p->then, p);
    line_of(y, p->now, p);
    line_of(w, k->write->loc, p);
    line_of(r, k->read->loc, p);
    char flag[96];
    if (strcmp(w, r) == 0)
        snprintf(flag, sizeof flag, "the atomics in %s", w);
    else
        snprintf(flag, sizeof flag, "the %s in %s and the %s in %s", act(true, k->write), w,
                 act(false, k->read), r);
    snprintf(f->sentence, sizeof f->sentence,
             "The %s in %s is handed over by %s, but these do not order it before the %s in %s.",
             act(p->then_writes, p->e->site), x, flag, act(p->now_writes, p->x->site), y);
    if (k->released && k->acquired) {
        snprintf(
            f->why, sizeof f->why,
            "there is a release and an acquire, but a scope on the way (fence or atomic) takes in "
            "only one of the two threads");
        snprintf(
            f->fix, sizeof f->fix,
            "use device scope for the fences and the atomics of %s and %s (__threadfence(), no "
            "_block)",
            w, r);
    } else if (k->is_narrow) {
        snprintf(f->why, sizeof f->why,
                 "the writing side releases in a scope that does not take in the reading thread, and after %s nothing "
                 "acquires", r);
        snprintf(f->fix, sizeof f->fix,
                 "use device scope for the fence or the atomic that releases before %s (__threadfence(), no _block), and "
                 "put __threadfence() after %s", w, r);
    } else if (k->released) {
        snprintf(f->why, sizeof f->why,
                 "the writing side releases, but after %s nothing acquires: the accesses that "
                 "follow may "
                 "still see old values",
                 r);
        snprintf(f->fix, sizeof f->fix, "put %s after %s%s", fence, r,
                 k->reader_is_other ? ", before the barrier that follows" : "");
    } else {
        snprintf(f->why, sizeof f->why, "no release stands between %s and the flag in %s%s", x, w,
                 k->acquired ? "" : ", and nothing acquires after the flag was read");
        int n = snprintf(f->fix, sizeof f->fix, "put %s %s %s", fence,
                         k->same_thread ? "between" : "after the barrier that follows", x);
        if (n > 0 && (size_t)n < sizeof f->fix)
            n += snprintf(f->fix + n, sizeof f->fix - (size_t)n, "%s %s",
                          k->same_thread ? " and" : ", before", w);
        const struct wf_site *s = k->write;
        if (k->same_thread && s->order == WF_ORD_RELAXED && !s->is_atomic && !s->is_volatile && n > 0 &&
            (size_t)n < sizeof f->fix) // of cuda::atomic, cuda::atomic_ref
            n += snprintf(f->fix + n, sizeof f->fix - (size_t)n, ", or give the store memory_order_release");
        if (!k->acquired && n > 0 && (size_t)n < sizeof f->fix)
            snprintf(f->fix + n, sizeof f->fix - (size_t)n, ", and another one after %s", r);
    }
    struct wf_party *q = wf_finding_party(f, WF_PARTY_NOTE, k->write->loc);
    snprintf(q->note, sizeof q->note, "the flag is written here");
    q = wf_finding_party(f, WF_PARTY_NOTE, k->read->loc);
    snprintf(q->note, sizeof q->note, "and read here");
    return !k->released ? WF_F_FENCE_RELEASE : k->acquired || k->is_narrow ? WF_F_RACE_SCOPE : WF_F_FENCE_ACQUIRE;
}

void wf__say_scope(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    bool now_narrow = p->x->level < WF_SCOPE_GPU;
    line_of(a, p->then, p);
    line_of(b, p->now, p);
    const char *scope =
        (now_narrow ? p->x->level : p->e->level) == WF_SCOPE_CTA ? "one block" : "one cluster";
    if (strcmp(a, b) == 0)
        snprintf(f->sentence, sizeof f->sentence,
                 "The atomic accesses in %s are made by different blocks, but their scope is %s.",
                 a, scope);
    else
        snprintf(f->sentence, sizeof f->sentence,
                 "The atomic accesses in %s and %s are made by different blocks, but the scope of "
                 "%s is %s.",
                 b, a, now_narrow ? b : a, scope);
    snprintf(f->why, sizeof f->why,
             "two atomics are atomic to each other only when each one's scope takes in the other "
             "thread");
    snprintf(f->fix, sizeof f->fix,
             "make the scope in %s device (atomicAdd, not atomicAdd_block; "
             "cuda::thread_scope_device)",
             now_narrow ? b : a);
}

void wf__say_mixed(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    snprintf(f->sentence, sizeof f->sentence,
             "The atomic access of %u bytes in %s overlaps that of %u bytes in %s.", p->x->bytes,
             line_of(b, p->now, p), p->e->bytes, line_of(a, p->then, p));
    snprintf(f->why, sizeof f->why,
             "accesses are atomic to each other only when they cover exactly the same bytes");
    snprintf(f->fix, sizeof f->fix, "use one access size for these bytes");
}

void wf__say_volatile(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    line_of(a, p->then, p);
    line_of(b, p->now, p);
    snprintf(f->sentence, sizeof f->sentence,
             "The %s in %s and the %s in %s meet through volatile, which orders nothing.",
             act(p->now_writes, p->x->site), b, act(p->then_writes, p->e->site), a);
    snprintf(f->why, sizeof f->why,
             "volatile makes each access happen, but in CUDA C++ two threads may only meet through "
             "atomics");
    snprintf(
        f->fix, sizeof f->fix,
        "use atomics or cuda::atomic_ref in %s and %s, with release and acquire where data follows",
        a, b);
}

void wf__say_read_only(const struct wf__pair *p, struct wf_finding *f)
{
    char a[SPOT], b[SPOT];
    line_of(a, p->then, p);
    line_of(b, p->now, p);
    snprintf(f->sentence, sizeof f->sentence,
             "The write in %s changes what the read in %s took through the read-only path (ld.global.nc) in the same "
             "kernel.",
             b, a);
    snprintf(f->why, sizeof f->why,
             "that path, which __ldg() and const __restrict__ lead to, is for memory that nothing writes while the "
             "kernel runs; here barriers order the read before the write, so that GPUs do what is meant");
    snprintf(f->fix, sizeof f->fix, "read it in %s by an ordinary load, or write to other memory", a);
}
