/** Owners of the time on a path, with all their shares: programs, processes, hosts; and the sentence on the largest. */
import { lowered } from '../../base/first-letter.ts';
import { groupBy } from '../../base/group-by.ts';
import { isOnHost, PACKET_ON_ITS_WAY, waitingSoftirq } from '../../graph/path-codes.ts';
import * as values from '../../linux/events/values.ts';
import type { PathAnswer, PathPart, PathParts, PathWorker } from '../../protocol/paths.ts';
import type { SentencePart } from '../../protocol/summary.ts';
import { name as named, ns, plain, said, share } from '../../words/sentence.ts';

/** Kinds of owners; a program is all processes of one name on a host. */
export type OwnerKind = 'program' | 'process' | 'host';

export interface PathOwner {
  readonly key: string;
  /** Name as the trace has it. */
  readonly name: string;
  /** Pid; -1: a group, or not known. */
  readonly pid: number;
  /** Index of the host; -1: no host. */
  readonly host: number;
  /** Number of processes on the path; interrupts do not count. */
  readonly processes: number;
  readonly ns: number;
  readonly parts: readonly PathPart[];
}

/** Names by index. */
type Hosts = readonly { readonly name: string }[];
type Owned = Pick<PathParts, 'workers' | 'parts'>;

/** Owners, most time first; their times add up to the parts of the path. */
export function pathOwners({ workers, parts }: Owned, kind: OwnerKind, hosts: Hosts): PathOwner[] {
  const groups = groupBy(parts, ({ worker, value }) => ownerOf(workers[worker], value, kind).key);
  return Array.from(groups.values(), (own): PathOwner => {
    const owner = ownerOf(workers[own[0].worker], own[0].value, kind);
    const processes = new Set(own.map(({ worker }) => workers[worker].process?.id));
    processes.delete(undefined);
    const name = kind === 'host' && owner.host >= 0 ? hosts[owner.host].name : owner.name;
    return { ...owner, name, processes: processes.size, ns: timeOf(own), parts: own };
  }).sort((a, b) => b.ns - a.ns);
}

/**
 * Owner of a part. A packet on its way has none; a host's interrupts are one owner, and so are its pending softirqs.
 */
function ownerOf(
  { process, host }: PathWorker,
  value: number,
  kind: OwnerKind,
): Pick<PathOwner, 'key' | 'name' | 'pid' | 'host'> {
  if (value === PACKET_ON_ITS_WAY) return { key: 'network', name: 'Network', pid: -1, host: -1 };
  if (kind === 'host') return { key: `${host}`, name: '', pid: -1, host };
  if (process === undefined) {
    const name = waitingSoftirq(value) < 0 ? 'Interrupts' : 'Softirqs that waited for a CPU';
    return { key: `${host} ${name}`, name, pid: -1, host };
  }
  const { id, name, pid } = process;
  return kind === 'process'
    ? { key: id, name, pid, host }
    : { key: `${host} program ${name}`, name, pid: -1, host };
}

export function timeOf(parts: readonly Pick<PathPart, 'ns'>[]): number {
  return parts.reduce((sum, part) => sum + part.ns, 0);
}

/** Whether a worker ran on a CPU in a part. */
export function isOwnWork({ value }: Pick<PathPart, 'value'>): boolean {
  return value >= 0 && (values.OWN_TIME_STATES as readonly number[]).includes(values.stateOf(value));
}

const WAITS: Readonly<Record<number, string>> = {
  [values.CAUSE_THREAD]: 'waiting for a thread',
  [values.CAUSE_TIMER]: 'waiting for a timer',
  [values.CAUSE_DISK]: 'waiting for the disk',
  [values.CAUSE_NETWORK]: 'waiting for the network',
  [values.CAUSE_INPUT]: 'waiting for user input',
  [values.CAUSE_LOCK]: 'waiting for a lock',
};
const OWN_WORK = 'its own work';

function activityOf(part: PathPart): string {
  if (isOnHost(part.value)) return 'taken by its host';
  if (isOwnWork(part)) return OWN_WORK;
  switch (values.stateOf(part.value)) {
    case values.STATE_INTERRUPTED:
      return 'interrupts';
    case values.STATE_PREEMPTED:
    case values.STATE_WOKEN:
    case values.STATE_NEW:
      return 'waiting for a CPU';
    case values.STATE_BLOCKED_S:
    case values.STATE_BLOCKED_D:
      return WAITS[values.causeOf(part.value)] ?? 'a wait of unknown cause';
    case values.STATE_STOPPED:
    case values.STATE_IDLE_KTHREAD:
    case values.STATE_PARKED:
      return 'its being stopped or idle';
    default:
      return 'not known';
  }
}

interface Subject {
  readonly name: string;
  readonly ns: number;
  readonly parts: readonly PathPart[];
  /** Whether it is an activity of the thread studied. */
  readonly isOwn: boolean;
}

export interface Verdict {
  /** "61.0 % of 580.123 ms was httpd on server, 9.0 % the network": three numbers at most. */
  readonly sentence: readonly SentencePart[];
  /** Everything that took time, with its ns, most first: the times add up to the parts of the path. */
  readonly subjects: readonly Subject[];
}

/** Smallest share of a second subject in the sentence. */
const LEAST_SHARE = 0.02;

/** The verdict: activities of the thread studied, its siblings, other programs; undefined: the path is empty. */
export function pathVerdict(
  path: Pick<PathAnswer, 'row' | 'from' | 'to'> & Owned,
  hosts: Hosts,
): Verdict | undefined {
  const subjects = subjectsOf(path, hosts);
  const [first, second] = subjects as (Subject | undefined)[];
  const whole = path.to - path.from;
  if (first === undefined || whole <= 0) return undefined;
  const most = first.isOwn ? undefined : mostOf(first.parts);
  const isOfFirst = most !== undefined && most.name !== OWN_WORK && most.ns >= (second?.ns ?? 0);
  const next = isOfFirst
    ? { name: most.name, ns: most.ns, words: ', of which ' as const }
    : { ...second, words: ', ' as const };
  const { ns: nextNs = 0, name = '', words } = next;
  const more =
    nextNs >= LEAST_SHARE * whole
      ? said`${words}${share(nextNs / whole)} ${named(name, 'thread')}`
      : undefined;
  const part = first.ns === whole ? 'All' : share(first.ns / whole);
  const sentence = plain(said`${part} of ${ns(whole)} was ${named(first.name, 'thread')}${more}.`);
  return { sentence, subjects };
}

function mostOf(parts: readonly PathPart[]): { readonly name: string; readonly ns: number } {
  const activities = Array.from(groupBy(parts, activityOf), ([name, own]) => ({ name, ns: timeOf(own) }));
  return activities.reduce((most, each) => (each.ns > most.ns ? each : most));
}

function subjectsOf({ row, workers, parts }: Pick<PathAnswer, 'row'> & Owned, hosts: Hosts): Subject[] {
  const studied = workers.find((worker) => worker.row === row);
  const groups = groupBy(parts, ({ worker }) => {
    if (workers[worker] === studied) return 'own';
    return studied?.process && workers[worker].process?.id === studied.process.id ? 'siblings' : 'others';
  });
  const { own = [], siblings = [], others = [] } = Object.fromEntries(groups);
  const subjects = Array.from(groupBy(own, activityOf), ([name, of]): Subject => {
    return { name, ns: timeOf(of), parts: of, isOwn: true };
  });
  const ofOthers = pathOwners({ workers, parts: others }, 'program', hosts);
  for (const { name: bare, host, parts: of, ns: took } of ofOthers) {
    const isProgram = workers[of[0].worker].process !== undefined;
    const isSame = isProgram && host === studied?.host && bare === studied.process?.name;
    const place = host < 0 || host === studied?.host ? '' : ` on ${hosts[host].name}`;
    const lower = lowered(bare);
    const words = isProgram
      ? isSame
        ? `other processes of ${bare}`
        : bare
      : host < 0
        ? `the ${lower}`
        : lower;
    subjects.push({ name: words + place, ns: took, parts: of, isOwn: false });
  }
  if (siblings.length > 0) {
    const name = `other threads of ${studied?.process?.name ?? ''}`;
    subjects.push({ name, ns: timeOf(siblings), parts: siblings, isOwn: false });
  }
  return subjects.sort((a, b) => b.ns - a.ns);
}
