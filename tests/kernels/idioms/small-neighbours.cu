// Threads write single bytes and halves beside each other, which is allowed; bits of one word are not.
#include "../engine/host.h"
struct Bits { unsigned a : 4, b : 4, c : 24; };
const int T = 64;

__global__ void pack(unsigned char *bytes, unsigned short *halves, Bits *bits)
{
    int t = threadIdx.x;
    bytes[t] = (unsigned char)t;
    halves[t ^ 1] = (unsigned short)(t * 3);
#ifdef FIX
    if (t == 0) {
        bits->a = 5;
        bits->b = 9;
    }
#else
    if (t == 0)
        bits->a = 5;
    if (t == 40)
        bits->b = 9;
#endif
}

int main()
{
    unsigned char b[T];
    unsigned short h[T];
    for (int i = 0; i < T; i++) { b[i] = (unsigned char)i; h[i ^ 1] = (unsigned short)(i * 3); }
    Bits want = {5, 9, 0};
    Dev<unsigned char> db(T);
    Dev<unsigned short> dh(T);
    Dev<Bits> dbits(1);
    pack<<<1, T>>>(db.p, dh.p, dbits.p);
    same("bytes", db.get(), b, T);
    same("halves", dh.get(), h, T);
    same("bits", dbits.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-global @18 @20
