// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces: what an object looks at is known at run time only, so each instruction is one call of
// wf_x_texture with the operands of all lanes.

#include <string.h> // memcpy

#include "jit/jit_int.h"
#include "jit/texcode.h"

static enum wf_tex_geometry geometry(const struct ptx_mods *m)
{
    static const struct {
        enum ptx_mod mod;
        enum wf_tex_geometry g;
    } table[] = {{PTX_M_D1, WF_TEX_1D},   {PTX_M_D2, WF_TEX_2D},     {PTX_M_D3, WF_TEX_3D},      {PTX_M_A1D, WF_TEX_A1D},
                 {PTX_M_A2D, WF_TEX_A2D}, {PTX_M_CUBE, WF_TEX_CUBE}, {PTX_M_ACUBE, WF_TEX_ACUBE}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_has(m, table[i].mod))
            return table[i].g;
    return WF_TEX_1D;
}

static uint8_t query(const struct ptx_mods *m)
{
    static const struct {
        enum ptx_mod mod;
        enum wf_tex_query q;
    } table[] = {{PTX_M_WIDTH, WF_TEX_WIDTH},       {PTX_M_HEIGHT, WF_TEX_HEIGHT},
                 {PTX_M_DEPTH, WF_TEX_DEPTH},       {PTX_M_ARRAY_SIZE, WF_TEX_LAYERS},
                 {PTX_M_NUM_MIPMAP_LEVELS, WF_TEX_LEVELS}, {PTX_M_NORMALIZED_COORDS, WF_TEX_NORMALIZED}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (ptx_has(m, table[i].mod))
            return (uint8_t)table[i].q;
    return WF_TEX_WIDTH;
}

static struct wf_tex_code describe(const struct ir_insn *in)
{
    const struct ptx_mods *m = &in->m;
    struct wf_tex_code c = {.geometry = (uint8_t)geometry(m)};
    c.bytes = (uint8_t)(ptx_type_bits((enum ptx_type)in->type) / 8);
    c.vec = m->vec ? m->vec : 1;
    c.outside = ptx_has(m, PTX_M_CLAMP) ? WF_SURF_CLAMP : ptx_has(m, PTX_M_ZERO) ? WF_SURF_ZERO : WF_SURF_TRAP;
    c.lod = ptx_has(m, PTX_M_LEVEL) ? WF_TEX_LOD_LEVEL : ptx_has(m, PTX_M_GRAD) ? WF_TEX_LOD_GRAD : WF_TEX_LOD_NONE;
    c.flags = m->n_types > 1 && m->type[1] == PTX_T_S32 ? WF_TEX_INT : 0;
    switch ((int)in->op) {
    case PTX_O_TEX:
        c.op = WF_TEX_FETCH;
        break;
    case PTX_O_TLD4:
        c.op = WF_TEX_GATHER;
        c.which = ptx_has(m, PTX_M_R) ? 0 : ptx_has(m, PTX_M_G) ? 1 : ptx_has(m, PTX_M_MODB) ? 2 : 3;
        break;
    case PTX_O_SULD:
        c.op = WF_SURF_LOAD;
        break;
    case PTX_O_SUST:
        c.op = WF_SURF_STORE;
        break;
    default:
        c.op = WF_TEX_QUERY;
        c.which = query(m);
        break;
    }
    return c;
}

void jit__texture(struct jit *j, const struct ir_insn *in)
{
    LLVMValueRef table = jit__alloca(j, LLVMArrayType2(j->ptr, 10), 8);
    LLVMValueRef out = jit__alloca(j, LLVMArrayType2(j->v64, 4), 64);
    struct wf_tex_code code = describe(in);
    bool is_surface = code.op == WF_SURF_LOAD || code.op == WF_SURF_STORE;
    bool is_wide = is_surface && code.bytes == 8;
    unsigned first_data = code.op == WF_SURF_STORE ? 1 + wf_tex_coordinates((enum wf_tex_geometry)code.geometry) : UINT32_MAX;
    for (uint32_t k = 0; k < in->n_src; k++) {
        unsigned bits = k == 0 || (is_wide && k >= first_data) ? 64 : 32;
        LLVMBuildStore(j->b, jit__spill(j, jit__src_vec(j, &in->src[k], bits)), jit__field(j, table, 8 * (size_t)k));
    }
    if (jit__src_shape(j, &in->src[0]) == IR_UNI)
        code.flags |= WF_TEX_ONE;
    uint64_t bits;
    memcpy(&bits, &code, sizeof bits);
    LLVMValueRef a[6] = {j->warp, jit__c32(j, in->site), jit__mask(j), jit__c64(j, bits), table, out};
    jit__call(j, "wf_x_texture", j->void_t, a, 6);
    struct ir_insn set = *in;
    set.type = is_wide ? PTX_T_B64 : PTX_T_B32;
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE)
            continue;
        bool is_flag = in->has_pair && i + 1 == in->n_dst; // arrays here are never sparse
        LLVMValueRef v = is_flag ? LLVMConstAllOnes(j->v1)
                                 : LLVMBuildLoad2(j->b, is_wide ? j->v64 : j->v32,
                                                  jit__field(j, out, (is_wide ? 256 : 128) * (size_t)i), "");
        jit__set(j, &set, in->dst[i], v, true);
    }
}
