/* The protocol of pool.c, run.c and slices.c: workers that enter work under a lock, take slices without it, and
 * sleep; a host that offers two runs in the same memory, helps, sleeps and withdraws them.
 *
 * A run has three tasks: SPLIT with two slices; AFTER with two, which needs SPLIT; HOST, which the
 * host itself executes when SPLIT is complete. Verified by `spin`:
 *   - every slice is executed once, and after what it needs;
 *   - no worker touches a run that was withdrawn;
 *   - nobody waits for ever (no invalid end state): each wake-up that is needed comes;
 *   - the host is never told that a task of its own is not ready when all before it is complete.
 * FAULT_n takes one step out of the protocol; the verifier finds each.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#define LANES (WORKERS + 1)
#define RUNS 2

#define SPLIT 0
#define AFTER 1
#define HOST 2
#define TASKS 3

/* The pool. */
bool locked;
byte arrivals;          /* modulo 256; a worker never sleeps through as many */
byte sleepers;          /* as pool.c counts them */
byte waiting_arrived;   /* threads inside the wait for `arrived` */
byte signalled_arrived; /* of those, how many have been woken */
bool offered;
bool closing;

/* The run. */
bool alive; /* its memory may be touched */
byte helpers;
bool awaited;
bool host_waiting;
bool host_signalled;
short takable; /* of the run */
short task_takable[TASKS];
byte share[TASKS * LANES];
byte remaining[TASKS];
byte executed[TASKS];
bool ready[TASKS];
bool complete[TASKS];
bool successors_told; /* SPLIT's completion has reached AFTER and HOST */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

inline wake_host()
{
    if
    :: awaited ->
        atomic { if :: host_waiting -> host_signalled = true :: else fi }
    :: else
    fi
}

inline host_sleep()
{
    awaited = true;
    atomic { locked = false; host_waiting = true };
    atomic { host_signalled -> host_signalled = false; host_waiting = false };
    lock();
    awaited = false
}

inline announce(slices)
{
    takable = takable + slices;
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
    wake_host()
}

/* Two slices: one for the host's lane, one for the last worker's. */
inline make_ready(task)
{
    share[task * LANES] = 1;
    share[task * LANES + WORKERS] = 1;
    task_takable[task] = 2;
    ready[task] = true
}

inline make_complete(task)
{
    complete[task] = true;
    if
    :: task == SPLIT ->
        make_ready(AFTER);
        ready[HOST] = true;
        successors_told = true;
        announce(2)
    :: else -> wake_host()
    fi
}

/* One slice of any ready task, if there is one; `worked` says so. */
inline work_once()
{
    worked = false;
    do
    :: !worked ->
        assert(alive);
        if
        :: ready[SPLIT] && task_takable[SPLIT] > 0 -> task = SPLIT
        :: ready[AFTER] && task_takable[AFTER] > 0 -> task = AFTER
        :: else -> break
        fi;
        lane = own;
        looked = 0;
        do
        :: looked < LANES ->
            /* The compare-and-swap. */
            atomic {
                if
                :: share[task * LANES + lane] > 0 ->
                    share[task * LANES + lane]--;
                    worked = true
                :: else
                fi
            };
            if
            :: worked -> break
            :: else -> lane = (lane + 1) % LANES; looked++
            fi
        :: else -> break
        od;
        if
        :: worked ->
            task_takable[task]--;
            takable--;
            executed[task]++;
            assert(task == SPLIT || complete[SPLIT]);
            atomic { remaining[task]--; last = (remaining[task] == 0) };
            if
            :: last ->
                lock();
                make_complete(task);
                unlock()
            :: else
            fi
        :: else
        fi
    :: else -> break
    od;
    looked = 0;
    lane = 0;
    task = 0;
    last = false
}

proctype worker(byte own)
{
    byte seen, task, lane, looked, woken;
    bool worked, last;
    lock();
    do
    :: closing -> break
    :: !closing && offered && takable > 0 ->
#ifdef FAULT_2
        unlock();
        helpers++;
#else
        helpers++;
        unlock();
#endif
        do
        :: work_once();
            if :: !worked -> break :: else fi
        od;
        lock();
        helpers--;
#ifndef FAULT_1
        if :: helpers == 0 -> wake_host() :: else fi
#endif
    :: !closing && !(offered && takable > 0) ->
        seen = arrivals;
        unlock();
        /* Looks for a moment. */
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

/* `condition` is looked at without the lock first, as help_until does. */
#define HELP_UNTIL(condition)                                                                      \
    do                                                                                             \
    :: condition -> break                                                                          \
    :: else ->                                                                                     \
        work_once();                                                                               \
        if                                                                                         \
        :: worked                                                                                  \
        :: else ->                                                                                 \
            lock();                                                                                \
            if                                                                                     \
            :: RECHECK(condition) && takable <= 0 -> host_sleep()                                  \
            :: else                                                                                \
            fi;                                                                                    \
            unlock()                                                                               \
        fi                                                                                         \
    od

#ifdef FAULT_3
#define RECHECK(condition) true
#else
#define RECHECK(condition) !(condition)
#endif

init
{
    byte own = 0, task, lane, looked, woken, round, started;
    bool worked, last;
    do
    :: started < WORKERS -> started++; run worker(started)
    :: else -> break
    od;
    do
    :: round < RUNS ->
        atomic {
            alive = true;
            remaining[SPLIT] = 2;
            remaining[AFTER] = 2;
            executed[SPLIT] = 0;
            executed[AFTER] = 0;
            ready[SPLIT] = false;
            ready[AFTER] = false;
            ready[HOST] = false;
            complete[SPLIT] = false;
            complete[AFTER] = false;
            complete[HOST] = false;
            successors_told = false;
            takable = 0
        };
        lock();
        offered = true;
        make_ready(SPLIT);
        announce(2);
        unlock();

        HELP_UNTIL(complete[SPLIT]);
#ifndef FAULT_4
        lock();
#endif
        /* The host's own task is ready by now. */
        assert(ready[HOST]);
#ifdef FAULT_4
        lock();
#endif
        make_complete(HOST);
        unlock();

        HELP_UNTIL(complete[AFTER]);
        lock();
        offered = false;
#ifndef FAULT_5
        do
        :: helpers != 0 -> host_sleep()
        :: else -> break
        od;
#endif
        unlock();
        alive = false;
        assert(executed[SPLIT] == 2 && executed[AFTER] == 2);
        round++
    :: else -> break
    od;
    lock();
    closing = true;
    signalled_arrived = waiting_arrived;
    unlock()
}
