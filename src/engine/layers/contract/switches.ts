/** Chooses the thread switches that a layer reads to know in which thread an event happened. */
import { findMembers } from '../../ctf/decode/program/members.ts';
import type { EventClass, StreamClass } from '../../ctf/model.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { Trace } from '../../trace/types.ts';
import type { LayerTrace } from './layer.ts';

/** Switches that are read. `own`: for kernel events in a stream with its CPU's switches; `all`: for any events. */
export type Switches = 'none' | 'own' | 'all';

export type IsRead = (event: EventClass, stream: StreamClass) => boolean;

/** Switches that identify the threads of events without contexts. @param ofKernel events in the thread that runs */
export function switchesFor(
  { experiment: { traces, hosts }, kernelThreads }: Pick<LayerTrace, 'experiment' | 'kernelThreads'>,
  ofPrograms: IsRead,
  ofKernel: IsRead,
): Switches {
  const isNested = hosts.some(({ index }) => kernelThreads(index)?.namespaces.isNested);
  const isVague: IsRead = (event, stream) =>
    ofPrograms(event, stream) &&
    !(hasContext('vtid', stream, event) && (!isNested || hasContext('pid_ns', stream, event)));
  if (traces.some((trace) => someEvent(trace, isVague))) return 'all';
  const lacksThread: IsRead = (event, stream) => ofKernel(event, stream) && !hasContext('tid', stream, event);
  const vague = traces.filter((trace) => trace.domain !== 'ust' && someEvent(trace, lacksThread));
  if (vague.length === 0) return 'none';
  const hasOwn = ({ model }: Trace) =>
    model.streams.every(
      (stream) =>
        stream.events.some(({ name = '' }) => isKind('switch', name)) ||
        !stream.events.some((event) => ofKernel(event, stream)),
    );
  return vague.every(hasOwn) ? 'own' : 'all';
}

function someEvent(trace: Trace, is: IsRead): boolean {
  return trace.model.streams.some((stream) => stream.events.some((event) => is(event, stream)));
}

/** Whether an event has an integer context of this name. */
export function hasContext(name: string, stream: StreamClass, event: EventClass): boolean {
  return findMembers({ names: [name], kind: 'int', only: 'context' }, stream, event).length > 0;
}
