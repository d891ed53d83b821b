// SPDX-License-Identifier: Apache-2.0
// A 128-bit content hash (SipHash-2-4 with fixed keys) for cache names: no adversary is meant, but
// two different inputs must not meet by accident.
#ifndef WF_FRONT_HASH_H
#define WF_FRONT_HASH_H

#include <stddef.h> // size_t
#include <stdint.h> // uint64_t

struct wf__hash {
    uint64_t v[4], tail, total;
};

#define WF__HASH_TEXT 33 // 32 hexadecimal digits and a NUL

void wf__hash_init(struct wf__hash *h);
void wf__hash_add(struct wf__hash *h, const void *data, size_t n);
// A string with its end, so that "ab","c" and "a","bc" differ.
void wf__hash_text(struct wf__hash *h, const char *s);
void wf__hash_end(struct wf__hash *h, char out[WF__HASH_TEXT]);

#endif
