/** Critical sections as the page shows them: all hosts in one tree. */
import { criticalSections } from '../../layers/locks/results/critical-sections.ts';
import type { QueryContext } from '../context/query.ts';
import type { CriticalSectionLine } from '../../protocol/locks.ts';
import { type LockHost, lockHosts } from './lock-hosts.ts';

/** undefined: locks are still being read. */
export async function criticalSectionLines(
  context: QueryContext,
): Promise<readonly CriticalSectionLine[] | undefined> {
  const hosts = await lockHosts(context);
  if (hosts === undefined) return undefined;
  const lines: CriticalSectionLine[] = [];
  for (const host of hosts) addLines(host, lines);
  return lines;
}

function addLines(host: LockHost, lines: CriticalSectionLine[]): void {
  const first = lines.length;
  for (const { parent, kind, of, ns } of criticalSections(host.results.model)) {
    const isThread = kind === 'thread';
    lines.push({
      parent: parent < 0 ? -1 : first + parent,
      kind,
      thread: isThread ? host.thread(of) : lines[first + parent].thread,
      lock: isThread ? '' : host.lockId(of),
      ns,
    });
  }
}
