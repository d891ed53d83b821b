// SPDX-License-Identifier: Apache-2.0
// Records what an H200 computes for every line of ops.txt.
//   record ptx ops.txt         prints the PTX module, one entry a line (assemble it: ptxas
//   -arch=sm_90) record run ops.txt x.cubin out        runs the entries, writes VAL_N results of
//   each operation record sweep ops.txt x.cubin sweeps   runs the rows of sweeps.txt and prints
//   that file with its hashes
// Build: gcc -c values.c; nvcc -arch=sm_90 -O1 -cudart static record.cu values.o -o record
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "values.h"

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = (char *)calloc(1, (size_t)n + 1);
    if (fread(s, 1, (size_t)n, f) != (size_t)n)
        s[0] = 0;
    fclose(f);
    return s;
}

static void print_entry(const struct val_op *op, uint32_t k)
{
    static const char names[] = "abce";
    char body[2000];
    val_body(op, body, sizeof body);
    printf("// %s\n.visible .entry op%u(.param .u64 in, .param .u64 out)\n{\n", op->text, k);
    printf(".reg .b64 pin, pout, off; .reg .b32 row, r2;\n");
    // Declarations first: the body starts with them and goes on with the instructions.
    char *rest = body, *line;
    char decl[2000] = "", code[2000] = "";
    while ((line = strsep(&rest, "\n")) != NULL)
        strcat(strncmp(line, ".reg", 4) ? code : decl, line),
            strcat(strncmp(line, ".reg", 4) ? code : decl, "\n");
    // A predicate source's setp stands on its declaration's line: move it behind the loads.
    char *p = decl;
    while ((p = strstr(p, " setp")) != NULL) {
        char *end = strchr(p, '\n');
        char piece[100];
        snprintf(piece, sizeof piece, "%.*s\n", (int)(end - p), p);
        char rest_code[2000];
        snprintf(rest_code, sizeof rest_code, "%s%s", piece, code);
        strcpy(code, rest_code);
        memmove(p, end, strlen(end) + 1);
    }
    printf("%s", decl);
    printf("ld.param.u64 pin, [in]; ld.param.u64 pout, [out];\n"
           "mov.u32 row, %%ctaid.x; mov.u32 r2, %%ntid.x; mul.lo.u32 row, row, r2; mov.u32 r2, "
           "%%tid.x;"
           " add.u32 row, row, r2;\n");
    for (uint32_t i = 0; i < op->n_src; i++) {
        uint32_t bytes = val_bytes(&op->src[i]);
        printf("mul.wide.u32 off, row, %u; add.u64 off, off, pin; add.u64 off, off, %u; "
               "ld.global.b%u %c%s, [off];\n",
               bytes, i * 8 * VAL_N, bytes * 8, names[i], op->src[i].bits == 1 ? "1" : "");
    }
    printf("%s", code);
    uint32_t bytes = val_bytes(&op->dst);
    printf(
        "mul.wide.u32 off, row, %u; add.u64 off, off, pout; st.global.b%u [off], d%s;\nret;\n}\n",
        bytes, bytes * 8, op->dst.bits == 1 ? "1" : "");
}

#define TRY(x)                                                                                     \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_));                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static uint8_t *din, *dout, *hin, *hout;

// VAL_N rows from hin to hout.
static int launch(cudaLibrary_t lib, uint32_t k)
{
    char name[20];
    cudaKernel_t kernel;
    snprintf(name, sizeof name, "op%u", k);
    TRY(cudaLibraryGetKernel(&kernel, lib, name));
    TRY(cudaMemcpy(din, hin, VAL_MAX_SRC * 8 * VAL_N, cudaMemcpyHostToDevice));
    void *args[2] = {&din, &dout};
    TRY(cudaLaunchKernel((const void *)kernel, dim3(VAL_N / 128), dim3(128), args, 0, 0));
    TRY(cudaMemcpy(hout, dout, 8 * VAL_N, cudaMemcpyDeviceToHost));
    return 0;
}

static int run(const struct val_op *ops, uint32_t n, cudaLibrary_t lib, const char *out)
{
    FILE *f = fopen(out, "wb");
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < ops[k].n_src; i++)
            for (uint32_t row = 0; row < VAL_N; row++) {
                uint64_t v = val_input(&ops[k], i, row);
                uint32_t bytes = val_bytes(&ops[k].src[i]);
                memcpy(hin + i * 8 * VAL_N + row * bytes, &v, bytes);
            }
        if (launch(lib, k))
            return 1;
        fwrite(hout, val_bytes(&ops[k].dst), VAL_N, f);
    }
    fclose(f);
    printf("%u operations recorded\n", n);
    return 0;
}

static int sweep(const struct val_op *ops, uint32_t n, cudaLibrary_t lib, const char *text)
{
    while (*text) {
        struct val_sweep w;
        size_t len = strcspn(text, "\n");
        if (!val_sweep_read(text, &w)) {
            printf("%.*s\n", (int)len, text);
        } else {
            uint32_t k = 0, hash = 0;
            while (k < n && strcmp(ops[k].text, w.text))
                k++;
            uint32_t bytes = val_bytes(&ops[k].src[0]);
            for (uint32_t done = 0; done < w.count; done += VAL_N) {
                for (uint32_t row = 0; row < VAL_N; row++) {
                    uint32_t v = w.first + (done + row) * w.step;
                    memcpy(hin + row * bytes, &v, bytes);
                }
                if (launch(lib, k))
                    return 1;
                hash = hash * 31 + val_hash(hout, VAL_N * val_bytes(&ops[k].dst));
            }
            printf("%08x %08x %u %x | %s\n", hash, w.first, w.count, w.step, w.text);
        }
        text += len + (text[len] == '\n');
    }
    return 0;
}

static int on_device(const struct val_op *ops, uint32_t n, char **argv)
{
    cudaLibrary_t lib;
    hin = (uint8_t *)calloc(VAL_MAX_SRC * 8, VAL_N);
    hout = (uint8_t *)calloc(8, VAL_N);
    TRY(cudaMalloc(&din, VAL_MAX_SRC * 8 * VAL_N));
    TRY(cudaMalloc(&dout, 8 * VAL_N));
    TRY(cudaLibraryLoadFromFile(&lib, argv[3], NULL, NULL, 0, NULL, NULL, 0));
    if (!strcmp(argv[1], "run"))
        return run(ops, n, lib, argv[4]);
    char *text = slurp(argv[4]);
    return text ? sweep(ops, n, lib, text) : 2;
}

int main(int argc, char **argv)
{
    char *text = argc > 2 ? slurp(argv[2]) : NULL;
    if (!text) {
        fprintf(stderr, "usage: record ptx ops.txt | record run|sweep ops.txt module.cubin FILE\n");
        return 2;
    }
    struct val_op *ops;
    uint32_t n = val_read(text, &ops);
    if (argc > 4)
        return on_device(ops, n, argv);
    printf(".version 9.0\n.target sm_90\n.address_size 64\n");
    for (uint32_t k = 0; k < n; k++)
        print_entry(&ops[k], k);
    return 0;
}
