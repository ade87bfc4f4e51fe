/**
 * One run of a machine as several recorders have it, on the clock that they share: the states of its threads in each, and
 * where two of them differ. Every change of a state is at an event, and each recorder gives one event its own time, a
 * little later than the recorder before: so a change of one is that of the other if they are at the same event.
 */
import { isKernelHost, type KernelHost } from '../../src/engine/answers/context/host.ts';
import { withDeadTime } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../src/engine/linux/states/reduce/thread-table.ts';
import * as values from '../../src/engine/linux/events/values.ts';
import { parseCommandLine } from '../../src/cli/options.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import { inspect } from './inspect-run.ts';

/** A thread goes from one state to another; ns of the machine's clock. */
interface Change {
  readonly at: number;
  /** As `running > blocked, interruptible: thread 12`. */
  readonly text: string;
}

export interface RecordedThread {
  readonly name: string;
  readonly pid: number;
  readonly ppid: number;
  /** Since when it is known. */
  readonly known: number;
  readonly changes: readonly Change[];
}

export interface Recorded {
  readonly threads: ReadonlyMap<string, RecordedThread>;
  /** Time for which all CPUs were recorded, ns of the machine's clock. */
  readonly from: number;
  readonly to: number;
  /** Times of events by what they say: name, thread in whose context they are, threads they are about. */
  readonly events: ReadonlyMap<string, readonly number[]>;
  /** ns since the Unix epoch at 0 of the machine's clock, as the recording has it. */
  readonly offsetNs: bigint;
  /** Time of its first event, from which the command line counts. */
  readonly origin: number;
}

/** Reads what recorders have of the machine. @param args options of the command line */
export async function readRecorded(paths: readonly string[], ...args: readonly string[]): Promise<Recorded> {
  const { options } = parseCommandLine(['states', ...paths, '--workers', '0', ...args], 0);
  const { session } = await openTraceSession(paths, options);
  const [host] = session?.hosts ?? [];
  if (session === undefined || session.hosts.length !== 1 || !isKernelHost(host))
    throw new Error(`${paths.join(' ')}: not one machine with a kernel`);
  const { baseNs: base, offsetNs } = session.experiment.hosts[0];
  const baseNs = Number(base);
  const { cpus } = host.tables;
  const events = await eventsOf(paths, offsetNs);
  // perf and trace-cmd begin their program when all events are recorded.
  const begun = Math.min(
    ...[...events].flatMap(([key, times]) => (key.startsWith('sched_process_exec ') ? times : [])),
  );
  return {
    threads: await threadsOf(host, baseNs),
    from: Math.max(begun, ...cpus.map(({ first }) => first + baseNs)),
    to: baseNs + Math.min(...cpus.map(({ last }) => last)),
    events,
    offsetNs,
    origin: Number(session.originNs - offsetNs),
  };
}

async function threadsOf(host: KernelHost, baseNs: number): Promise<Map<string, RecordedThread>> {
  const { threads } = host.tables;
  const keys = Array.from({ length: threads.length }, (_, row) => threadKey(threads, row));
  const found = new Map<string, RecordedThread>();
  for (const [row, key] of keys.entries()) {
    const pieces = await host.query.intervals(threads.stateAttribute[row], -Infinity, Infinity);
    const changes: Change[] = [];
    let [before] = values.THREAD_STATES as readonly string[];
    let known = Infinity;
    for (const { from, value } of withDeadTime(pieces, threads, row)) {
      const state = stateText(host, keys, value);
      if (state !== values.THREAD_STATES[values.STATE_UNKNOWN]) known = Math.min(known, from + baseNs);
      if (before !== state) changes.push({ at: from + baseNs, text: `${before} > ${state}` });
      before = state;
    }
    found.set(key, {
      name: threads.name[row],
      pid: threads.pid[row],
      ppid: threads.ppid[row],
      known,
      changes,
    });
  }
  return found;
}

/** State of a thread without the mode it runs in, with what ended a wait. */
function stateText({ query }: KernelHost, keys: readonly string[], value: number): string {
  const state = values.stateOf(value);
  if (values.isRunning(state)) return 'running';
  if (state < values.STATE_BLOCKED_S || state > values.STATE_PARKED) return values.THREAD_STATES[state];
  const [cause, detail] = [values.causeOf(value), values.detailOf(value)];
  const more = cause === values.CAUSE_THREAD ? keys[detail] : detail < 0 ? '' : query.text(detail);
  return `${values.THREAD_STATES[state]}: ${values.CAUSES[cause]} ${more}`;
}

/** Names that recorders have for the threads that an event is about: a `pid` of ftrace is a thread, too. */
const ABOUT = /"(prev_|next_|child_|)(tid|pid)":(-?\d+)/g;

async function eventsOf(paths: readonly string[], offsetNs: bigint): Promise<Map<string, number[]>> {
  const { stdout } = await inspect('canonical', ...paths);
  const events = new Map<string, number[]>();
  for (const line of stdout.split('\n')) {
    const [, time, name, context, own] =
      /^(\d+) "(?:sched:|signal:)?((?:sched|signal)_\w+)" (\S+|\{.*?\}) - (\{.*\})$/.exec(line) ?? [];
    if (time === undefined) continue;
    // LTTng has it as a context, the others as a field of every event.
    const current = /"tid":(\d+)/.exec(context)?.[1] ?? /"common_pid":(\d+)/.exec(own)?.[1] ?? '';
    const about = new Map<string, string>();
    for (const [, role, kind, tid] of own.matchAll(ABOUT))
      if (kind === 'tid' || !about.has(role)) about.set(role, tid);
    const key = [name, current, ...about.values()].join(' ');
    const times = events.get(key) ?? [];
    events.set(key, times);
    times.push(Number(BigInt(time) - offsetNs));
  }
  for (const times of events.values()) times.sort((a, b) => a - b);
  return events;
}

/** Where the states of one recording differ from those of another, whose events are a little earlier. */
export interface TwinDifferences {
  /** Threads that changed their state, and their changes that are the same. */
  readonly threads: number;
  readonly same: number;
  /** How much later the second has them, ns. */
  readonly median: number;
  /** Number of those that are more than 100 us later. All are one event, which the second recorder wrote so much later. */
  readonly heldUp: number;
  /** Waits of the second whose end lies behind the time that both saw. */
  readonly goOn: number;
  /** All others. */
  readonly differ: readonly string[];
}

/** Compares over the time that both saw. */
export function twinDifferences(a: Recorded, b: Recorded): TwinDifferences {
  const { from, to } = commonTime(a, b);
  const laterOf = laterTimes(a, b);
  const later: number[] = [];
  const differ: string[] = [];
  let [threads, goOn] = [0, 0];
  const keys = new Set([...a.threads.keys(), ...b.threads.keys()]);
  for (const key of keys) {
    const [one, other] = [a.threads.get(key), b.threads.get(key)];
    const expected = changesIn(one?.changes ?? [], from, to, laterOf, other?.known ?? from);
    const found = changesIn(other?.changes ?? [], from, to);
    if (found.length > 0) threads++;
    const tell = (what: string) => differ.push(`${key} ${other?.name ?? one?.name}: ${what}`);
    let i = 0;
    for (const change of found) {
      while (i < expected.length && expected[i].at < change.at)
        tell(`not there ${changeText(expected[i++])}`);
      const same = expected.at(i)?.at === change.at ? expected[i++] : undefined;
      if (same?.text === change.text) later.push(change.at - same.own);
      else if (same !== undefined && change === found.at(-1) && isUnended(change, same, to, other)) goOn++;
      else tell(`${changeText(change)} instead of ${same?.text ?? 'nothing'}`);
    }
    for (const rest of expected.slice(i)) tell(`not there ${changeText(rest)}`);
  }
  later.sort((x, y) => x - y);
  return {
    threads,
    same: later.length,
    median: later[later.length >> 1],
    heldUp: later.filter((ns) => ns > 100_000).length,
    goOn,
    differ,
  };
}

/** Time for which both recordings have all CPUs, ns of the machine's clock. */
export function commonTime(a: Recorded, b: Recorded): { readonly from: number; readonly to: number } {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
}

/** The middle of the longest time without an event of threads in a part of a time. */
export function quietTime(recorded: readonly Recorded[], from: number, to: number): number {
  const times = [...recorded.flatMap(({ events }) => [...events.values()]).flat(), from, to]
    .filter((time) => time >= from && time <= to)
    .sort((a, b) => a - b);
  let longest = 1;
  times.forEach((time, i) => {
    if (i > 0 && time - times[i - 1] > times[longest] - times[longest - 1]) longest = i;
  });
  return Math.round((times[longest] + times[longest - 1]) / 2);
}

/** `own`: the time that the recording itself has. */
type OwnChange = Change & { readonly own: number };

/** Changes by the times of the second recording, from where the thread is known there. */
function changesIn(
  changes: readonly Change[],
  from: number,
  to: number,
  laterOf?: ReadonlyMap<number, readonly number[]>,
  known = -Infinity,
): OwnChange[] {
  return changes
    .flatMap(({ at, text }) => (laterOf?.get(at) ?? [at]).map((time) => ({ at: time, text, own: at })))
    .filter(({ at, text }) => at > from && at < to && at > known && !text.startsWith(UNKNOWN));
}

const [UNKNOWN] = values.THREAD_STATES;

/** Whether two waits begin alike, and nobody knows how the second ends, as that lies behind what all saw of it. */
function isUnended(change: Change, same: Change, to: number, thread: RecordedThread | undefined): boolean {
  const begin = (text: string) => text.replace(/: .*/, '');
  const next = thread?.changes.find(({ at }) => at > change.at);
  return begin(change.text) === begin(same.text) && (next === undefined || next.at > to);
}

function changeText({ text, at }: Change): string {
  return `${text} at ${at}`;
}

/** Times that the second gives the events of each time of the first. */
function laterTimes(a: Recorded, b: Recorded): Map<number, number[]> {
  const later = new Map<number, number[]>();
  for (const [key, times] of b.events) {
    const before = a.events.get(key) ?? [];
    let i = before.length - 1;
    for (const time of times.toReversed()) {
      while (i >= 0 && before[i] > time) i--;
      if (i < 0) break;
      later.set(before[i], [...(later.get(before[i]) ?? []), time]);
      i--;
    }
  }
  return later;
}
