// SPDX-License-Identifier: Apache-2.0
// SipHash (Aumasson and Bernstein), 128-bit output, fed in pieces: `tail` holds the bytes of the
// word that is not yet full.
#include "front/hash.h"

#include <stdio.h>  // snprintf
#include <string.h> // memcpy

static uint64_t rotl(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

static void rounds(uint64_t v[4], int n)
{
    while (n--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotl(v[1], 13) ^ v[0];
        v[3] = rotl(v[3], 16) ^ v[2];
        v[0] = rotl(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotl(v[1], 17) ^ v[2];
        v[3] = rotl(v[3], 21) ^ v[0];
        v[2] = rotl(v[2], 32);
    }
}

static void absorb(struct wf__hash *h, uint64_t word)
{
    h->v[3] ^= word;
    rounds(h->v, 2);
    h->v[0] ^= word;
}

void wf__hash_init(struct wf__hash *h)
{
    const uint64_t k0 = 0x7761727066656e63u, k1 = 0x652d66726f6e742du;
    *h = (struct wf__hash){.v = {k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du ^ 0xee,
                                 k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u}};
}

void wf__hash_add(struct wf__hash *h, const void *data, size_t n)
{
    const unsigned char *p = data;
    for (; n && h->total % 8; n--, h->total++) {
        h->tail |= (uint64_t)*p++ << (h->total % 8 * 8);
        if (h->total % 8 == 7) {
            absorb(h, h->tail);
            h->tail = 0;
        }
    }
    for (; n >= 8; n -= 8, p += 8, h->total += 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        absorb(h, word);
    }
    for (; n; n--, h->total++)
        h->tail |= (uint64_t)*p++ << (h->total % 8 * 8);
}

void wf__hash_text(struct wf__hash *h, const char *s)
{
    wf__hash_add(h, s, strlen(s) + 1);
}

void wf__hash_end(struct wf__hash *h, char out[WF__HASH_TEXT])
{
    absorb(h, h->tail | h->total << 56);
    h->v[2] ^= 0xee;
    rounds(h->v, 4);
    uint64_t low = h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3];
    h->v[1] ^= 0xdd;
    rounds(h->v, 4);
    uint64_t high = h->v[0] ^ h->v[1] ^ h->v[2] ^ h->v[3];
    snprintf(out, WF__HASH_TEXT, "%016llx%016llx", (unsigned long long)high,
             (unsigned long long)low);
}
