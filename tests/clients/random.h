/* Random numbers of a thread, the same for the same seed. */
#ifndef PUMICE_CLIENT_RANDOM_H
#define PUMICE_CLIENT_RANDOM_H
#include <stdint.h>

static __thread uint64_t random_state;

static inline uint64_t next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1d;
}
static inline unsigned below(unsigned n) { return (unsigned)((next() >> 33) % n); }
static inline int chance(unsigned percent) { return below(100) < percent; }

/* Begins the numbers of a seed. */
static inline void begin_random(uint64_t seed)
{
    random_state = seed * 0x9e3779b97f4a7c15 + 0x1234567;
    next();
}
#endif
