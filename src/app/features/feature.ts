/** Type of the features of the page: an entry of `registry.ts` is a feature's tab, its commands and its part of the link. */
import type { FunctionComponent } from 'preact';
import type { LaterPart } from '../browser/later-part.ts';
import type { Command, ThingGroup } from '../commands/command.ts';
import type { CompareState } from '../compare/compare-state.ts';
import type { App } from '../context/app-context.ts';
import type { EventsState } from '../events/events-state.ts';
import type { LocksState } from '../locks/locks-state.ts';
import type { Notes } from '../notes/notes.ts';
import type { PathState } from '../path/path-state.ts';
import type { SummaryState } from '../summary/summary-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

/** An open experiment and the state of its view: a new object for each experiment, also with other clocks. */
export interface OpenPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
  readonly notes: Notes;
  readonly events: EventsState;
  readonly locks: LocksState;
  readonly compare: CompareState;
  readonly summary: SummaryState;
}

export interface Feature {
  /** Names its tab in links and in what the browser keeps; unique. */
  readonly id: string;
  readonly tab?: FeatureTab;
  /** Commands for keys, palette and help sheet, besides the one that shows the tab. */
  commands?(page: OpenPage): readonly Command[];
  readonly link?: LinkPart;
  /** Things of the feature that the search finds, in groups. */
  readonly found?: readonly ThingGroup<OpenPage>[];
  /** Function that Escape calls before it clears the selection; undefined: none now. Reads signals. */
  leaves?(page: OpenPage): (() => void) | undefined;
}

export interface FeatureTab {
  readonly title: string;
  /** Title of the command that shows it: "Show the path". */
  readonly command: string;
  /** Loaded when the tab is first shown, or when the page has nothing else to do. */
  readonly panel: LaterPart<FunctionComponent<OpenPage>>;
  /** Whether the trace has it; absent: every trace does. Reads signals. */
  isThere?(page: OpenPage): boolean;
  /** A number or word beside the title. Reads signals. */
  note?(page: OpenPage): string | undefined;
  /** The note is about something bad. */
  readonly warns?: boolean;
}

/** State that a link to the page carries, as parameters of the link's fragment. Names with a dot are the panels' choices. */
interface LinkPart {
  /** Writes what differs from a page just opened. Reads signals: the page's address follows them. */
  write(page: OpenPage, parts: URLSearchParams): void;
  /** Shows what `write` wrote; missing or invalid parameters have their defaults. */
  show(page: OpenPage, parts: URLSearchParams): void;
}
