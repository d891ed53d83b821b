// SPDX-License-Identifier: Apache-2.0
// Fat binaries: what we write we read; every packing; choice of entry; registers from a cubin;
// damage.
#include <lz4.h>

#include "test.h"
#include "fatbin/fatbin.h"
#include "fatbin/priv.h"

static const char text90[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(){ret;}\n";
static const char text75[] = ".version 8.0\n.target sm_75\n.address_size 64\n";

static void add_entry(struct wf_str *s, struct wf__entry e, const void *payload, size_t n)
{
    e.form = 0x0101;
    e.head_bytes = sizeof e;
    e.payload_bytes = (n + 7) & ~(size_t)7;
    wf_str_addn(s, (const char *)&e, sizeof e);
    wf_str_addn(s, payload, n);
    while (s->n % 8)
        wf_str_addc(s, 0);
}

static struct wf_str container(const struct wf_str *body)
{
    struct wf_str s = {0};
    struct wf__fatbin_head h = {WF__FATBIN_MAGIC, 1, sizeof h, body->n};
    wf_str_addn(&s, (const char *)&h, sizeof h);
    wf_str_addn(&s, body->at, body->n);
    return s;
}

static enum wf_status load(const struct wf_str *s, struct wf_fatbin *f, struct wf_err *err)
{
    // An exact heap copy, so that a sanitizer sees a read behind the end.
    void *copy = malloc(s->n);
    memcpy(copy, s->at, s->n);
    enum wf_status st = wf_fatbin_from_image(copy, s->n, 90, f, err);
    free(copy);
    return st;
}

WF_TEST(wrapped_text_comes_back)
{
    for (int packed = 0; packed < 2; packed++) {
        struct wf_str s = {0};
        struct wf_fatbin f;
        struct wf_err err;
        CHECK_EQ(wf_fatbin_wrap(text90, strlen(text90), "dir/a.cu", 90, packed, &s, &err), WF_OK);
        CHECK_EQ(s.n % 8, 0);
        CHECK_EQ(load(&s, &f, &err), WF_OK);
        CHECK_EQ(f.ptx.n, 1);
        CHECK_STR(f.ptx.at[0].text, text90);
        CHECK_STR(f.ptx.at[0].name, "dir/a.cu");
        CHECK_EQ(f.ptx.at[0].arch, 90);
        CHECK_EQ(f.ptx.at[0].isa_major, 9);
        wf_fatbin_fini(&f);
        struct wf__wrapper w = {WF__WRAPPER_MAGIC, 1, s.at, NULL};
        CHECK_EQ(wf_fatbin_from_wrapper(&w, 90, &f, &err), WF_OK);
        CHECK_STR(f.ptx.at[0].text, text90);
        wf_fatbin_fini(&f);
        wf_str_fini(&s);
    }
}

WF_TEST(entry_of_the_modelled_gpu_is_chosen)
{
    static const struct {
        uint32_t arch[3], want;
    } row[] = {
        {{75, 90, 120}, 90}, {{75, 80, 120}, 80}, {{100, 120, 110}, 100}, {{90, 75, 80}, 90}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct wf_str body = {0}, s;
        struct wf_fatbin f;
        struct wf_err err;
        for (int k = 0; k < 3; k++)
            add_entry(&body, (struct wf__entry){.kind = WF__ENTRY_PTX, .arch = row[i].arch[k]},
                      text75, sizeof text75);
        s = container(&body);
        CHECK_EQ(load(&s, &f, &err), WF_OK);
        CHECK_EQ(f.ptx.n, 1);
        CHECK_EQ(f.ptx.at[0].arch, row[i].want);
        wf_fatbin_fini(&f);
        wf_str_fini(&body);
        wf_str_fini(&s);
    }
}

WF_TEST(lz4_is_read)
{
    char packed[512];
    int n = LZ4_compress_default(text90, packed, sizeof text90, sizeof packed);
    struct wf_str body = {0}, s;
    struct wf_fatbin f;
    struct wf_err err;
    add_entry(&body,
              (struct wf__entry){.kind = WF__ENTRY_PTX,
                                 .arch = 90,
                                 .packed_bytes = (uint32_t)n,
                                 .raw_bytes = sizeof text90,
                                 .flags = WF__FLAG_LZ4},
              packed, (size_t)n);
    s = container(&body);
    CHECK_EQ(load(&s, &f, &err), WF_OK);
    CHECK_STR(f.ptx.at[0].text, text90);
    wf_fatbin_fini(&f);
    wf_str_fini(&body);
    wf_str_fini(&s);
}

WF_TEST(objects_of_a_device_linked_program_come_together)
{
    struct wf_str a = {0}, b = {0}, linked = {0}, image;
    struct wf_fatbin f;
    struct wf_err err;
    wf_fatbin_wrap(text90, strlen(text90), NULL, 90, true, &a, &err);
    wf_fatbin_wrap(text75, strlen(text75), NULL, 75, false, &b, &err);
    add_entry(&linked, (struct wf__entry){.kind = WF__ENTRY_CUBIN, .arch = 90}, "\177ELF", 4);
    image = container(&linked);
    const void *objects[] = {a.at, b.at, NULL};
    struct wf__wrapper w = {WF__WRAPPER_MAGIC, 2, image.at, objects};
    CHECK_EQ(wf_fatbin_from_wrapper(&w, 90, &f, &err), WF_OK);
    CHECK_EQ(f.ptx.n, 2);
    CHECK(f.ptx.at[0].is_relocatable);
    CHECK_STR(f.ptx.at[1].text, text75);
    wf_fatbin_fini(&f);
    // One row of containers, as a section holds them.
    wf_str_addn(&a, b.at, b.n);
    CHECK_EQ(load(&a, &f, &err), WF_OK);
    CHECK_EQ(f.ptx.n, 2);
    wf_fatbin_fini(&f);
    wf_str_fini(&a);
    wf_str_fini(&b);
    wf_str_fini(&linked);
    wf_str_fini(&image);
}

// The least cubin that says "kernel k uses 40 registers".
static struct wf_str small_cubin(void)
{
    enum { STR = 64, SYM = 96, INFO = 144, TABLE = 160 };
    static const char names[32] = "\0.nv.info\0.symtab\0.strtab\0kern\0";
    const uint32_t info[3] = {0x00082f04u, 1, 40};
    Elf64_Ehdr h = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
                    .e_type = ET_EXEC,
                    .e_machine = EM_CUDA,
                    .e_shoff = TABLE,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 4,
                    .e_shstrndx = 1};
    Elf64_Sym symbol[2] = {{0}, {.st_name = 26, .st_info = STT_FUNC, .st_shndx = 1}};
    Elf64_Shdr section[4] = {
        {0},
        {.sh_name = 18, .sh_type = SHT_STRTAB, .sh_offset = STR, .sh_size = sizeof names},
        {.sh_name = 10, .sh_type = SHT_SYMTAB, .sh_offset = SYM, .sh_size = 48, .sh_link = 1},
        {.sh_name = 1, .sh_type = SHT_LOPROC, .sh_offset = INFO, .sh_size = 12}};
    struct wf_str s = {0};
    wf_str_addn(&s, (const char *)&h, sizeof h);
    wf_str_addn(&s, names, sizeof names);
    wf_str_addn(&s, (const char *)symbol, sizeof symbol);
    wf_str_addn(&s, (const char *)info, sizeof info);
    wf_str_addn(&s, "\0\0\0", 4);
    wf_str_addn(&s, (const char *)section, sizeof section);
    return s;
}

WF_TEST(registers_come_from_the_cubin)
{
    struct wf_str cubin = small_cubin(), body = {0}, s;
    struct wf_fatbin f;
    struct wf_err err;
    add_entry(&body, (struct wf__entry){.kind = WF__ENTRY_CUBIN, .arch = 90}, cubin.at, cubin.n);
    add_entry(&body, (struct wf__entry){.kind = WF__ENTRY_PTX, .arch = 90}, text90, sizeof text90);
    s = container(&body);
    CHECK_EQ(load(&s, &f, &err), WF_OK);
    CHECK_EQ(wf_fatbin_regs(&f, "kern", 90), 40);
    CHECK_EQ(wf_fatbin_regs(&f, "kern", 80), 0);
    CHECK_EQ(wf_fatbin_regs(&f, "other", 90), 0);
    wf_fatbin_fini(&f);
    // Damage anywhere in the cubin loses facts, nothing else.
    for (size_t i = 0; i < cubin.n * 8; i++) {
        s.at[sizeof(struct wf__fatbin_head) + sizeof(struct wf__entry) + i / 8] ^=
            (char)(1 << i % 8);
        CHECK_EQ(load(&s, &f, &err), WF_OK);
        wf_fatbin_fini(&f);
        s.at[sizeof(struct wf__fatbin_head) + sizeof(struct wf__entry) + i / 8] ^=
            (char)(1 << i % 8);
    }
    wf_str_fini(&cubin);
    wf_str_fini(&body);
    wf_str_fini(&s);
}

WF_TEST(machine_code_alone_names_the_cure)
{
    struct wf_str body = {0}, s;
    struct wf_fatbin f;
    struct wf_err err;
    add_entry(&body, (struct wf__entry){.kind = WF__ENTRY_CUBIN, .arch = 90}, "\177ELF", 4);
    s = container(&body);
    CHECK_EQ(load(&s, &f, &err), WF_E_UNSUPPORTED);
    CHECK_HAS(err.hint, "-gencode arch=compute_90,code=compute_90");
    wf_str_fini(&body);
    wf_str_fini(&s);
}

WF_TEST(bombs_and_damage_are_refused)
{
    struct wf_str s = {0}, body = {0}, t;
    struct wf_fatbin f;
    struct wf_err err;
    static const char nothing[64];
    add_entry(&body,
              (struct wf__entry){.kind = WF__ENTRY_PTX,
                                 .arch = 90,
                                 .packed_bytes = 64,
                                 .raw_bytes = 1u << 30,
                                 .flags = WF__FLAG_ZSTD},
              nothing, sizeof nothing);
    t = container(&body);
    CHECK_EQ(load(&t, &f, &err), WF_E_INPUT);
    CHECK_HAS(err.text, "claims to unpack");
    wf_fatbin_wrap(text90, strlen(text90), "a.cu", 90, true, &s, &err);
    for (size_t n = 1; n < s.n; n++) { // cut anywhere
        struct wf_str part = {s.at, n, n};
        CHECK_EQ(load(&part, &f, &err), WF_E_INPUT);
    }
    for (size_t i = 0; i < s.n * 8; i++) { // any single bit
        s.at[i / 8] ^= (char)(1 << i % 8);
        if (load(&s, &f, &err) == WF_OK)
            wf_fatbin_fini(&f);
        s.at[i / 8] ^= (char)(1 << i % 8);
    }
    wf_str_fini(&s);
    wf_str_fini(&body);
    wf_str_fini(&t);
}

WF_TEST(text_is_taken_as_it_is)
{
    struct wf_fatbin f;
    struct wf_err err;
    CHECK_EQ(wf_fatbin_from_image(text90, SIZE_MAX, 90, &f, &err), WF_OK);
    CHECK_STR(f.ptx.at[0].text, text90);
    wf_fatbin_fini(&f);
    CHECK_EQ(wf_fatbin_from_image("// only a comment", 17, 90, &f, &err), WF_E_INPUT);
    CHECK_EQ(wf_fatbin_from_image("", 0, 90, &f, &err), WF_E_INPUT);
}
