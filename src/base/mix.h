/* mix.h — splitmix64: the bit mixer behind hashes and seeded random numbers. */
#ifndef JO_BASE_MIX_H
#define JO_BASE_MIX_H

#include <stdint.h>

static inline uint64_t jo_mix64(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
