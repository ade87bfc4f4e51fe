/** Assembles an open trace from what is known of it. */
import { namespaces } from '../linux/namespaces/namespaces.ts';
import { OnDemand } from '../answers/context/chunk-scan.ts';
import type { SessionEnvironment } from './environment.ts';
import { laterCode } from '../base/later-code.ts';
import type { EventTables } from '../answers/events/event-tables.ts';
import { namespacesOfHost } from '../answers/context/host-namespaces.ts';
import { PathAnswers } from '../answers/paths/path-answer.ts';
import { PathFinder } from '../answers/paths/path-finder.ts';
import { RowDensity } from '../answers/rows/row-density.ts';
import { createTraceSymbols } from '../answers/stacks/trace-symbols.ts';
import type { OpenTrace, TraceSource } from '../answers/context/open-trace.ts';

export function createOpenTrace(source: TraceSource, environment: SessionEnvironment): OpenTrace {
  const { hosts, time, files, sync } = source;
  const open = environment.openSource;
  const paths = new PathFinder(hosts, sync, time);
  const events = files && { experiment: files.experiment, time, open };
  const isRead = () => sync() !== undefined;
  const density = new RowDensity({ ...source, areFilesRead: isRead }, events);
  const isNested = async (host: number) =>
    namespacesOfHost(await source.chunkResults(namespaces.id), host).isNested;
  const symbols = createTraceSymbols(source, open, environment.debugFile);
  return {
    ...source,
    paths,
    pathAnswers: new PathAnswers(paths, source.isDamaged),
    density,
    events,
    isNested,
    eventTables:
      events &&
      laterTables(async () => {
        const { EventTables } = await eventTables();
        return new EventTables(events, { ...source, isRead, isNested }, environment);
      }),
    onDemand: files && new OnDemand(files.experiment, environment),
    ...symbols,
  };
}

const eventTables = laterCode(() => import('../answers/events/event-tables.ts'));

/** Tables that are made on first use, and again after a failure. */
function laterTables(make: () => Promise<EventTables>): OpenTrace['eventTables'] {
  let made: Promise<EventTables> | undefined;
  const tables = (): Promise<EventTables> => {
    made ??= make();
    made.catch(() => (made = undefined));
    return made;
  };
  return {
    of: async (set) => (await tables()).of(set),
    counted: async (...asked) => (await tables()).counted(...asked),
  };
}
