// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over the files named, without a fuzzer: the seed corpus as a test in every
// build.
#include <dirent.h> // opendir
#include <stdint.h> // uint8_t
#include <stdio.h>  // snprintf

#include "base/file.h" // wf_file_read

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replay(const char *path)
{
    struct wf_file f;
    struct wf_err err;
    if (wf_file_read(path, &f, &err) != WF_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)f.at, f.n);
    // Cut short at many places: the cheapest kind of damage.
    for (size_t n = 0; n < f.n; n += 1 + f.n / 64)
        LLVMFuzzerTestOneInput((const uint8_t *)f.at, n);
    wf_file_fini(&f);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = argc < 2, n = 0;
    for (int i = 1; i < argc; i++) {
        DIR *dir = opendir(argv[i]);
        for (struct dirent *e; dir && (e = readdir(dir));) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            if (e->d_name[0] == '.')
                continue;
            bad |= replay(path);
            n++;
        }
        if (dir)
            closedir(dir);
    }
    printf("%d inputs\n", n);
    return bad || n == 0;
}
