/** CPUs that events of others name, and that have no file: somebody opened a part of a recording. */
import type { Fault } from '../base/fault.ts';
import type { Experiment } from '../trace/types.ts';
import type { HostHistory } from '../answers/context/host.ts';

/** A damaged trace names as many as it has threads. */
const MOST_NAMED = 8;

/** @returns undefined when none is missing, or nobody can say: a file is not of one CPU */
export function missingCpus(
  { hosts, traces }: Experiment,
  { index, tables }: Pick<HostHistory, 'index' | 'tables'>,
): Fault | undefined {
  if (tables === undefined) return undefined;
  // A CPU with a file may have done nothing while it was traced.
  const present = new Set(
    traces
      .filter(({ host, domain }) => host === index && domain === 'kernel')
      .flatMap(({ streams }) => streams.map(({ cpu }) => cpu)),
  );
  if (present.has(-1)) return undefined;
  const missing = tables.silentCpus.filter((cpu) => !present.has(cpu));
  if (missing.length === 0) return undefined;
  const where = hosts.length > 1 ? ` of host ${hosts[index].name}` : '';
  const others = missing.length > MOST_NAMED ? ` and ${missing.length - MOST_NAMED} more` : '';
  const found = `CPU ${missing.slice(0, MOST_NAMED).join(', ')}${others}${where}`;
  return { code: 'cpu-missing', place: {}, found };
}
