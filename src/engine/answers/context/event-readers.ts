/** Readers of the texts of single events, for all who list them: one for each stream class of a trace. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { openDecodeMemory } from '../../ctf/decode/wasm/decode-memory.ts';
import { createEventReader, type EventReader, JSON_TEXTS } from '../../export/event-list.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';

/** Texts for people, or JSON. */
export type EventTextForm = 'readable' | 'json';

/** Made when first asked for: compiling what decodes every field takes longer than reading a packet. */
export function eventReader(
  trace: Trace,
  streamClass: number,
  form: EventTextForm = 'readable',
): EventReader {
  const { memory, [form]: known } = readersOf(trace);
  return (known[streamClass] ??= createEventReader(
    trace.model,
    streamClass,
    clockOf(trace, streamClass),
    form === 'json' ? JSON_TEXTS : undefined,
    memory,
  ));
}

/** Readers of a trace by form of the texts and stream class; one decodes at a time. */
const readersOf = cachedByKey((_: Trace) => ({
  memory: openDecodeMemory(),
  readable: new Array<EventReader>(),
  json: new Array<EventReader>(),
}));
