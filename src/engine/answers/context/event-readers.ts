/** Readers of the texts of single events, for all who list them: one for each stream class of a trace. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { openDecodeMemory } from '../../ctf/decode/wasm/decode-memory.ts';
import { createEventReader, type EventReader } from '../../export/event-list.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';

/** Made when first asked for: compiling what decodes every field takes longer than reading a packet. */
export function eventReader(trace: Trace, streamClass: number): EventReader {
  const { memory, readers } = readersOf(trace);
  return (readers[streamClass] ??= createEventReader(
    trace.model,
    streamClass,
    clockOf(trace, streamClass),
    memory,
  ));
}

/** Readers of a trace by stream class; one decodes at a time. */
const readersOf = cachedByKey((_: Trace) => ({
  memory: openDecodeMemory(),
  readers: new Array<EventReader>(),
}));
