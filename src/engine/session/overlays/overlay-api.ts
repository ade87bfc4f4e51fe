/** What the page is told of overlays, beside their rows. Types only. */
import type { Fault } from '../../base/fault.ts';
import type { OverlayDefinition } from '../../overlays/definition.ts';
import type { EventShape } from '../../overlays/event-shapes.ts';

export type { OverlayDefinition } from '../../overlays/definition.ts';
export type { EventShape } from '../../overlays/event-shapes.ts';

export interface OverlaySuggestion {
  readonly definition: OverlayDefinition;
  /** Events of both names in the trace. */
  readonly events: number;
}

/** Spans of one name on one host. Durations are of spans with both ends. */
export interface OverlayStat {
  readonly name: string;
  readonly host: number;
  readonly spans: number;
  readonly totalNs: number;
  readonly meanNs: number;
  readonly maxNs: number;
  /** Ends without their begin, and begins without their end. */
  readonly withoutBegin: number;
  readonly withoutEnd: number;
  /** Not drawn, since too many others are around them. */
  readonly tooDeep: number;
}

export interface OverlayInfo {
  readonly suggestions: readonly OverlaySuggestion[];
  /** What is shown now. */
  readonly definitions: readonly OverlayDefinition[];
  readonly stats: readonly OverlayStat[];
  /** Everything a pair could be made of. */
  readonly events: readonly EventShape[];
  /** The files are there, so that other pairs can be read. */
  readonly hasFiles: boolean;
  /** Why the last change could not be made in full. */
  readonly faults: readonly Fault[];
}
