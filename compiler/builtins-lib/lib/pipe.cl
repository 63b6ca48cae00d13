// options: -cl-std=CL3.0
// Pipes: each is a ring of packets in global memory that many work-items fill and empty at the same time.
//
// `pumice_target::pipe` has the layout. A place is the number of a packet since the pipe was made,
// modulo 2^32; its slot is its low bits, and `mask` is the number of slots less one. The state of a
// slot is the place less its low bits, plus 1 when the place's packet is there to be read: a slot is
// free for place p at (p & ~mask), full at (p & ~mask) + 1, and free for the next round at
// (p & ~mask) + mask + 1. So memory of zeros is an empty pipe.
//
// A reservation takes places by a compare-exchange on the next place to write or read, once the
// states say that all of them are free or full. The states of a slot only grow: one that is behind
// says that the packet is not there yet, and the reservation fails; one that is ahead says that
// somebody else took the place, and the next place is read again. No other memory is looked at to
// tell these apart, since relaxed loads may be joined and change places. A commit sets the states; it
// waits for no other work-item, so reservations may be committed in any order, and lanes of one
// sub-group cannot block each other. Readers see the packets that stand before the first one that is
// not committed. Fences stand outside the loops, whose atomics are relaxed: lavapipe 22.3 gives wrong
// results where work-items meet a fence in different rounds.
//
// A reservation is the number of packets in the upper word and the first place in the lower; 0 is
// none. Kernels whose packets have another size than the pipe's get none.

typedef volatile global atomic_uint word;

enum { PACKET_SIZE, MAX_PACKETS, MASK, STATES, NEXT_WRITE, NEXT_READ, KNOWN_FULL };

static uint get(global uint *at) {
    return atomic_load_explicit((word *)at, memory_order_relaxed, memory_scope_device);
}

static bool replace(global uint *at, uint expected, uint desired) {
    return atomic_compare_exchange_strong_explicit((word *)at, &expected, desired,
        memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}

static uint state_of(global uint *ring, uint place) {
    return get(ring + ring[STATES] + (place & ring[MASK]));
}

// Returns 0 if the state of each place from `first` on is the place less its low bits plus `more`; less
// than 0 if the first state that differs is behind that, more than 0 if it is ahead.
static int compare(global uint *ring, uint first, uint count, uint more) {
    uint mask = ring[MASK];
    int difference = state_of(ring, first) - ((first & ~mask) + more);
    for (uint i = 1; i < count && difference == 0; ++i) {
        uint place = first + i;
        difference = state_of(ring, place) - ((place & ~mask) + more);
    }
    return difference;
}

static void set_all(global uint *ring, ulong id, uint more) {
    uint first = (uint)id, count = (uint)(id >> 32);
    uint mask = ring[MASK];
    global uint *states = ring + ring[STATES];
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    for (uint i = 0; i < count; ++i) {
        uint place = first + i;
        atomic_store_explicit((word *)(states + (place & mask)), (place & ~mask) + more,
            memory_order_relaxed, memory_scope_device);
    }
}

static ulong reserve(global uint *ring, uint size, uint count, uint next, uint behind, uint more) {
    if (size != ring[PACKET_SIZE] || count - 1 >= ring[MAX_PACKETS])
        return 0;
    ulong id = 0;
    for (;;) {
        uint first = get(ring + next);
        int difference = compare(ring, first - behind, count, more);
        if (difference < 0)
            break;
        if (difference == 0 && replace(ring + next, first, first + count)) {
            id = (ulong)count << 32 | first;
            break;
        }
    }
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    return id;
}

ulong __pumice_pipe_reserve_read(global uint *ring, uint size, uint count) {
    return reserve(ring, size, count, NEXT_READ, 0, 1);
}

// A packet may be written when the one as many places before as the pipe has packets was read.
ulong __pumice_pipe_reserve_write(global uint *ring, uint size, uint count) {
    return reserve(ring, size, count, NEXT_WRITE, ring[MAX_PACKETS], ring[MASK] + 1);
}

void __pumice_pipe_commit_read(global uint *ring, ulong id) {
    set_all(ring, id, ring[MASK] + 1);
}

void __pumice_pipe_commit_write(global uint *ring, ulong id) {
    set_all(ring, id, 1);
}

// Counts from where the last one who asked stopped.
uint __pumice_pipe_num_packets(global uint *ring) {
    uint most = ring[MAX_PACKETS], mask = ring[MASK];
    uint first = get(ring + NEXT_READ), known = get(ring + KNOWN_FULL);
    uint place = (int)(known - first) > 0 ? known : first;
    while (place - first < most && state_of(ring, place) == (place & ~mask) + 1)
        ++place;
    if (place != known)
        replace(ring + KNOWN_FULL, known, place);
    return min(place - first, most);
}
