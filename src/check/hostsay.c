// SPDX-License-Identifier: Apache-2.0
// Findings of the host and of streams: sentence, why, mend, the host's lines.
#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // strcmp

#include "check/hostmem.h"
#include "check/where.h"   // wf__where_object
#include "core/finding.h"  // wf_finding_add
#include "core/hostcode.h" // wf_calls_loc
#include "mem/space.h"     // wf_heap_find

#define SAME_TOLD 1024 // pairs remembered, so that an access in a loop costs little

static bool frees(const struct wf__work *w)
{
    return strncmp(w->what, "cudaFree", 8) == 0;
}

static const char *verb(const struct wf__side *s)
{
    if (s->is_lifetime)
        return frees(s->work) ? "frees" : "allocates";
    return s->writes ? "writes" : "reads";
}

static void party(struct wf_finding *f, const struct wf__side *s)
{
    const struct wf_loc *loc = s->site ? s->site->loc
                                       : wf_calls_loc(s->work ? &s->work->calls : &s->calls);
    struct wf_party *p = wf_finding_party(f, WF_PARTY_ACCESS, loc);
    p->is_host = !s->site;
    if (s->site) {
        wf__where_thread(p, &s->work->launch, s->block, s->warp, s->lane);
        wf__where_op(p, s->site, s->bytes, s->writes);
    } else if (s->work && s->work->n_blocks) { // a kernel that was not watched
        snprintf(p->op, sizeof p->op, "launch %llu: %s", (unsigned long long)s->work->launch.id, verb(s));
    } else if (s->work) {
        snprintf(p->op, sizeof p->op, "%s: %s", s->work->what ? s->work->what : "copy", verb(s));
    } else {
        snprintf(p->op, sizeof p->op, "host %s", s->writes ? "write" : "read");
    }
}

static void launch_note(struct wf_finding *f, const struct wf__work *w)
{
    const struct wf_loc *loc = w && w->n_blocks ? wf_calls_loc(&w->calls) : NULL;
    if (!loc)
        return;
    struct wf_party *p = wf_finding_party(f, WF_PARTY_LAUNCH, loc);
    p->is_host = true;
    snprintf(p->op, sizeof p->op, "launch %llu", (unsigned long long)w->launch.id);
}

// The first event recorded behind the work: nobody waits for it where it is needed.
static void event_note(struct wf_finding *f, const struct wf__work *then)
{
    const struct wf__mark *first = NULL;
    for (uint32_t i = 0; i < wf__check.n_marks && i < WF__MARKS; i++) {
        const struct wf__mark *m = &wf__check.marks[i];
        if (m->stream == then->stream && m->number > then->number &&
            (!first || m->number < first->number))
            first = m;
    }
    const struct wf_loc *loc = first ? wf_calls_loc(&first->calls) : NULL;
    if (!loc)
        return;
    struct wf_party *p = wf_finding_party(f, WF_PARTY_NOTE, loc);
    p->is_host = true;
    snprintf(p->op, sizeof p->op, "event recorded behind it");
    snprintf(p->note, sizeof p->note, "the other stream does not wait for it");
}

static const char *name_of(const struct wf__work *w, char *buf, size_t n)
{
    if (w->n_blocks)
        snprintf(buf, n, "launch %llu", (unsigned long long)w->launch.id);
    else
        snprintf(buf, n, "%s", w->what ? w->what : "a copy");
    return buf;
}

static void say_launches(struct wf_finding *f, const struct wf__work *now, const struct wf__work *then)
{
    if (now->stream == then->stream) {
        snprintf(f->why, sizeof f->why,
                 "a dependent launch may begin as soon as the kernel in front of it triggers; what that "
                 "one writes is there only behind cudaGridDependencySynchronize()");
        snprintf(f->fix, sizeof f->fix,
                 "call cudaGridDependencySynchronize() in the second kernel before it touches what the "
                 "first one uses");
    } else {
        snprintf(f->why, sizeof f->why,
                 "the two are in different streams and nothing orders them: no event is waited for, and "
                 "the host did not wait in between");
        snprintf(f->fix, sizeof f->fix,
                 "record an event behind the first and let the stream of the second wait for it "
                 "(cudaStreamWaitEvent), or use one stream");
    }
    launch_note(f, now);
    launch_note(f, then);
    if (now->stream != then->stream)
        event_note(f, then);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    return (h ^ v) * UINT64_C(0x9E3779B97F4A7C15) ^ h >> 29;
}

static uint64_t key_of(const struct wf__side *s, uint64_t h)
{
    const struct wf_calls *c = s->work ? &s->work->calls : &s->calls;
    h = mix(mix(h, (uintptr_t)s->site), s->writes);
    for (uint32_t i = 0; i < c->n; i++)
        h = mix(h, (uintptr_t)c->pc[i]);
    return h;
}

// One that falls out of the table is told again, and the store merges it.
static bool is_told(const struct wf__side *now, const struct wf__side *then)
{
    static uint64_t told[SAME_TOLD];
    uint64_t key = key_of(then, key_of(now, 1)), *slot = &told[key % SAME_TOLD];
    bool same = *slot == key;
    *slot = key;
    return same;
}

static void say_freed(struct wf_finding *f, const struct wf__side *now, const struct wf__side *then)
{
    const struct wf__side *end = now->is_lifetime ? now : then;
    bool is_free = frees(end->work);
    if (is_free && end->work->stream == UINT32_MAX) {
        snprintf(f->why, sizeof f->why,
                 "cudaFree does not wait for work that uses memory of cudaMallocAsync; the next allocation may get it "
                 "while it is in use");
        snprintf(f->fix, sizeof f->fix,
                 "free it by cudaFreeAsync in the stream that used it last, or wait for that stream first "
                 "(cudaStreamSynchronize)");
    } else if (is_free && end == now)
        snprintf(f->why, sizeof f->why,
                 "the stream that frees has not waited for the one that uses the memory; the next "
                 "allocation may get it while it is in use");
    else if (is_free)
        snprintf(f->why, sizeof f->why, "the memory may be freed already, and belong to somebody else");
    else
        snprintf(f->why, sizeof f->why,
                 "memory of cudaMallocAsync is there from its place in the stream on; another stream must "
                 "wait for that");
}

// Two threads of the host. Never an error: what they tell each other by atomics is not seen.
static void say_threads(struct wf_finding *f, const struct wf__side *now, const struct wf__side *then)
{
    snprintf(f->why, sizeof f->why,
             "one host thread put the earlier work, another one this; no pthread_join, mutex, condition variable, "
             "semaphore, barrier or their std:: counterparts lead from that call, and from a wait for its end, to "
             "this call. In this run it came in time. If an atomic orders the two threads, this is right: such are "
             "not seen");
    snprintf(f->fix, sizeof f->fix,
             "hand the buffer over after %s: join the thread, or tell the other one under a mutex with a condition "
             "variable, by a future or by a semaphore; or record an event there and wait for it here once told",
             then->work->n_blocks ? "a wait for the kernel" : "a wait for the copy");
    launch_note(f, now->work);
    launch_note(f, then->work);
}

void wf__say_streams(const struct wf__side *now, const struct wf__side *then, uint64_t addr)
{
    if (is_told(now, then))
        return;
    char a[64], b[64];
    bool is_luck = wf__work_by_luck(now->work, then->work);
    struct wf_finding f = wf_finding_make(is_luck ? WF_F_HOST_THREADS : WF_F_HOST_STREAM_RACE,
                                          now->site ? now->site->kernel : then->site ? then->site->kernel
                                                                                     : NULL,
                                          now->site ? now->work->launch.id : 0);
    wf__where_object(&f, false, addr);
    snprintf(f.sentence, sizeof f.sentence,
             is_luck ? "%s %s memory that %s of another host thread %s, and no synchronization of the threads is seen."
                     : "%s %s memory that %s %s, and nothing orders the two.",
             name_of(now->work, a, sizeof a), verb(now), name_of(then->work, b, sizeof b), verb(then));
    f.sentence[0] = (char)(f.sentence[0] == 'l' ? 'L' : f.sentence[0]);
    party(&f, now);
    party(&f, then);
    if (is_luck)
        say_threads(&f, now, then);
    else
        say_launches(&f, now->work, then->work);
    if (!is_luck && (now->is_lifetime || then->is_lifetime))
        say_freed(&f, now, then);
    if (now->is_mild)
        f.severity = WF_SEV_WARNING;
    wf_finding_add(&f);
}

void wf__say_host(const struct wf__side *host, const struct wf__side *then, uint64_t addr)
{
    if (is_told(host, then))
        return;
    char b[64];
    struct wf_mem_block m = {.kind = WF_MEM_PINNED};
    struct wf_finding f =
        wf_finding_make(then->site ? WF_F_HOST_RACE : WF_F_HOST_UNSYNCED,
                        then->site ? then->site->kernel : NULL, then->site ? then->work->launch.id : 0);
    wf__where_object(&f, false, addr);
    wf_heap_find(addr, &m);
    snprintf(f.sentence, sizeof f.sentence, "The host %s %s memory that %s %s, without having waited for that.",
             host->writes ? "writes" : "reads", m.kind == WF_MEM_MANAGED ? "managed" : "pinned",
             name_of(then->work, b, sizeof b), verb(then));
    snprintf(f.why, sizeof f.why,
             then->site ? "a launch returns at once: the kernel may not have begun when the host goes on"
                        : "an asynchronous copy or fill returns at once: it may not have begun when the "
                          "host goes on");
    snprintf(f.fix, sizeof f.fix,
             "wait before the host touches the data: cudaStreamSynchronize() of that stream, "
             "cudaEventSynchronize() of an event behind the work, or cudaDeviceSynchronize()");
    party(&f, host);
    party(&f, then);
    launch_note(&f, then->work);
    wf_finding_add(&f);
}
