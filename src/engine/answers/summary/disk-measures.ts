/** Threads that waited for disks, and whom the disks served meanwhile. */
import { groupBy } from '../../base/group-by.ts';
import { segmentParts } from '../../graph/segment-parts.ts';
import * as values from '../../linux/events/values.ts';
import type { PathPart } from '../../protocol/paths.ts';
import { timeOf } from '../paths/path-owners.ts';
import { io } from '../statistics/io-stats.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';
import { ThreadRoles } from './thread-roles.ts';
import type { ThreadWaits } from './thread-waits.ts';

export interface DiskWait extends Measured {
  /** Programs that waited, the one that waited longest first. */
  readonly programs: readonly string[];
  /** The thread that waited longest, of the first program, and how long its path waited for disks. */
  readonly longest: ThreadWaits;
  readonly longestNs: number;
  readonly disk: string | undefined;
  /** Process, but its own, that the disk served longest meanwhile, and for how long; undefined: none. */
  readonly other: string | undefined;
  readonly otherNs: number;
}

/** One for each host, of the programs that waited for long: mostly they wait for each other's requests. */
export async function diskWaits(facts: Facts): Promise<Measures<DiskWait>> {
  const { threads } = await facts.waits();
  const slow = [...groupBy(threads, ({ role }) => `${role.host} ${role.process}`).values()]
    .map(sumOf)
    .filter(({ ns, lifeNs }) => ns >= facts.leastNs && ns >= LEAST_DISK_SHARE * lifeNs)
    .sort((a, b) => b.ns - a.ns);
  const found: DiskWait[] = [];
  for (const own of groupBy(slow, ({ longest }) => longest.role.host).values()) {
    const [{ ns, lifeNs, longest }] = own;
    found.push({
      share: ns / lifeNs,
      ns: own.reduce((sum, program) => sum + program.ns, 0),
      programs: own.map((program) => program.longest.role.process),
      longest,
      longestNs: timeOf((await facts.timesOn(longest.path)).parts.filter(isDiskWait)),
      ...(await servedMeanwhile(facts, longest)),
    });
  }
  return { found };
}

const BLOCKED: ReadonlySet<number> = new Set([values.STATE_BLOCKED_S, values.STATE_BLOCKED_D]);

function isDiskWait({ value }: Pick<PathPart, 'value'>): boolean {
  return value >= 0 && BLOCKED.has(values.stateOf(value)) && values.causeOf(value) === values.CAUSE_DISK;
}

interface Program {
  readonly ns: number;
  readonly lifeNs: number;
  readonly longest: ThreadWaits;
}

function sumOf(threads: readonly ThreadWaits[]): Program {
  return {
    ns: threads.reduce((sum, { diskNs }) => sum + diskNs, 0),
    lifeNs: threads.reduce((sum, thread) => sum + thread.lifeNs, 0),
    longest: threads.reduce((most, thread) => (thread.diskNs > most.diskNs ? thread : most)),
  };
}

/** A disk that takes less of a program's time is not what makes it slow. */
export const LEAST_DISK_SHARE = 0.1;

/** Disk that served longest during the waits on the path of a thread, and the other process that was served longest. */
async function servedMeanwhile(
  facts: Facts,
  { path, role: own }: ThreadWaits,
): Promise<Pick<DiskWait, 'disk' | 'other' | 'otherNs'>> {
  const known = await facts.graph();
  const roles = ThreadRoles.of(known);
  const { served } = await segmentParts(known.graph, path);
  const disks = new Map<string, number>();
  const others = new Map<string, number>();
  for (const each of [...served.values()].flat()) {
    disks.set(each.device, (disks.get(each.device) ?? 0) + each.ns);
    const role = roles.role(each.worker);
    if (role === undefined || role.isKernel || role.process === own.process) continue;
    others.set(role.process, (others.get(role.process) ?? 0) + each.ns);
  }
  const [device] = most(disks);
  const names = (await io.answer(facts.context, {})).disks;
  const disk = names.find((each) => each.host === known.hosts[own.host].index && each.device === device)?.dev;
  const [other, otherNs] = most(others);
  return { disk, other, otherNs };
}

function most(sums: ReadonlyMap<string, number>): readonly [string | undefined, number] {
  let found: readonly [string | undefined, number] = [undefined, 0];
  for (const sum of sums) if (sum[1] > found[1]) found = sum;
  return found;
}
