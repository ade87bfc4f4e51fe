/** Context for every part of the page. Made once in main.tsx and passed down, so that no module has state. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Signal } from '@preact/signals';
import type { Recorder } from '../../engine/protocol/session.ts';
import type { PageSession } from '../../workers/session-api.ts';
import type { CommandList } from '../commands/command.ts';
import type { Choices } from '../controls/choices.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ExecutionFiles } from '../files/execution-files.ts';
import type { Offers } from '../files/offers.ts';
import type { Drawer } from './drawer-state.ts';
import type { ThemeSwitch } from '../theme/theme.ts';

/** An open dialog: one object for each opening. */
export interface Dialog {
  readonly kind:
    'palette' | 'help' | 'overlays' | 'plots' | 'lock-events' | 'address' | 'recording' | 'lessons';
  /** Ids of the questions that the recording guide begins with. */
  readonly asked?: readonly string[];
  /** Tracer that it begins with. */
  readonly recorder?: Recorder;
}

/** A lesson that is shown beside its example. */
export interface ChosenLesson {
  readonly name: string;
  /** True when the reader has just chosen it; false when a link names it, which also says what is shown. */
  readonly begins: boolean;
}

export interface App {
  readonly session: PageSession;
  readonly experiment: Experiment;
  readonly theme: ThemeSwitch;
  readonly commands: CommandList;
  readonly drawer: Drawer;
  readonly choices: Choices;
  readonly dialog: Signal<Dialog | undefined>;
  /** Address that a link asks to be fetched, or ''. */
  readonly linkedAddress: Signal<string>;
  readonly lesson: Signal<ChosenLesson | undefined>;
  readonly offers: Offers;
  readonly executionFiles: ExecutionFiles;
  /** Keys are named as on a Mac. */
  readonly mac: boolean;
  chooseFolder(): void;
  chooseFiles(): void;
}

export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('used outside of AppContext');
  return app;
}
