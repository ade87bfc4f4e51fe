/** Two traces in folders, as they are recorded side by side: of a virtual machine, `host0`, and of `host1` that runs it. */
import { join } from 'node:path';
import { play } from './simulator/play.ts';
import type { Step } from './simulator/steps.ts';
import { saveTrace } from './trace-files.ts';

/** What the guest's clock is ahead of that of its host. */
export const AHEAD_NS = 3_000_000_000;

/** Asks a server on the host, so that packets tell of clocks. */
export const ASK: Step = {
  does: 'ask',
  via: 'tcp',
  host: 1,
  bytes: 24,
  drains: false,
  server: [{ does: 'compute', ns: 20_000 }],
};

/** Records a program on the guest; returns its tid, which the host does not have. */
export function recordGuest(folder: string, steps: readonly Step[]): number {
  const tid = (number: number): number => (number < 100 ? number : 5_000 + number);
  const { hosts, thread } = play({
    seed: 5,
    hosts: [
      {
        cpus: 2,
        others: 1,
        vectors: false,
        runsOn: 1,
        clock: { offset: AHEAD_NS, drift: 0, bend: 0, steps: [] },
        disguise: { tid, cpu: (cpu) => cpu },
      },
      { cpus: 2, others: 3, vectors: false },
    ],
    weather: { delayNs: 30_000, jitterNs: 0, loss: 0, offload: false },
    ipv6: false,
    steps,
  });
  for (const host of hosts) saveTrace(host.files, join(folder, host.name));
  return tid(thread.tid);
}
