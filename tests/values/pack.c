// SPDX-License-Identifier: Apache-2.0
// Makes h200.bin of a recording: pack ops.txt full.bin h200.bin. For every operation: the hash of
// its text, then the first VAL_STORED results and a hash of each later block. No header; the order
// is that of ops.txt.
#include <stdio.h>  // fopen
#include <stdlib.h> // calloc

#include "values.c"

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = calloc(1, (size_t)n + 1);
    size_t got = fread(s, 1, (size_t)n, f);
    fclose(f);
    return got == (size_t)n ? s : NULL;
}

int main(int argc, char **argv)
{
    char *text = argc == 4 ? slurp(argv[1]) : NULL, *full = argc == 4 ? slurp(argv[2]) : NULL;
    FILE *f = text && full ? fopen(argv[3], "wb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: pack ops.txt full.bin h200.bin\n");
        return 2;
    }
    struct val_op *ops;
    uint32_t n = val_read(text, &ops);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t bytes = val_bytes(&ops[k].dst),
                 id = val_hash(ops[k].text, (uint32_t)strlen(ops[k].text));
        fwrite(&id, 4, 1, f);
        fwrite(full, bytes, VAL_STORED, f);
        for (uint32_t h = 0; h < VAL_HASHES; h++) {
            uint32_t sum = val_hash(full + (VAL_STORED + h * VAL_BLOCK) * bytes, VAL_BLOCK * bytes);
            fwrite(&sum, 4, 1, f);
        }
        full += (size_t)bytes * VAL_N;
    }
    return fclose(f) != 0;
}
