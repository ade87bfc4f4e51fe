/** Short stories of a kernel for unit tests: events by hand, then the states that follow from them. */
import type { ReducedHost } from '../../src/engine/analysis/contract.ts';
import { withDeadTime, meantThreadValue } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../src/engine/linux/states/reduce/thread-table.ts';
import { STATE_KINDS } from '../../src/engine/linux/states/map/state-rules.ts';
import {
  causeOf,
  CAUSES,
  detailOf,
  isLossy,
  STATE_BLOCKED_S,
  STATE_PARKED,
  stateOf,
} from '../../src/engine/linux/events/values.ts';
import { batchesOf, streamsOf, type PlainEvent, type PlainStream } from './batches.ts';
import { runStates, type StateRun } from './state-run.ts';

export interface Scenario {
  readonly events: PlainEvent[];
  add(ts: number, cpu: number, name: string, fields?: PlainEvent['fields']): Scenario;
  /** A system call from `ts` to `end`. */
  call(
    ts: number,
    end: number,
    cpu: number,
    name: string,
    fields: PlainEvent['fields'],
    ret: number,
  ): Scenario;
  switch(ts: number, cpu: number, prev: number, prevState: number, next: number, nextName?: string): Scenario;
  waking(ts: number, cpu: number, tid: number): Scenario;
  wakeup(ts: number, cpu: number, tid: number): Scenario;
  wakeupNew(ts: number, cpu: number, tid: number): Scenario;
  /** Fork and the child's first wake-up. */
  fork(ts: number, cpu: number, parent: number, child: number): Scenario;
  enter(ts: number, cpu: number, kind: InterruptKind, id: number, name?: string): Scenario;
  leave(ts: number, cpu: number, kind: InterruptKind, id: number): Scenario;
}

type InterruptKind = 'irq' | 'softirq' | 'hrtimer';

const ENTRY = {
  irq: 'irq_handler_entry',
  softirq: 'irq_softirq_entry',
  hrtimer: 'timer_hrtimer_expire_entry',
};
const EXIT = { irq: 'irq_handler_exit', softirq: 'irq_softirq_exit', hrtimer: 'timer_hrtimer_expire_exit' };

function interruptFields(kind: InterruptKind, id: number, name?: string): PlainEvent['fields'] {
  if (kind === 'irq') return name === undefined ? { irq: id } : { irq: id, name };
  return kind === 'softirq' ? { vec: id } : { hrtimer: BigInt(id) };
}

export function scenario(): Scenario {
  const events: PlainEvent[] = [];
  const story: Scenario = {
    events,
    add(ts, cpu, name, fields = {}) {
      events.push({ ts, cpu, name, fields });
      return story;
    },
    call: (ts, end, cpu, name, fields, ret) =>
      story.add(ts, cpu, `syscall_entry_${name}`, fields).add(end, cpu, `syscall_exit_${name}`, { ret }),
    switch: (ts, cpu, prev, prevState, next, nextName = 'n') =>
      story.add(ts, cpu, 'sched_switch', {
        prev_comm: 'p',
        prev_tid: prev,
        prev_state: prevState,
        next_comm: nextName,
        next_tid: next,
      }),
    waking: (ts, cpu, tid) => story.add(ts, cpu, 'sched_waking', { tid, target_cpu: 0 }),
    wakeup: (ts, cpu, tid) => story.add(ts, cpu, 'sched_wakeup', { tid, target_cpu: 0 }),
    wakeupNew: (ts, cpu, tid) => story.add(ts, cpu, 'sched_wakeup_new', { tid, target_cpu: 0 }),
    fork: (ts, cpu, parent, child) =>
      story
        .add(ts, cpu, 'sched_process_fork', {
          parent_tid: parent,
          parent_pid: parent,
          child_tid: child,
          child_pid: child,
          child_comm: 'c',
        })
        .wakeupNew(ts, cpu, child),
    enter: (ts, cpu, kind, id, name) => story.add(ts, cpu, ENTRY[kind], interruptFields(kind, id, name)),
    leave: (ts, cpu, kind, id) => story.add(ts, cpu, EXIT[kind], interruptFields(kind, id)),
  };
  return story;
}

/** Thread ids for stories. */
export const [A, B, C] = [1001, 2001, 3001];

/** A on CPU 0 and B on CPU 1 from 0 on. */
export const twoRunning = () => scenario().switch(0, 0, 0, 0, A).switch(0, 1, 0, 0, B);

/** Short names of the states, by number. */
const STATE_NAMES = [
  ...['unknown', 'user', 'kernel', 'interrupted', 'preempted', 'woken', 'blocked S', 'blocked D', 'stopped'],
  ...['idle', 'parked', 'new', 'zombie', 'dead', 'guest', 'running'],
];

export interface ReducedStory extends StateRun {
  /** `STATE FROM-TO` as meant (kernel threads in the kernel), neighbours of one state joined. */
  states(key: string | number): string[];
  /** [from, to, cause] of each wait; lossy ones end with `?`. */
  waits(key: string | number): [number, number, string][];
  /** ns per CPU state number. */
  cpuTime(cpu: number): number[];
}

/** What follows from a story that lasts until `end`. */
export function tell(story: Scenario, end: number, host?: Partial<ReducedHost>): ReducedStory {
  return tellStreams(streamsOf([...story.events].sort((a, b) => a.ts - b.ts)), end, host);
}

export function tellStreams(
  streams: readonly PlainStream[],
  end: number,
  host: Partial<ReducedHost> = {},
): ReducedStory {
  const run = runStates(batchesOf(streams, STATE_KINDS), host, end);
  const { history, tables } = run;
  const { threads } = tables;
  const keys = Array.from({ length: threads.length }, (_, thread) => threadKey(threads, thread));
  return {
    ...run,
    states(key) {
      const thread = keys.indexOf(String(key));
      const joined: [number, number, number][] = [];
      for (const { from, to, value } of withDeadTime(
        history.intervals(`threads/${key}/state`),
        threads,
        thread,
      )) {
        const state = stateOf(meantThreadValue(tables, thread, value));
        const last = joined.at(-1);
        if (last !== undefined && last[0] === state && last[2] === from) last[2] = to;
        else joined.push([state, from, to]);
      }
      return joined.map(([state, from, to]) => `${STATE_NAMES[state]} ${from}-${to}`);
    },
    waits: (key) =>
      history
        .intervals(`threads/${key}/state`)
        .filter(({ value }) => stateOf(value) >= STATE_BLOCKED_S && stateOf(value) <= STATE_PARKED)
        .map(({ from, to, value }) => [from, to, `${causeText(value)}${isLossy(value) ? '?' : ''}`]),
    cpuTime(cpu) {
      const time = new Array<number>(8).fill(0);
      for (const { from, to, value } of history.intervals(`cpus/${cpu}/state`))
        time[stateOf(value)] += to - from;
      return time;
    },
  };

  function causeText(value: number): string {
    const detail = detailOf(value);
    const cause = CAUSES[causeOf(value)];
    if (detail < 0) return cause;
    return cause === 'thread' ? `thread ${keys[detail]}` : `${cause}: ${history.texts[detail]}`;
  }
}

const DISK = (254 << 20) | 16;

/** Fields of a request of a disk, 254:16, by a thread; without sectors it is a flush. */
export function diskRequest(sector: number, tid: number, sectors = 8) {
  const rwbs = sectors === 0 ? 1 << 10 : 4;
  return { dev: DISK, sector, nr_sector: sectors, tid, bytes: 512 * sectors, rwbs };
}
