// SPDX-License-Identifier: Apache-2.0
// Build-time generator: docs/findings/WFnnn.md of every row of core/finding.def -> one C file.
// Usage: gen_pages <directory of the pages> <output.c>. A row without a page stops the build.
#include <errno.h>  // errno
#include <stdio.h>  // FILE
#include <string.h> // strerror

static const struct row {
    unsigned number;
    const char *slug;
} rows[] = {
#define WF_FINDING(id, number, slug, severity, title) {number, slug},
#include "core/finding.def"
#undef WF_FINDING
};
#define N_ROWS (sizeof rows / sizeof *rows)

// One C string literal a line of the page.
static void copy_text(FILE *in, FILE *out)
{
    int c, is_open = 0;
    while ((c = getc(in)) != EOF) {
        if (!is_open)
            fputs("\n        \"", out);
        is_open = 1;
        if (c == '\n') {
            fputs("\\n\"", out);
            is_open = 0;
        } else if (c == '"' || c == '\\' || c == '?') { // '?': no trigraphs
            fprintf(out, "\\%c", c);
        } else if (c < 0x20 || c >= 0x7f) {
            fprintf(out, "\\%03o", (unsigned)c);
        } else {
            putc(c, out);
        }
    }
    if (is_open)
        putc('"', out);
}

static int add_page(const char *dir, const struct row *r, FILE *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/WF%03u.md", dir, r->number);
    FILE *in = fopen(path, "r");
    if (!in) {
        fprintf(stderr, "gen_pages: WF%03u %s of core/finding.def has no page: %s: %s\n", r->number,
                r->slug, path, strerror(errno));
        return 0;
    }
    fprintf(out, "    {%u,", r->number);
    copy_text(in, out);
    fputs("},\n", out);
    int ok = !ferror(in);
    fclose(in);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: gen_pages <docs/findings> <output.c>\n");
        return 2;
    }
    FILE *out = fopen(argv[2], "w");
    if (!out) {
        fprintf(stderr, "gen_pages: %s: %s\n", argv[2], strerror(errno));
        return 1;
    }
    fputs("// Made by src/report/gen_pages.c from docs/findings. Do not edit.\n"
          "#include \"report/pages.h\"\n\nconst struct wf__page wf__pages[] = {\n",
          out);
    int ok = 1;
    for (size_t i = 0; i < N_ROWS; i++)
        ok = add_page(argv[1], &rows[i], out) && ok;
    fprintf(out, "};\nconst uint32_t wf__n_pages = %zu;\n", N_ROWS);
    ok = !ferror(out) && ok;
    ok = fclose(out) == 0 && ok;
    if (!ok)
        remove(argv[2]);
    return ok ? 0 : 1;
}
