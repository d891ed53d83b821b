// SPDX-License-Identifier: Apache-2.0
// Atomics lane by lane (PTX ISA 9.7.13.5). Global ones are atomic to the other workers and the host;
// shared memory belongs to the worker that runs the block, so plain operations do.

#include <math.h>   // fabsf
#include <string.h> // memcpy

#include "exec/exec_priv.h"
#include "exec/bulk.h"
#include "exec/half.h"
#include "exec/memory.h"

static float flush(float x)
{
    return fabsf(x) < 1.17549435e-38f ? (x < 0 || (1 / x) < 0 ? -0.0f : 0.0f) : x;
}

static uint32_t f32_add(uint32_t a, uint32_t b, bool ftz)
{
    float x, y;
    uint32_t r;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    if (ftz) {
        x = flush(x);
        y = flush(y);
    }
    float s = x + y;
    if (s != s)
        return 0x7fffffff;
    if (ftz)
        s = flush(s);
    memcpy(&r, &s, 4);
    return r;
}

static uint64_t f64_add(uint64_t a, uint64_t b)
{
    double x, y;
    uint64_t r;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    double s = x + y;
    if (s != s)
        return UINT64_C(0xfff8000000000000);
    memcpy(&r, &s, 8);
    return r;
}

static uint64_t packed(uint64_t old, uint64_t a, unsigned type, uint16_t sub)
{
    bool bf = type == PTX_T_BF16 || type == PTX_T_BF16X2;
    unsigned n = type == PTX_T_F16X2 || type == PTX_T_BF16X2 ? 2 : 1;
    uint64_t r = 0;
    for (unsigned i = 0; i < n; i++) {
        uint16_t x = (uint16_t)(old >> (16 * i)), y = (uint16_t)(a >> (16 * i)), s;
        if (PTX_IS(sub, ADD))
            s = bf ? wf__bf16_add(x, y) : wf__f16_add(x, y);
        else
            s = wf__half_minmax(x, y, bf, PTX_IS(sub, MIN));
        r |= (uint64_t)s << (16 * i);
    }
    return r;
}

// The new value, for old and operands a, b.
static uint64_t apply(uint16_t sub, unsigned type, unsigned bits, uint64_t old, uint64_t a, uint64_t b, bool ftz)
{
    bool is_signed = ptx_type_kind((enum ptx_type)type) == 'S';
    uint64_t m = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    int64_t so = bits == 32 ? (int32_t)old : (int64_t)old, sa = bits == 32 ? (int32_t)a : (int64_t)a;
    switch ((int)sub - 1) {
    case PTX_M_ADD:
        if (type == PTX_T_F32)
            return f32_add((uint32_t)old, (uint32_t)a, ftz);
        if (type == PTX_T_F64)
            return f64_add(old, a);
        if (ptx_type_kind((enum ptx_type)type) == 'F')
            return packed(old, a, type, sub);
        return (old + a) & m;
    case PTX_M_MIN:
        if (ptx_type_kind((enum ptx_type)type) == 'F')
            return packed(old, a, type, sub);
        return is_signed ? (so < sa ? old : a) : (old < a ? old : a);
    case PTX_M_MAX:
        if (ptx_type_kind((enum ptx_type)type) == 'F')
            return packed(old, a, type, sub);
        return is_signed ? (so > sa ? old : a) : (old > a ? old : a);
    case PTX_M_INC:
        return old >= a ? 0 : old + 1;
    case PTX_M_DEC:
        return old == 0 || old > a ? a : old - 1;
    case PTX_M_AND:
        return old & a;
    case PTX_M_OR:
        return old | a;
    case PTX_M_XOR:
        return old ^ a;
    case PTX_M_EXCH:
        return a;
    case PTX_M_CAS:
        return old == a ? b : old;
    default:
        return old;
    }
}

struct op {
    uint16_t sub;
    unsigned type, bits;
    bool locked, ftz;
};

#define LOCKED_LOOP(T)                                                                                                \
    do {                                                                                                               \
        T *q = (T *)(void *)p, old = __atomic_load_n(q, __ATOMIC_SEQ_CST), want;                                       \
        do {                                                                                                           \
            want = (T)apply(o->sub, o->type, o->bits, old, a, b, o->ftz);                                              \
        } while (!__atomic_compare_exchange_n(q, &old, want, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));              \
        *wrote = !PTX_IS(o->sub, CAS) || old == (T)a;                                                                  \
        return old;                                                                                                    \
    } while (0)

static uint64_t one(const struct op *o, uint8_t *p, uint64_t a, uint64_t b, bool *wrote)
{
    if (o->locked) {
        if (PTX_IS(o->sub, ADD) && o->type != PTX_T_F32 && o->type != PTX_T_F64 &&
            ptx_type_kind((enum ptx_type)o->type) != 'F') {
            *wrote = true;
            if (o->bits == 64)
                return __atomic_fetch_add((uint64_t *)(void *)p, a, __ATOMIC_SEQ_CST);
            return __atomic_fetch_add((uint32_t *)(void *)p, (uint32_t)a, __ATOMIC_SEQ_CST);
        }
        if (o->bits == 64)
            LOCKED_LOOP(uint64_t);
        if (o->bits == 16)
            LOCKED_LOOP(uint16_t);
        LOCKED_LOOP(uint32_t);
    }
    uint64_t old = 0;
    memcpy(&old, p, o->bits / 8);
    uint64_t v = apply(o->sub, o->type, o->bits, old, a, b, o->ftz);
    *wrote = !PTX_IS(o->sub, CAS) || old == a;
    memcpy(p, &v, o->bits / 8);
    return old;
}

// 128-bit exch and cas.
static void wide(const struct op *o, uint8_t *p, const uint8_t *a, const uint8_t *b, uint8_t *old, bool *wrote)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // no narrower access may mix with it
    pthread_mutex_lock(&lock);
    memcpy(old, p, 16);
    if (PTX_IS(o->sub, EXCH)) {
        memcpy(p, a, 16);
        *wrote = true;
    } else {
        *wrote = !memcmp(old, a, 16);
        if (*wrote)
            memcpy(p, b, 16);
    }
    pthread_mutex_unlock(&lock);
}

static uint64_t lane_value(const uint8_t *v, unsigned lane, unsigned bits)
{
    uint64_t x = 0;
    if (v)
        memcpy(&x, v + (size_t)lane * (bits / 8), bits / 8);
    return x;
}

void wf_x_atomic(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, const uint8_t *a, const uint8_t *b,
                 uint8_t *old, uint32_t how)
{
    struct op o = {.sub = (uint16_t)how, .type = how >> 16 & 0xff};
    unsigned space = how >> 24;
    uint64_t value[32] = {0};
    uint32_t writes = 0, made = 0;
    o.bits = ptx_type_bits((enum ptx_type)o.type);
    unsigned bytes = o.bits / 8;
    WF_EACH_LANE(mask, lane) {
        const char *why;
        bool wrote = false;
        if (addr[lane] % bytes) {
            exec__mem_fault(w, site, lane, addr[lane], bytes, true, WF_F_MEM_MISALIGNED, "is misaligned");
            memset(old + (size_t)lane * bytes, 0, bytes);
            continue;
        }
        uint8_t *p = exec__pointer(w, space, addr[lane], bytes, &why);
        if (!p) {
            exec__mem_fault(w, site, lane, addr[lane], bytes, true, WF_F_MEM_BOUNDS, why);
            memset(old + (size_t)lane * bytes, 0, bytes);
            continue;
        }
        bool is_shared = p >= w->block->shared && p < w->block->shared + grid_of(w)->shared_alloc;
        o.locked = !is_shared;
        o.ftz = !is_shared; // f32 add flushes subnormals in global memory only
        if (o.bits == 128) {
            wide(&o, p, a + (size_t)lane * 16, b ? b + (size_t)lane * 16 : NULL, old + (size_t)lane * 16, &wrote);
        } else {
            value[lane] = lane_value(a, lane, o.bits);
            uint64_t was = one(&o, p, value[lane], lane_value(b, lane, o.bits), &wrote);
            memcpy(old + (size_t)lane * bytes, &was, bytes);
        }
        made |= 1u << lane;
        writes |= (uint32_t)wrote << lane;
    }
    if (w->block->grid->guards)
        wf_x_guard(w, site, made, addr, false);
    // Told behind, since whether a lane wrote shows only now; nothing else runs in between.
    if (made && grid_of(w)->ev && grid_of(w)->ev->access)
        exec__tell_access(w, site_of(w, site), made, addr, space, writes, value);
}

uint8_t exec__tensor_type(unsigned tmap_type)
{
    static const uint8_t types[WF_TMAP_TYPES] = {PTX_T_U8, PTX_T_U16, PTX_T_U32, PTX_T_S32, PTX_T_U64, PTX_T_S64, PTX_T_F16,
                                                 PTX_T_F32, PTX_T_F64, PTX_T_BF16, PTX_T_F32, PTX_T_F32, PTX_T_F32};
    return types[tmap_type];
}

void exec__combine(uint8_t *to, const uint8_t *from, uint32_t n, unsigned type, uint16_t sub, bool locked)
{
    struct op o = {.sub = sub, .type = type, .bits = ptx_type_bits((enum ptx_type)type), .locked = locked, .ftz = locked};
    bool wrote;
    for (uint32_t i = 0; i < n; i += o.bits / 8) {
        uint64_t a = 0;
        memcpy(&a, from + i, o.bits / 8);
        one(&o, to + i, a, 0, &wrote);
    }
}

// The base is the distance from the program's addresses to the engine's where memory is global: no pointer.
static inline uint32_t *word_at(const uint8_t *base, uint64_t addr)
{
    return (uint32_t *)((uintptr_t)base + addr);
}

void wf_x_add32_shared(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, uint32_t *old)
{
    if (mask == UINT32_MAX && !old) { // the histogram's loop
        for (unsigned i = 0; i < 32; i++)
            *word_at(base, addr[i]) += value[i];
        return;
    }
    WF_EACH_LANE(mask, lane) {
        uint32_t *p = word_at(base, addr[lane]), v = *p;
        if (old)
            old[lane] = v;
        *p = v + value[lane];
    }
}

void wf_x_add32_global(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, uint32_t *old)
{
    WF_EACH_LANE(mask, lane) {
        uint32_t *p = word_at(base, addr[lane]);
        if (old)
            old[lane] = __atomic_fetch_add(p, value[lane], __ATOMIC_RELAXED);
        else if (value[lane]) // adding nothing changes nothing, and nobody reads the result
            __atomic_fetch_add(p, value[lane], __ATOMIC_RELAXED);
    }
}
