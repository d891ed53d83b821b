// SPDX-License-Identifier: Apache-2.0
// Maps against a plain array, with many deletions (the part that open addressing gets wrong).
#include "base/map.h"

#include "test.h"

#define KEYS 500

WF_TEST(random_against_an_array)
{
    static char *model[KEYS], cells[16];
    struct wf_map m = {0};
    uint32_t seed = 1;
    size_t n = 0;
    for (int step = 0; step < 200000; step++) {
        seed = seed * 1664525u + 1013904223u;
        size_t k = (seed >> 8) % KEYS;
        uint64_t key = (uint64_t)k << 32; // low bits equal: a hash must mix
        if (seed >> 31) {
            n += !model[k];
            model[k] = &cells[seed % 16];
            wf_map_put(&m, key, model[k]);
        } else {
            n -= model[k] != NULL;
            CHECK(wf_map_del(&m, key) == model[k]);
            model[k] = NULL;
        }
        if (m.n != n || wf_map_get(&m, key) != model[k]) {
            CHECK(!"map agrees with the array");
            break;
        }
    }
    for (size_t k = 0; k < KEYS; k++)
        CHECK(wf_map_get(&m, (uint64_t)k << 32) == model[k]);
    size_t seen = 0;
    uint64_t key;
    void *value;
    for (size_t i = 0; wf_map_next(&m, &i, &key, &value);) {
        CHECK(value == model[key >> 32]);
        seen++;
    }
    CHECK_EQ(seen, n);
    wf_map_fini(&m);
}

WF_TEST(empty)
{
    struct wf_map m = {0};
    CHECK(wf_map_get(&m, 0) == NULL);
    CHECK(wf_map_del(&m, 0) == NULL);
    struct wf_smap s = {0};
    CHECK(wf_smap_get(&s, "x") == NULL);
    wf_map_fini(&m);
    wf_smap_fini(&s);
}

WF_TEST(strings)
{
    static char names[1000][8];
    struct wf_smap m = {0};
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "k%d", i);
        wf_smap_put(&m, names[i], names[i]);
    }
    CHECK_EQ(m.n, 1000);
    for (int i = 0; i < 1000; i++) {
        char copy[8];
        memcpy(copy, names[i], sizeof copy);
        CHECK(wf_smap_get(&m, copy) == names[i]);
    }
    CHECK(wf_smap_getn(&m, "k77xyz", 3) == names[77]);
    CHECK(wf_smap_get(&m, "k") == NULL);
    wf_smap_put(&m, "k5", names[6]);
    CHECK(wf_smap_get(&m, "k5") == names[6]);
    CHECK_EQ(m.n, 1000);
    wf_smap_put(&m, "", names[0]);
    CHECK(wf_smap_get(&m, "") == names[0]);
    wf_smap_fini(&m);
}
