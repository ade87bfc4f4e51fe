/** Readers of the texts of single events, for all who list them: one for each stream class of a trace. */
import { cachedByKey } from '../../base/cached-by-key.ts';
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
  return (readersOf(trace)[form][streamClass] ??= createEventReader(
    trace.model,
    streamClass,
    clockOf(trace, streamClass),
    form === 'json' ? JSON_TEXTS : undefined,
  ));
}

/** Readers of a trace by form of the texts and stream class. */
const readersOf = cachedByKey((_: Trace): Record<EventTextForm, EventReader[]> => ({
  readable: [],
  json: [],
}));
