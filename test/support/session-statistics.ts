/** All statistics that a session has, for tests that compare two of them. */
import type { SessionApi } from '../../src/engine/session/api.ts';
import type { RangeRequest } from '../../src/engine/session/range.ts';

/** Without bytes of events, which depend on packets: events are aligned in them. */
export async function statisticsOf(api: SessionApi, range: RangeRequest | undefined) {
  const counts = (await api.countStats(range)).events;
  return {
    cpu: await api.cpuStats(range),
    io: await api.ioStats(range),
    sched: await api.schedStats(range),
    irq: await api.irqStats(range),
    calls: await api.callStats(range),
    counts: counts.map(({ name, count, firstNs, lastNs }) => ({ name, count, firstNs, lastNs })),
  };
}
