/* A host that waits for a task which itself waits for a run of its own: the host helps with that inner
 * run as a worker does (help_until in run.c, mapal_pool_enter_inside in pool.c).
 *
 * The outer run has one task, taken by the host or by a worker. Whoever takes it becomes the host of an
 * inner run with two slices. Twice in the same memory. Verified by `spin`:
 *   - every inner slice is executed once, and before the task completes;
 *   - nobody touches a run that was withdrawn;
 *   - nobody waits for ever.
 * FAULT_n takes one step out of the protocol; the verifier finds each.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#define ROUNDS 2
#define OUTER 0
#define INNER 1

bool locked;
byte arrivals;
byte sleepers;
byte waiting_arrived;
byte signalled_arrived;
bool closing;

/* One of each for the outer and the inner run. */
bool alive[2];
bool offered[2];
byte helpers[2];
bool awaited[2];
bool host_waiting[2];
bool host_signalled[2];
byte takable[2];
bool complete[2]; /* the outer task; both slices of the inner run */
byte remaining; /* slices of the inner run */
byte executed;

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline wake_host(which)
{
    if
    :: awaited[which] -> atomic { if :: host_waiting[which] -> host_signalled[which] = true :: else fi }
    :: else
    fi
}

inline host_sleep(which)
{
    awaited[which] = true;
    atomic { locked = false; host_waiting[which] = true };
    atomic { host_signalled[which] -> host_signalled[which] = false; host_waiting[which] = false };
    lock();
    awaited[which] = false
}

inline announce(which, slices)
{
    takable[which] = slices;
    arrivals++;
    atomic {
        woken = 0;
        do
        :: woken < slices && woken < sleepers ->
            if
            :: waiting_arrived > signalled_arrived -> signalled_arrived++
            :: else
            fi;
            woken++
        :: else -> break
        od;
        woken = 0
    };
    /* The host of the run, and of the run around it. */
    wake_host(which);
    if :: which == INNER -> wake_host(OUTER) :: else fi
}

inline take(which)
{
    assert(alive[which]);
    atomic { if :: takable[which] > 0 -> takable[which]--; took = true :: else -> took = false fi }
}

/* One slice of the inner run, if there is one; `took` says so. */
inline inner_once()
{
    take(INNER);
    if
    :: took ->
        executed++;
        atomic { remaining--; last = (remaining == 0) };
        if
        :: last ->
            lock();
            complete[INNER] = true;
            wake_host(INNER);
            unlock()
        :: else
        fi
    :: else
    fi;
    last = false
}

inline withdraw(which)
{
    lock();
    offered[which] = false;
    do
    :: helpers[which] != 0 -> host_sleep(which)
    :: else -> break
    od;
    unlock();
    alive[which] = false
}

/* The task of the outer run. */
inline outer_task()
{
    atomic { alive[INNER] = true; complete[INNER] = false; remaining = 2; executed = 0 };
    lock();
    offered[INNER] = true;
    announce(INNER, 2);
    unlock();
    do
    :: complete[INNER] -> break
    :: else ->
        inner_once();
        if
        :: took
        :: else ->
            lock();
            if
            :: !complete[INNER] && takable[INNER] == 0 -> host_sleep(INNER)
            :: else
            fi;
            unlock()
        fi
    od;
    withdraw(INNER);
    assert(executed == 2);
    lock();
    complete[OUTER] = true;
    wake_host(OUTER);
    unlock();
    took = false
}

inline leave(which)
{
    helpers[which]--;
    if :: helpers[which] == 0 -> wake_host(which) :: else fi
}

proctype worker()
{
    byte seen, woken;
    bool took, last;
    lock();
    do
    :: closing -> break
    :: !closing && offered[INNER] && takable[INNER] > 0 ->
        helpers[INNER]++;
        unlock();
        do
        :: inner_once();
            if :: !took -> break :: else fi
        od;
        lock();
        leave(INNER)
    :: !closing && !(offered[INNER] && takable[INNER] > 0) && offered[OUTER] && takable[OUTER] > 0 ->
        helpers[OUTER]++;
        unlock();
        take(OUTER);
        if :: took -> outer_task() :: else fi;
        lock();
        leave(OUTER)
    :: !closing && !(offered[INNER] && takable[INNER] > 0) &&
       !(offered[OUTER] && takable[OUTER] > 0) ->
        seen = arrivals;
        unlock();
        lock();
        sleepers++;
        do
        :: arrivals == seen && !closing ->
            atomic { locked = false; waiting_arrived++ };
            atomic { signalled_arrived > 0 -> signalled_arrived--; waiting_arrived-- };
            lock()
        :: else -> break
        od;
        sleepers--;
        seen = 0
    od;
    unlock()
}

/* The host helps inside its run; `took` says whether it entered. */
inline help_inside()
{
    lock();
    if
    :: offered[INNER] && takable[INNER] > 0 ->
#ifdef FAULT_2
        unlock();
        helpers[INNER]++;
#else
        helpers[INNER]++;
        unlock();
#endif
        do
        :: complete[OUTER] -> break
        :: else ->
            inner_once();
            if :: !took -> break :: else fi
        od;
        lock();
#ifdef FAULT_1
        helpers[INNER]--;
#else
        leave(INNER);
#endif
        took = true
    :: else -> took = false
    fi;
    unlock()
}

init
{
    byte woken, round, started;
    bool took, last;
    do
    :: started < WORKERS -> started++; run worker()
    :: else -> break
    od;
    do
    :: round < ROUNDS ->
        atomic { alive[OUTER] = true; complete[OUTER] = false };
        lock();
        offered[OUTER] = true;
        announce(OUTER, 1);
        unlock();
        do
        :: complete[OUTER] -> break
        :: else ->
            take(OUTER);
            if
            :: took -> outer_task()
            :: else ->
                help_inside();
                if
                :: took
                :: else ->
                    lock();
                    if
#ifdef FAULT_3
                    :: takable[OUTER] == 0 && !(offered[INNER] && takable[INNER] > 0) ->
#else
                    :: !complete[OUTER] && takable[OUTER] == 0 &&
                       !(offered[INNER] && takable[INNER] > 0) ->
#endif
                        host_sleep(OUTER)
                    :: else
                    fi;
                    unlock()
                fi
            fi
        od;
        withdraw(OUTER);
        round++
    :: else -> break
    od;
    lock();
    closing = true;
    signalled_arrived = waiting_arrived;
    unlock()
}
