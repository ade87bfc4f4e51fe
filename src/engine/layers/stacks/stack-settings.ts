/** Settings of a trace's call stacks: plain data, stored and part of the id of the analysis. */
import type { Switches } from '../contract/switches.ts';
import type { StackEvent } from './stack-events.ts';

export interface StackSettings {
  /** Events of programs that are samples, in order of name. */
  readonly samples: readonly StackEvent[];
  /** Entries and exits of functions. */
  readonly functions: boolean;
  /** Contexts of any events. */
  readonly contexts: boolean;
  /** Events of programs that say what is loaded where. */
  readonly modules: boolean;
  /** Switches that say in which thread an event happened. */
  readonly switches: Switches;
}
