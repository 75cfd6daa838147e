/* One stack-like arena per thread: allocation moves a pointer, release moves it back.
 *
 * Memory comes in chunks that stay linked in the order in which they were filled. `current` is the
 * one being filled; those after it are empty and kept for reuse, so a function called a million
 * times asks the system for memory once. A mark is simply the next free address. Chunks are freed when
 * their thread ends. */
#define _DEFAULT_SOURCE /* POSIX threads, and madvise on Linux */

#include "mapal_runtime.h"
#include "output.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

enum {
    SMALLEST_ALIGNMENT = 64, /* a cache line, and the widest vector */
    FIRST_CHUNK_BYTES = 1 << 20,
    LARGEST_USUAL_CHUNK_BYTES = 1 << 26
};

typedef struct chunk chunk;
struct chunk {
    chunk *previous;
    chunk *next;
    unsigned char *base;
    size_t size;
    size_t used;
};

/* `empty` heads the list, so that there always is a current chunk. */
typedef struct {
    chunk empty;
    chunk *current;
    size_t next_chunk_bytes;
} arena;

static _Thread_local arena *thread_arena;

/* Its destructor runs at the end of every thread but the first, which ends with the process. The
 * arena lies on the heap because some systems free thread-local storage before that. */
static pthread_key_t end_of_thread;
static pthread_once_t end_of_thread_made = PTHREAD_ONCE_INIT;

_Noreturn static void fail_exhausted(size_t bytes)
{
    mapal_fail(MAPAL_EXIT_OUTPUT, "out of memory: cannot allocate %llu bytes",
               (unsigned long long)bytes);
}

static void free_arena(void *ended)
{
    arena *own = ended;
    chunk *next = own->empty.next;
    while (next != NULL) {
        chunk *freed = next;
        next = freed->next;
        free(freed->base);
        free(freed);
    }
    free(own);
}

static atomic_bool has_end_of_thread;

static void make_end_of_thread(void)
{
    bool made = pthread_key_create(&end_of_thread, free_arena) == 0;
    atomic_store(&has_end_of_thread, made);
}

/* A library may be unloaded before threads that called it end: nothing of it may be called then. Their
 * arenas stay, and so does one that is in use because a trap ends the process; workers may still read
 * it. The number has it run after the pool has ended its workers. */
__attribute__((destructor(101))) static void forget_end_of_thread(void)
{
    if (atomic_exchange(&has_end_of_thread, false)) {
        (void)pthread_key_delete(end_of_thread);
    }
    arena *own = thread_arena;
    if (own != NULL && own->current == &own->empty) {
        thread_arena = NULL;
        free_arena(own);
    }
}

static arena *this_arena(void)
{
    if (thread_arena == NULL) {
        arena *made = malloc(sizeof *made);
        if (made == NULL) {
            fail_exhausted(sizeof *made);
        }
        *made = (arena){.next_chunk_bytes = FIRST_CHUNK_BYTES};
        made->current = &made->empty;
        /* Without a key the thread's memory would stay until the end of the process: no reason to
         * fail. */
        (void)pthread_once(&end_of_thread_made, make_end_of_thread);
        if (atomic_load(&has_end_of_thread)) {
            (void)pthread_setspecific(end_of_thread, made);
        }
        thread_arena = made;
    }
    return thread_arena;
}

static size_t align_up(size_t value, size_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

/* The block in this chunk, or null if it does not fit. */
static void *place(chunk *in, size_t bytes, size_t alignment)
{
    if (in->base == NULL) {
        return NULL;
    }
    uintptr_t base = (uintptr_t)in->base;
    size_t offset = (size_t)(align_up(base + in->used, alignment) - base);
    if (offset > in->size || bytes > in->size - offset) {
        return NULL;
    }
    in->used = offset + bytes;
    return in->base + offset;
}

/* A chunk that holds the block wherever its memory turns out to lie. */
static chunk *new_chunk(arena *own, size_t bytes, size_t alignment)
{
    size_t size = bytes > own->next_chunk_bytes ? bytes : own->next_chunk_bytes;
    if (size > SIZE_MAX - alignment) {
        fail_exhausted(bytes);
    }
    size = align_up(size, alignment);
    chunk *made = malloc(sizeof *made);
    unsigned char *base = aligned_alloc(alignment, size);
    if (made == NULL || base == NULL) {
        fail_exhausted(bytes);
    }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (alignment >= HUGE_PAGE_BYTES) {
        /* Only a hint: small pages give the same results. */
        (void)madvise(base, size, MADV_HUGEPAGE);
    }
#endif
    *made = (chunk){.base = base, .size = size};
    if (own->next_chunk_bytes < LARGEST_USUAL_CHUNK_BYTES) {
        own->next_chunk_bytes *= 2;
    }
    return made;
}

static void link_after(chunk *before, chunk *added)
{
    added->previous = before;
    added->next = before->next;
    if (before->next != NULL) {
        before->next->previous = added;
    }
    before->next = added;
}

static void unlink_chunk(chunk *removed)
{
    removed->previous->next = removed->next;
    if (removed->next != NULL) {
        removed->next->previous = removed->previous;
    }
}

void *mapal_arena_allocate(int64_t bytes, int64_t alignment)
{
    if (bytes < 0 || alignment <= 0 || (alignment & (alignment - 1)) != 0) {
        mapal_bug("arena request of %lld bytes aligned to %lld", (long long)bytes,
                  (long long)alignment);
    }
    if ((uint64_t)bytes > SIZE_MAX / 2 || (uint64_t)alignment > SIZE_MAX / 4) {
        fail_exhausted((size_t)bytes);
    }
    size_t size = (size_t)bytes;
    size_t boundary = (size_t)alignment;
    if (boundary < SMALLEST_ALIGNMENT) {
        boundary = SMALLEST_ALIGNMENT;
    }
    if (size > HUGE_PAGE_BYTES && boundary < HUGE_PAGE_BYTES) {
        boundary = HUGE_PAGE_BYTES;
    }

    arena *own = this_arena();
    void *block = place(own->current, size, boundary);
    if (block != NULL) {
        return block;
    }
    for (chunk *kept = own->current->next; kept != NULL; kept = kept->next) {
        kept->used = 0;
        block = place(kept, size, boundary);
        if (block != NULL) {
            /* Chunks too small for this block stay behind it, for later and smaller ones. */
            unlink_chunk(kept);
            link_after(own->current, kept);
            own->current = kept;
            return block;
        }
    }
    chunk *made = new_chunk(own, size, boundary);
    link_after(own->current, made);
    own->current = made;
    return place(made, size, boundary);
}

void *mapal_arena_mark(void)
{
    chunk *current = this_arena()->current;
    return current->base == NULL ? NULL : current->base + current->used;
}

void mapal_arena_release(void *mark)
{
    arena *own = this_arena();
    if (mark == NULL) {
        own->current = &own->empty;
        return;
    }
    uintptr_t address = (uintptr_t)mark;
    for (chunk *in = own->current; in != &own->empty; in = in->previous) {
        uintptr_t base = (uintptr_t)in->base;
        if (address >= base && address - base <= in->used) {
            in->used = address - base;
            own->current = in;
            return;
        }
    }
    mapal_bug("arena mark %p is not on the stack of marks", mark);
}
