// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of a warp: the memory side (wmma.load and .store, ldmatrix, stmatrix; PTX ISA 9.7.14.4, 9.7.14.5.15),
// movmatrix, and the way to the products (mma.c).

#include <string.h> // memcpy

#include "exec/matrix.h"
#include "exec/memory.h"

static void not_whole(struct wf_warp *w, const struct wf_site *s, uint32_t mask)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(WF_F_WARP_MASK, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, w, s, mask, s->what);
    snprintf(f.sentence, sizeof f.sentence, "%s is executed by %u lanes of a warp, not by all 32", s->what, wf_popcount32(mask));
    snprintf(f.why, sizeof f.why, "matrix instructions are defined only when all lanes of the warp execute them together");
    snprintf(f.fix, sizeof f.fix, "make the block a multiple of 32 threads, and let no lane leave or branch around the instruction");
    wf_finding_add(&f);
}

struct move {
    struct wf_warp *w;
    uint32_t site;
    bool is_store;
    unsigned space;
};

static bool one(const struct move *m, unsigned lane, uint64_t addr, void *data, unsigned bytes)
{
    const char *why = "outside device memory";
    uint8_t *p = exec__pointer(m->w, m->space, addr, bytes, &why);
    if (addr % bytes || (!p && (m->is_store || !exec__read(m->w, lane, addr, data, bytes)))) {
        exec__mem_fault(m->w, m->site, lane, addr, bytes, m->is_store, addr % bytes ? WF_F_MEM_MISALIGNED : WF_F_MEM_BOUNDS,
                        addr % bytes ? "is misaligned" : why);
        return false;
    }
    if (p && m->is_store)
        memcpy(p, data, bytes);
    else if (p)
        memcpy(data, p, bytes);
    return true;
}

static void tell(const struct move *m, uint32_t mask, const uint64_t *addr)
{
    const struct wf_events *ev = grid_of(m->w)->ev;
    if (ev && ev->access)
        exec__tell_access(m->w, site_of(m->w, m->site), mask, addr, m->space, m->is_store ? mask : 0, NULL);
}

// ---- ldmatrix, stmatrix ----

// Lane 8 * i + r names row r of matrix i; lane l holds two elements of row l / 4 (transposed: column).
static void rows(const struct move *m, const struct wf_matrix *x, const uint64_t *addr, uint32_t *const *reg)
{
    uint16_t e[4][8][8];
    uint32_t mask = x->k == 4 ? UINT32_MAX : (1u << 8 * x->k) - 1;
    tell(m, mask, addr);
    for (unsigned l = 0; m->is_store && l < 32; l++)
        for (unsigned i = 0; i < x->k; i++)
            for (unsigned h = 0; h < 2; h++)
                *(x->col_a ? &e[i][l % 4 * 2 + h][l / 4] : &e[i][l / 4][l % 4 * 2 + h]) = (uint16_t)(reg[i][l] >> 16 * h);
    for (unsigned l = 0; l < 8 * x->k; l++)
        if (!one(m, l, addr[l], e[l / 8][l % 8], 16))
            memset(e[l / 8][l % 8], 0, 16);
    for (unsigned l = 0; !m->is_store && l < 32; l++)
        for (unsigned i = 0; i < x->k; i++) {
            uint32_t lo = x->col_a ? e[i][l % 4 * 2][l / 4] : e[i][l / 4][l % 4 * 2];
            uint32_t hi = x->col_a ? e[i][l % 4 * 2 + 1][l / 4] : e[i][l / 4][l % 4 * 2 + 1];
            reg[i][l] = lo | hi << 16;
        }
}

static void transpose(const uint32_t *from, uint32_t *to)
{
    uint16_t e[8][8];
    for (unsigned l = 0; l < 32; l++)
        for (unsigned h = 0; h < 2; h++)
            e[l / 4][l % 4 * 2 + h] = (uint16_t)(from[l] >> 16 * h);
    for (unsigned l = 0; l < 32; l++)
        to[l] = e[l % 4 * 2][l / 4] | (uint32_t)e[l % 4 * 2 + 1][l / 4] << 16;
}

// ---- wmma.load, wmma.store ----

// m x k elements; element i of a lane is element (lane * n + i) of the matrix, row by row (see mma.c).
static void fragment(const struct move *m, const struct wf_matrix *x, const uint64_t *addr, const uint32_t *stride, void *const *reg)
{
    unsigned bits = ptx_type_bits((enum ptx_type)x->d), total = x->m * x->k, bytes = bits < 8 ? 4 : bits / 8;
    unsigned per_word = bits < 8 ? 32 / bits : 1; // of packed elements a whole word moves at once
    unsigned n = !m->is_store && x->d == PTX_T_F16 && !x->n ? 16 : total / 32 / per_word;
    for (unsigned i = 0; i < n; i++) {
        uint64_t at[32];
        for (unsigned l = 0; l < 32; l++) {
            unsigned e = (l * n + i) * per_word % total, row = e / x->k, col = e % x->k;
            uint64_t ld = stride ? stride[l] : x->col_a ? x->m : x->k;
            at[l] = addr[l] + (x->col_a ? col * ld + row : row * ld + col) * bits / 8;
        }
        tell(m, UINT32_MAX, at);
        for (unsigned l = 0; l < 32; l++) {
            unsigned per_reg = bytes < 4 ? 4 / bytes : 1;
            uint8_t *r = (uint8_t *)reg[i / per_reg] + (size_t)l * (bytes == 8 ? 8 : 4) + i % per_reg * bytes;
            one(m, l, at[l], r, bytes);
        }
    }
}

void wf_x_matrix(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, uint32_t n_src, const void *const *src,
                 void *const *dst)
{
    struct wf_matrix x = wf_matrix_of(code);
    struct move m = {w, site, x.what == WF_MATRIX_STORE || x.what == WF_MATRIX_STM, x.c};
    if (mask != UINT32_MAX)
        not_whole(w, site_of(w, site), mask);
    switch ((enum wf_matrix_what)x.what) {
    case WF_MATRIX_MMA: case WF_MATRIX_WMMA:
        exec__multiply(&x, src, dst);
        break;
    case WF_MATRIX_LDM:
        rows(&m, &x, src[0], (uint32_t *const *)dst);
        break;
    case WF_MATRIX_STM:
        rows(&m, &x, src[0], (uint32_t *const *)(src + 1));
        break;
    case WF_MATRIX_MOVM:
        transpose(src[0], dst[0]);
        break;
    case WF_MATRIX_LOAD:
        fragment(&m, &x, src[0], n_src > 1 ? src[1] : NULL, dst);
        break;
    case WF_MATRIX_STORE: {
        unsigned bits = ptx_type_bits((enum ptx_type)x.d), regs = x.m * x.k / 32 * (bits < 32 ? bits : 32) / 32;
        fragment(&m, &x, src[0], n_src > 1 + regs ? src[1 + regs] : NULL, (void *const *)(src + 1));
        break;
    }
    }
}
