// SPDX-License-Identifier: Apache-2.0
// The device runtime: printf, assert, malloc and free, alloca, clocks. Output is collected and written
// to standard output when a grid ends or much has come together, as on a GPU.

#include <inttypes.h> // PRIx64
#include <stdio.h>    // fwrite
#include <string.h>   // memcpy

#include "base/str.h"
#include "exec/condition.h"
#include "exec/memory.h"

static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_str out;

static void flush_locked(void)
{
    if (out.n) {
        fwrite(out.at, 1, out.n, stdout);
        fflush(stdout);
        out.n = 0;
    }
}

void exec__flush_output(void)
{
    pthread_mutex_lock(&out_lock);
    flush_locked();
    pthread_mutex_unlock(&out_lock);
}

static bool read_string(struct wf_warp *w, unsigned lane, uint64_t a, char *buf, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++) {
        if (!exec__read(w, lane, a + i, buf + i, 1)) {
            buf[i] = 0;
            return i > 0;
        }
        if (!buf[i])
            return true;
    }
    buf[n - 1] = 0;
    return true;
}

// One conversion of a format: everything between % and its letter, length modifiers dropped.
static const char *conversion(const char *f, char *spec, size_t n, char *letter, int *longs)
{
    size_t k = 0;
    spec[k++] = '%';
    *longs = 0;
    for (f++; *f && strchr("-+ #0123456789.*", *f); f++)
        if (k + 4 < n)
            spec[k++] = *f;
    for (; *f && strchr("hljztL", *f); f++)
        if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't')
            ++*longs;
    *letter = *f;
    spec[k] = 0;
    return *f ? f + 1 : f;
}

struct args { // packed by the compiler, each at its natural alignment
    struct wf_warp *w;
    unsigned lane;
    uint64_t base, off;
};

static uint64_t next_arg(struct args *a, unsigned bytes)
{
    uint64_t v = 0;
    a->off = (a->off + bytes - 1) & ~(uint64_t)(bytes - 1);
    if (a->base)
        exec__read(a->w, a->lane, a->base + a->off, &v, bytes);
    a->off += bytes;
    return v;
}

// '*' widths and precisions are arguments of their own.
static void fill_stars(struct args *a, const char *spec, char *to, size_t n)
{
    size_t k = 0;
    for (; *spec && k + 12 < n; spec++)
        if (*spec == '*')
            k += (size_t)snprintf(to + k, n - k, "%d", (int)next_arg(a, 4));
        else
            to[k++] = *spec;
    to[k] = 0;
}

static void format_one(struct args *a, const char *raw, char letter, int longs, struct wf_str *s)
{
    char spec[64], text[1024];
    union {
        uint64_t u;
        double d;
    } v;
    fill_stars(a, raw, spec, sizeof spec - 4);
    size_t k = strlen(spec);
    switch (letter) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': {
        bool is_signed = letter == 'd' || letter == 'i';
        uint64_t x = next_arg(a, longs ? 8 : 4);
        snprintf(spec + k, sizeof spec - k, "ll%c", letter);
        if (!longs && is_signed)
            x = (uint64_t)(int64_t)(int32_t)x;
        wf_str_printf(s, spec, x); // NOLINT: the specification was taken apart above
        break;
    }
    case 'c':
        snprintf(spec + k, sizeof spec - k, "c");
        wf_str_printf(s, spec, (int)next_arg(a, 4));
        break;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        snprintf(spec + k, sizeof spec - k, "%c", letter);
        v.u = next_arg(a, 8);
        wf_str_printf(s, spec, v.d);
        break;
    case 's':
        snprintf(spec + k, sizeof spec - k, "s");
        if (!read_string(a->w, a->lane, next_arg(a, 8), text, sizeof text))
            snprintf(text, sizeof text, "(null)");
        wf_str_printf(s, spec, text);
        break;
    case 'p':
        v.u = next_arg(a, 8);
        wf_str_printf(s, v.u ? "0x%" PRIx64 : "(nil)", v.u);
        break;
    case '%':
        wf_str_addc(s, '%');
        break;
    default:
        wf_str_add(s, raw);
        wf_str_addc(s, letter);
        break;
    }
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static uint64_t lane_printf(struct wf_warp *w, unsigned lane, uint64_t fmt, uint64_t base)
{
    char text[4096], spec[64];
    struct args a = {.w = w, .lane = lane, .base = base};
    struct wf_str s = {0};
    if (!read_string(w, lane, fmt, text, sizeof text))
        return UINT64_MAX;
    uint64_t n = 0;
    for (const char *f = text; *f;) {
        if (*f != '%') {
            wf_str_addc(&s, *f++);
            continue;
        }
        char letter;
        int longs;
        f = conversion(f, spec, sizeof spec, &letter, &longs);
        if (letter)
            format_one(&a, spec, letter, longs, &s);
        n += letter && letter != '%';
    }
    pthread_mutex_lock(&out_lock);
    wf_str_addn(&out, wf_str_get(&s), s.n);
    if (out.n > 1u << 16)
        flush_locked();
    pthread_mutex_unlock(&out_lock);
    wf_str_fini(&s);
    return n;
}

static void assert_failed(struct wf_warp *w, uint32_t site, unsigned lane, const uint64_t *const *arg)
{
    struct grid *g = grid_of(w);
    char msg[256] = "", file[256] = "", func[128] = "";
    uint32_t t[3];
    read_string(w, lane, arg[0][lane], msg, sizeof msg);
    read_string(w, lane, arg[1][lane], file, sizeof file);
    read_string(w, lane, arg[3][lane], func, sizeof func);
    exec__thread_of(w, lane, t);
    pthread_mutex_lock(&out_lock);
    flush_locked();
    pthread_mutex_unlock(&out_lock);
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
            (uint32_t)arg[2][lane], func, w->block->ctaid[0], w->block->ctaid[1], w->block->ctaid[2], t[0], t[1], t[2], msg);
    struct wf_finding f = wf_finding_make(WF_F_ASSERT, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_NOTE, w, site_of(w, site), 1u << lane, "assert");
    snprintf(f.sentence, sizeof f.sentence, "assertion `%.200s` failed", msg);
    wf_finding_add(&f);
    exec__stop(g, WF_RUN_ASSERT);
}

static uint64_t device_malloc(uint64_t bytes)
{
    uint64_t a = 0;
    return wf_heap_alloc(WF_MEM_DEVICE, bytes, 16, NULL, &a, NULL) == WF_OK ? a : 0;
}

void wf_x_builtin(struct wf_warp *w, uint32_t site, uint32_t mask, uint32_t which, const uint64_t *const *arg, uint64_t *ret)
{
    memset(ret, 0, 32 * sizeof *ret);
    WF_EACH_LANE(mask, lane) {
        switch ((int)which) {
        case IR_B_VPRINTF:
            ret[lane] = lane_printf(w, lane, arg[0][lane], arg[1][lane]);
            break;
        case IR_B_ASSERTFAIL:
            assert_failed(w, site, lane, arg);
            break;
        case IR_B_MALLOC:
            ret[lane] = device_malloc(arg[0][lane]);
            break;
        case IR_B_FREE:
            if (arg[0][lane])
                wf_heap_free(arg[0][lane], "free() in a kernel", NULL);
            break;
        case IR_B_SET_CONDITION:
            if (!wf_condition_set(arg[0][lane], (uint32_t)arg[1][lane]))
                exec__mem_fault(w, site, lane, arg[0][lane], 1, true, WF_F_MEM_BOUNDS, "is no condition of a graph");
            break;
        default:
            break;
        }
    }
}

// alloca takes from the end of the thread's local memory; stacksave and stackrestore move the mark.
void wf_x_alloca(struct wf_warp *w, uint32_t op, uint32_t mask, const uint64_t *in, uint64_t *res)
{
    struct xwarp *x = x_of(w);
    uint64_t fixed = w->cur->local_base + w->cur->code->local_bytes, all = w->block->local_warp_bytes / 32;
    memset(res, 0, 32 * sizeof *res);
    WF_EACH_LANE(mask, lane) {
        uint64_t *top = &x->stack_top[lane];
        if (*top < fixed)
            *top = fixed;
        if (op == PTX_O_STACKRESTORE) {
            *top = in[lane];
        } else if (op == PTX_O_STACKSAVE) {
            res[lane] = *top;
        } else {
            uint64_t at = wf_align_up(*top, 16);
            if (in[lane] > all || at + in[lane] > all) {
                exec__mem_fault(w, UINT32_MAX, lane, at, (unsigned)in[lane], true, WF_F_MEM_BOUNDS,
                                "beyond the thread's stack (alloca)");
                continue;
            }
            *top = at + in[lane];
            res[lane] = at;
        }
    }
}

// Virtual time: it moves with visits and sleeps, so that back-off loops end, and is the same on every run.
uint64_t wf_x_clock(struct wf_warp *w, uint32_t is_timer)
{
    uint64_t t = w->block->clock += 20;
    return is_timer ? UINT64_C(1700000000000000000) + (t / 32) * 32 : t;
}
