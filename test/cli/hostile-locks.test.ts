/** Traces of locks that were written to do harm: the command line answers within its bounds, and says what it left out. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boundedInspect } from '../support/bounded-run.ts';
import {
  kernelTrace,
  LOCK_EVENTS,
  lockTrace,
  type WrittenKernelEvent,
  type WrittenLockEvent,
  type LockEventName,
} from '../support/lock-trace.ts';
import { randomOf } from '../support/simulator/random.ts';
import { DEEP } from '../support/tier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

interface Written {
  readonly events: readonly WrittenLockEvent[];
  readonly kernel?: readonly WrittenKernelEvent[];
}

/** Writes a trace below 1 MB. @returns its folder */
function written(name: string, { events, kernel = [] }: Written): string {
  const path = join(folder, name);
  let size = 0;
  const write = (part: string, files: ReadonlyMap<string, Uint8Array>) => {
    mkdirSync(join(path, part), { recursive: true });
    for (const [file, bytes] of files) {
      writeFileSync(join(path, part, file), bytes);
      size += bytes.length;
    }
  };
  if (events.length > 0) write('ust', lockTrace(events));
  if (kernel.length > 0) write('kernel', kernelTrace(kernel));
  expect(size).toBeLessThan(2 ** 20);
  return path;
}

function listOf<T>(length: number, make: (i: number) => T | readonly T[]): T[] {
  return Array.from({ length }, (_, i) => make(i)).flat() as T[];
}

function at(time: number, thread: number, event: LockEventName, lock = 0, status?: number): WrittenLockEvent {
  return { time, thread, event, lock, status };
}

/** A thread asks for a mutex, and gets it some ns later. */
function taken(time: number, thread: number, lock = 0, later = 5): WrittenLockEvent[] {
  return [at(time, thread, 'mutex_lock_req', lock), at(time + later, thread, 'mutex_lock_acq', lock)];
}

/** A thread takes so many mutexes, and may give them back at the end. */
function held(count: number, isGivenBack: boolean): WrittenLockEvent[] {
  return [
    ...listOf(count, (lock) => taken(30 * lock, 1, lock)),
    ...listOf(isGivenBack ? count : 0, (lock) => at(30 * count + 5 * lock, 1, 'mutex_unlock', lock)),
  ];
}

/** So many threads wait for one mutex, which each hands on to the next. */
function queue(count: number): WrittenLockEvent[] {
  return [
    ...taken(1, 1, 0, 1),
    ...listOf(count, (i) => at(10 + i, i + 2, 'mutex_lock_req')),
    ...listOf(count, (i) => [
      at(1e6 + 20 * i, i + 1, 'mutex_unlock'),
      at(1e6 + 20 * i + 5, i + 2, 'mutex_lock_acq'),
    ]),
  ];
}

/** Each of so many threads holds a mutex and waits for that of the next: a deadlock of all. */
function ring(count: number): WrittenLockEvent[] {
  return [
    ...listOf(count, (i) => taken(10 * i, i + 1, i)),
    ...listOf(count, (i) => at(10 * count + 10 * i, i + 1, 'mutex_lock_req', (i + 1) % count)),
  ];
}

/** Threads wait for a mutex whose holder waits for another one again and again. */
function chains(count: number): WrittenLockEvent[] {
  return [
    ...taken(1, 1, 0, 1),
    ...taken(3, 2, 1, 1),
    ...listOf(count, (i) => at(10 + 5 * i, i + 10, 'mutex_lock_req')),
    ...listOf(count, (i) => {
      const begin = 10 + 5 * count + 30 * i;
      return [
        at(begin, 1, 'mutex_lock_req', 1),
        at(begin + 5, 2, 'mutex_unlock', 1),
        at(begin + 10, 1, 'mutex_lock_acq', 1),
        at(begin + 15, 1, 'mutex_unlock', 1),
        ...taken(begin + 20, 2, 1),
      ];
    }),
  ];
}

/** Threads leave a barrier one by one as the one of its round, while others that came later wait. */
function rounds(count: number): WrittenLockEvent[] {
  return [
    ...listOf(2 * count, (i) => at(10 + i, 1 + i, 'barrier_wait_begin')),
    ...listOf(2 * count, (i) => at(1e6 + i, 1 + i, 'barrier_wait_end', 0, i < count ? -1 : 0)),
  ];
}

/** A thread comes to a barrier and leaves it again and again at one time. */
function stays(count: number): WrittenLockEvent[] {
  return listOf(count, () => [at(10, 1, 'barrier_wait_begin'), at(10, 1, 'barrier_wait_end')]);
}

/** So many threads took of a semaphore, and give back the other way round, while as many wait. */
function takes(count: number): WrittenLockEvent[] {
  return [
    ...listOf(count + 1, (i) => [
      at(10 + 4 * i, 1 + i, 'sem_wait_req'),
      at(11 + 4 * i, 1 + i, 'sem_wait_acq'),
    ]),
    ...listOf(count, (i) => at(1e6 + i, 2 + count + i, 'sem_wait_req')),
    ...listOf(count + 1, (i) => at(2e6 + 10 * i, 1 + count - i, 'sem_post')),
    ...listOf(count, (i) => at(4e6 + i, 2 + count + i, 'sem_wait_acq')),
  ];
}

/** So many threads wait for a condition that one signals as often. */
function signals(count: number): WrittenLockEvent[] {
  const names = ['cond_wait_begin', 'cond_signal', 'cond_wait_end'] as const;
  return names.flatMap((event, step) =>
    listOf(count, (i) => at(10 + 1e6 * step + i, step === 1 ? 1 : 2 + i, event)),
  );
}

/** Every pair of some locks is taken in both orders by some threads. */
function pairs(locks: number, threads: number): WrittenLockEvent[] {
  let time = 0;
  const next = (thread: number, event: LockEventName, lock: number) => at(++time, thread, event, lock);
  return listOf(threads * locks * locks, (number) => {
    const thread = Math.floor(number / locks ** 2) + 1;
    const [first, second] = [number % locks, Math.floor(number / locks) % locks];
    if (first === second) return [];
    const takes = [first, second].flatMap((lock) => [
      next(thread, 'mutex_lock_req', lock),
      next(thread, 'mutex_lock_acq', lock),
    ]);
    return [...takes, ...[second, first].map((lock) => next(thread, 'mutex_unlock', lock))];
  });
}

/** A thread holds so many locks while it asks for others, which it never gets. */
function asks(held: number, asked: number): WrittenLockEvent[] {
  return [
    ...listOf(held, (lock) => taken(30 * lock, 1, lock)),
    ...listOf(asked, (i) => at(1e6 + 10 * i, 1, 'mutex_lock_req', held + i)),
  ];
}

/** So many threads read at once, while as many others ask to write in vain. */
function readers(count: number): WrittenLockEvent[] {
  return [
    ...listOf(count, (i) => [
      at(10 * i, i + 1, 'rwlock_rdlock_req'),
      at(10 * i + 5, i + 1, 'rwlock_rdlock_acq'),
    ]),
    ...listOf(count, (i) => at(1e6 + 10 * i, count + 1 + i, 'rwlock_wrlock_req')),
  ];
}

/** So many locks lie in as many modules as told, which lie in each other's memory. */
function modules(count: number, locks: number): WrittenLockEvent[] {
  return [
    ...listOf(count, (i) => at(10 + i, 1, 'bin_info', i / 64, 32_000)),
    ...listOf(locks, (i) => at(1e6 + i, 1, 'mutex_lock_req', (count + i) / 64)),
  ];
}

/** A thread that waits for some locks or conditions at once is woken again and again. */
function wakeUps(events: readonly WrittenLockEvent[], count: number): Written {
  const woken = listOf<WrittenKernelEvent>(count, (i) => [
    { time: 2e6 + 3 * i, event: 'switch', fields: [1, 3, 1] },
    { time: 2e6 + 3 * i + 1, event: 'waking', fields: [1] },
    { time: 2e6 + 3 * i + 2, event: 'switch', fields: [3, 1] },
  ]);
  return { events, kernel: [{ time: 1, event: 'switch', fields: [0, 1] }, ...woken] };
}

/** A thread begins to wait for so many conditions, all of which another one signals. */
function conditions(count: number): WrittenLockEvent[] {
  const names = ['cond_wait_begin', 'cond_signal', 'cond_wait_end'] as const;
  return names.flatMap((event, step) =>
    listOf(count, (lock) => at(10 + [0, 1e6, 5e7][step] + lock, step === 1 ? 2 : 1, event, lock)),
  );
}

/** So many threads of a process wait for futexes, while one of them moves waiters of another futex as often as told. */
function requeues(threads: number, count: number): Written {
  let time = 0;
  const at = (event: WrittenKernelEvent['event'], ...fields: WrittenKernelEvent['fields']) => ({
    ...{ time: ++time, event, fields },
  });
  const waiters = Array.from({ length: threads }, (_, i) => i + 2);
  const behind = (thread: number) => (thread <= threads ? thread + 1 : 1);
  const kernel = [
    ...[1, ...waiters].map((thread) => at('dump', thread, 1)),
    at('switch', 1, 2),
    ...waiters.flatMap((thread) => [
      at('futex', 128, 0x1000 * thread),
      at('switch', thread, behind(thread), 1),
    ]),
    ...listOf(count, (i) => at('futex', 128 + 3, 4, 0x9000000 + 16 * i)),
    at('futex', 128 + 1, 8),
    ...waiters.map((thread) => at('waking', thread)),
    at('switch', 1, 2),
    ...waiters.flatMap((thread) => [at('return', 0), at('switch', thread, behind(thread))]),
  ];
  return { events: [], kernel };
}

/** So many threads wait for a mutex, while its holder leaves its CPU again and again. */
function longPaths(threads: number, switches: number): Written {
  const [first, last, end] = [4, threads + 3, 2e6];
  const waiters = Array.from({ length: threads }, (_, i) => first + i);
  const events: WrittenLockEvent[] = [
    ...taken(1, 1, 0, 1),
    ...waiters.map((thread) => at(100 + thread, thread, 'mutex_lock_req')),
    at(end, 1, 'mutex_unlock'),
    ...waiters.flatMap((thread) => [
      at(end + 20 * thread, thread, 'mutex_lock_acq'),
      at(end + 20 * thread + 5, thread, 'mutex_unlock'),
    ]),
  ];
  const kernel: WrittenKernelEvent[] = [
    { time: 3, event: 'switch', fields: [0, first] },
    ...waiters.map((thread) => {
      const next = thread < last ? thread + 1 : 1;
      return { time: 100 + thread, event: 'switch', fields: [thread, next, 1] } as const;
    }),
    ...listOf<WrittenKernelEvent>(switches, (i) => [
      { time: 1e6 + 2 * i, event: 'switch', fields: [1, 2] },
      { time: 1e6 + 2 * i + 1, event: 'switch', fields: [2, 1] },
    ]),
  ];
  return { events, kernel };
}

const COMMANDS = DEEP ? [['locks'], ['locks', '--json'], ['summary']] : [['locks']];

const TRACES: readonly [name: string, trace: Written, told: RegExp | undefined][] = [
  ['500 held for ever', { events: held(500, false) }, /order of a request not looked at.*: ?467/],
  ['2000 held', { events: held(2000, true) }, /order of a request not looked at.*: ?1967/],
  ...((DEEP
    ? [
        ['37000 held for ever', { events: held(37_000, false) }, /order of a request not looked at/],
        ['a queue of 24000', { events: queue(24_000) }, /wait for a lock, the last part of which/],
        ['a ring of 24000', { events: ring(24_000) }, undefined],
        ['readers', { events: readers(24_000) }, /wait for a lock, the last part of which/],
        ['asks', { events: asks(12_000, 48_000) }, /search for chains of waits cut short/],
        ['requeues', requeues(6000, 15_000), /search for where waits for futexes were moved cut short/],
        ['modules', { events: modules(20_000, 12_000) }, undefined],
        ['wake-ups', wakeUps(asks(0, 30_000), 13_000), /search for the wake-up of a wait cut short/],
        ['wake-ups of a holder', wakeUps(asks(9000, 9000), 9000), undefined],
        ['wake-ups from conditions', wakeUps(conditions(12_000), 9000), /search for the wake-up/],
      ]
    : []) as [string, Written, RegExp | undefined][]),
  [
    'a queue of 1500',
    { events: queue(1500) },
    /waiter for a lock, most of whose many holders are told as nobody known/,
  ],
  ['a ring of 1000', { events: ring(1000) }, undefined],
  ['chains', { events: chains(2000) }, /search for chains of waits cut short/],
  ['rounds of a barrier', { events: rounds(18_000) }, /wait at a barrier whose round was not looked for/],
  ['stays at a barrier', { events: stays(36_000) }, /wait at a barrier whose round was not looked for/],
  ['takes of a semaphore', { events: takes(14_000) }, /wait for a lock, the last part of which/],
  ['signals of a condition', { events: signals(24_000) }, undefined],
  ['pairs', { events: pairs(28, 6) }, /search for lock orders cut short/],
];

describe('locks of a hostile trace are told within bounds', () => {
  it.each(TRACES)('%s', async (name, trace, expected) => {
    const path = written(name.replaceAll(' ', '-'), trace);
    for (const command of COMMANDS) {
      const { code, stdout } = await boundedInspect(...command, path);
      expect(code).toBe(0);
      if (command[0] === 'locks' && expected !== undefined) expect(stdout).toMatch(expected);
    }
  });
});

if (DEEP)
  it('long paths of many waits are told within bounds', async () => {
    const path = written('long-paths', longPaths(10_000, 10_000));
    const { code, stdout } = await boundedInspect('locks', path);
    expect(code).toBe(0);
    expect(stdout).toContain('due to each lock: not known, the paths are too long');
    const onPath = ['critical-path', '--criterion', 'lock-holder', '--thread', '9000'];
    for (const command of [onPath, ['summary']])
      expect((await boundedInspect(...command, path)).code).toBe(0);
  });

it('executions of as many threads, each longer than the one before, are told within bounds', async () => {
  const events = listOf(36_000, (i) => taken(90_000 * i, 1 + i, 0, 50 + 2 * i));
  const path = written('executions', { events });
  const ends = ['--begin', '*mutex_lock_req', '--end', '*mutex_lock_acq', '--slow', 'auto'];
  const { code, stdout, stderr } = await boundedInspect('executions', ...ends, path);
  expect([code, stdout.split(' (')[0]]).toEqual([0, '16384 executions']);
  expect(stderr).toContain('19616 ends of executions lie in threads that are not known, and are left out');
});

if (DEEP)
  it('executions within each other, with very many waits, are told within bounds', async () => {
    const [executions, waits] = [9000, 13_000];
    const path = written('nested', {
      events: [
        ...listOf(executions, (i) => at(1 + i, 1, 'cond_signal')),
        ...listOf(waits, (lock) => [
          ...taken(1e6 + 20 * lock, 2, lock, 1),
          ...taken(1e6 + 20 * lock + 2, 1, lock, 8),
        ]),
        ...listOf(executions, (i) => at(1e8 + 20_000 * i, 1, 'sem_post')),
      ],
    });
    const ends = ['--begin', '*cond_signal', '--end', '*sem_post', '--slow', 'auto'];
    const { code, stderr } = await boundedInspect('executions', ...ends, path);
    expect(code).toBe(0);
    expect(stderr).toContain('for which locks executions waited is not told: their waits are too many');
  });

/** Random events, a few shapes that hurt mixed with them. */
function randomEvents(seed: number): WrittenLockEvent[] {
  const random = randomOf(seed);
  const [threads, locks] = [random.between(1, 3000), random.between(1, random.pick([3, 40, 4000]))];
  const length = random.between(1000, 30_000);
  const thread = () =>
    random.chance(0.5) ? random.between(1, threads) : random.between(1, Math.min(8, threads));
  let time = 0;
  const events: WrittenLockEvent[] = [];
  while (events.length < length) {
    const [own, lock] = [thread(), random.between(0, locks - 1)];
    const at = () => (time += random.between(0, 20));
    const status = random.chance(0.1) ? random.pick([16, 110, 130, -1]) : 0;
    if (random.chance(0.5))
      events.push({ time: at(), thread: own, event: random.pick(LOCK_EVENTS), lock, status });
    else {
      const run = random.between(1, 60);
      for (let i = 0; i < run; i++) {
        const next = (lock + i) % locks;
        events.push({ time: at(), thread: own, event: 'mutex_lock_req', lock: next });
        if (random.chance(0.9))
          events.push({ time: at(), thread: own, event: 'mutex_lock_acq', lock: next, status });
      }
      if (random.chance(0.5))
        for (let i = run; i-- > 0;)
          events.push({ time: at(), thread: own, event: 'mutex_unlock', lock: (lock + i) % locks });
    }
  }
  return events.slice(0, length);
}

/** Random events of the kernel about the same threads, futexes where the locks are among them. */
function randomKernelEvents(seed: number, length: number): WrittenKernelEvent[] {
  const random = randomOf(seed);
  const threads = random.between(2, random.pick([8, 300, 3000]));
  const [address, flag] = [0x1000 + 64 * random.between(0, 40), random.pick([0, 128])];
  let [time, running] = [0, 1];
  const events: WrittenKernelEvent[] = listOf(random.pick([0, threads]), (i) => {
    return { time: 0, event: 'dump', fields: [i + 1, 1] };
  });
  while (events.length < length) {
    const at = () => (time += random.between(0, 20));
    const other = random.between(1, threads);
    const next = random.pick([other, random.between(1, Math.min(8, threads))]);
    switch (random.between(0, 4)) {
      case 0:
        events.push({ time: at(), event: 'switch', fields: [running, next, random.pick([0, 1, 2])] });
        running = next;
        break;
      case 1:
        events.push({ time: at(), event: 'waking', fields: [other] });
        break;
      case 2: {
        const operation = random.pick([0, 1, 3, 4, 5, 9, 12]) + flag;
        const place = () => address + 16 * random.between(0, random.pick([1, 4000]));
        events.push({ time: at(), event: 'futex', fields: [operation, place(), place()] });
        break;
      }
      case 3:
        if (random.chance(0.5)) events.push({ time: at(), event: 'return', fields: [0] });
        break;
      default: {
        const run = random.between(1, 40);
        for (let i = 0; i < run; i++)
          events.push(
            { time: at(), event: 'switch', fields: [running, next, 1] },
            { time: at(), event: 'waking', fields: [running] },
            { time: at(), event: 'switch', fields: [next, running] },
          );
      }
    }
  }
  return events.slice(0, length);
}

if (DEEP)
  describe('locks of random events', () => {
    it.each(Array.from({ length: 90 }, (_, seed) => seed))('%i are told within bounds', async (seed) => {
      const isWithKernel = seed >= 60;
      const trace = {
        events: randomEvents(seed),
        kernel: isWithKernel ? randomKernelEvents(seed, 38_000) : [],
      };
      const path = written(`random-${seed}`, trace);
      const command = [['locks'], ['locks', '--json'], ['summary']][seed % 3];
      expect((await boundedInspect(...command, path)).code).toBe(0);
    });
  });
