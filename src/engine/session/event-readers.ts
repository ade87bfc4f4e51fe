/** What gives the texts of single events, for all who list them: one reader for each stream class of a trace. */
import { oncePer } from '../base/once-per.ts';
import { createEventReader, type EventReader } from '../export/event-list.ts';
import { clockOf } from '../trace/trace-clocks.ts';
import type { Trace } from '../trace/types.ts';

/** Made when first asked for: compiling what decodes every field takes longer than reading a packet. */
export function eventReader(trace: Trace, streamClass: number): EventReader {
  return (readersOf(trace)[streamClass] ??= createEventReader(
    trace.model,
    streamClass,
    clockOf(trace, streamClass),
  ));
}

/** By stream class. */
const readersOf = oncePer((_: Trace): EventReader[] => []);
