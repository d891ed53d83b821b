// SPDX-License-Identifier: Apache-2.0
// Readable names: recorded pairs (as c++filt writes them) and broken names.
#include "test.h"

#include "base/arena.h"
#include "report/demangle.h"

static const struct {
    const char *mangled, *full, *signature, *name;
} rows[] = {
    {"_Z8exchangePKfPfi", "exchange(float const*, float*, int)",
     "exchange(float const*, float*, int)", "exchange"},
    {"_Z1kv", "k()", "k()", "k"},
    {"_ZN8__main__4turnB2v1B8cw51cXTLEi", "__main__::turn(int)", "__main__::turn(int)",
     "__main__::turn"},
    {"_Z1kB5cxx11v", "k[abi:cxx11]()", NULL, "k[abi:cxx11]"},
    {"_ZL4statPVKfPA4_fRA3_i", "stat(float const volatile*, float (*) [4], int (&) [3])", NULL,
     "stat"},
    {"_ZN12_GLOBAL__N_14anonEPi", "(anonymous namespace)::anon(int*)", NULL,
     "(anonymous namespace)::anon"},
    {"_Z2ttI1WiEvT_IT0_EPS1_", "void tt<W, int>(W<int>, W*)", "tt<W, int>(W<int>, W*)",
     "tt<W, int>"},
    {"_Z4packIJifEEvPiDpT_", "void pack<int, float>(int*, int, float)", NULL, "pack<int, float>"},
    {"_Z4packIJEEvPiDpT_", "void pack<>(int*)", NULL, "pack<>"},
    {"_Z1fIJifEEvDpPT_", "void f<int, float>(int*, float*)", NULL, "f<int, float>"},
    {"_Z2tkIfLi3ELb1ELj7ELln9ELc99EEvN1S2InIT_XT0_EEEPS2_S4_",
     "void tk<float, 3, true, 7u, -9l, (char)99>(S::In<float, 3>, float*, float*)", NULL,
     "tk<float, 3, true, 7u, -9l, (char)99>"},
    {"_Z3fooPFvifE", "foo(void (*)(int, float))", NULL, "foo"},
    {"_Z3fooM1SKFivE", "foo(int (S::*)() const)", NULL, "foo"},
    {"_Z3fooM1Si", "foo(int S::*)", NULL, "foo"},
    {"_Z3fooIRiEvOT_", "void foo<int&>(int&)", NULL, "foo<int&>"},
    {"_ZNK1S3getEv", "S::get() const", NULL, "S::get"},
    {"_ZN1SC1Ev", "S::S()", NULL, "S::S"},
    {"_ZN1AIiED0Ev", "A<int>::~A()", NULL, "A<int>::~A"},
    {"_ZN1SplERKS_", "S::operator+(S const&)", NULL, "S::operator+"},
    {"_ZN1ScviEv", "S::operator int()", NULL, "S::operator int"},
    {"_Z2fnIZ4mainEUliE_EvT_Pi", "void fn<main::{lambda(int)#1}>(main::{lambda(int)#1}, int*)",
     NULL, "fn<main::{lambda(int)#1}>"},
    {"_ZZ4mainENKUliE0_clEi", "main::{lambda(int)#2}::operator()(int) const", NULL,
     "main::{lambda(int)#2}::operator()"},
    {"_Z1fDv4_fDF16_", "f(float __vector(4), _Float16)", NULL, "f"},
    {"_Z1fSt6vectorIiSaIiEESs", "f(std::vector<int, std::allocator<int> >, std::string)", NULL,
     "f"},
    {"_ZN3app5stateE", "app::state", NULL, "app::state"},
    {"_Z1kPf.clone.1", "k(float*) [.clone.1]", "k(float*)", "k"},
    // the return type is an expression: the name is kept, the rest is given up
    {"_ZN1n1fIiEEDTplfp_Li1EET_", "n::f<int>(...)", NULL, "n::f<int>"},
    // not mangled, or not a name
    {"plain_c_name", "plain_c_name", NULL, "plain_c_name"},
    {"_Z", "_Z", NULL, "_Z"},
    {"_Z9short", "_Z9short", NULL, "_Z9short"},
    {"", "", NULL, ""},
};

WF_TEST(pairs)
{
    struct wf_arena a;
    wf_arena_init(&a, "test");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wf_demangled d = wf_demangle(&a, rows[i].mangled);
        CHECK_STR(d.full, rows[i].full);
        CHECK_STR(d.name, rows[i].name);
        if (rows[i].signature)
            CHECK_STR(d.signature, rows[i].signature);
    }
    CHECK(wf_demangle(&a, NULL).full == NULL);
    wf_arena_fini(&a);
}

// Bytes changed, cut and doubled: always an answer, in bounded time and memory.
WF_TEST(broken_names)
{
    static const char letters[] = "SNTIJEPRKFADLXZUl0123456789_ctiv.";
    uint32_t seed = 1;
    for (int round = 0; round < 60000; round++) {
        char text[512];
        const char *base = rows[(unsigned)round % (sizeof rows / sizeof *rows)].mangled;
        snprintf(text, sizeof text, "%s%s", base, round % 3 ? "" : base);
        size_t n = strlen(text);
        for (int change = 0; change < 1 + round % 4 && n > 3; change++) {
            seed = seed * 1664525u + 1013904223u;
            text[2 + (seed >> 8) % (n - 2)] = letters[(seed >> 24) % (sizeof letters - 1)];
        }
        struct wf_arena a;
        wf_arena_init(&a, "test");
        struct wf_demangled d = wf_demangle(&a, text);
        CHECK(d.full && d.signature && d.name && strlen(d.full) < 20000);
        wf_arena_fini(&a);
    }
}

// Names made to explode: doubling by substitution, and deep nesting.
WF_TEST(bombs)
{
    char text[16000] = "_Z1fI1A";
    for (int i = 0; i < 300; i++)
        strcat(text, "I1AS_S_E");
    struct wf_arena a;
    wf_arena_init(&a, "test");
    CHECK(wf_demangle(&a, text).full != NULL);
    strcpy(text, "_Z1f");
    for (int i = 0; i < 7000; i++)
        strcat(text, i % 2 ? "P" : "F");
    CHECK_STR(wf_demangle(&a, text).name, "f");
    strcpy(text, "_Z1f1AIiE");
    for (int i = 0; i < 60; i++) { // each argument twice as long as the one before
        char k = (char)(i < 10 ? '0' + i : 'A' + i - 10);
        char piece[32];
        snprintf(piece, sizeof piece, i < 36 ? "1BIS%c_S%c_E" : "1BIiE", k, k);
        strcat(text, piece);
    }
    CHECK(strlen(wf_demangle(&a, text).full) < 20000);
    CHECK(a.used_bytes < (16u << 20));
    wf_arena_fini(&a);
}
