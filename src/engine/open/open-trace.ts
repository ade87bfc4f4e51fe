/** Puts an open trace together from what is known of it. */
import { namespaces } from '../linux/namespaces/namespaces.ts';
import { OnDemand } from '../answers/context/chunk-scan.ts';
import type { SessionEnvironment } from './environment.ts';
import { EventTables } from '../answers/events/event-tables.ts';
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
    namespacesOfHost(await source.leaves(namespaces.id), host).isNested;
  const symbols = createTraceSymbols(source, open);
  return {
    ...source,
    paths,
    pathAnswers: new PathAnswers(paths, source.isDamaged),
    density,
    events,
    isNested,
    eventTables: events && new EventTables(events, { ...source, isRead, isNested }, environment),
    onDemand: files && new OnDemand(files.experiment, environment),
    ...symbols,
  };
}
