/** What is open: the state of the page's one experiment, fed by the session's updates. */
import { batch, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import { proxy } from 'comlink';
import type { Fault } from '../engine/base/fault.ts';
import type { GuestChoice } from '../engine/graph/guests.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { nameOfAddress } from '../engine/io/web-address.ts';
import { rowsOf } from '../engine/session/rows/row-columns.ts';
import type { ClockSettings } from '../engine/sync/host-clocks.ts';
import type {
  ExperimentInfo,
  OpenOutcome,
  Overview,
  Progress,
  RowInfo,
  SessionApi,
  SessionUpdate,
  UpdateListener,
} from '../workers/session-api.ts';
import { MARK_DONE, markGiven, markOnce } from './marks.ts';
import { nextPaint } from './next-paint.ts';

/** `opening`: nothing to see yet; `open`: there is a picture, though reading may go on. */
export type Stage = 'start' | 'opening' | 'open';

export interface Experiment {
  readonly stage: ReadonlySignal<Stage>;
  /** As given when opening; the experiment's own once known. */
  readonly name: ReadonlySignal<string>;
  readonly info: ReadonlySignal<ExperimentInfo | undefined>;
  readonly rows: ReadonlySignal<readonly RowInfo[]>;
  readonly overview: ReadonlySignal<Overview | undefined>;
  readonly progress: ReadonlySignal<Progress | undefined>;
  /** Where it was fetched from; undefined: it was dropped. */
  readonly url: ReadonlySignal<string | undefined>;
  /** Why the last opening gave nothing to see. */
  readonly fault: ReadonlySignal<Fault | undefined>;
  /** True after `close`, until something is opened: the start page was asked for. */
  readonly closed: ReadonlySignal<boolean>;
  /** Whether files can be added: not when it came from the store without them. */
  readonly hasFiles: ReadonlySignal<boolean>;
  /** Grows when something is asked to be opened, and when what is open is closed. */
  readonly edition: number;
  /** What the user knows of virtual machines among the hosts. */
  readonly guests: Signal<readonly GuestChoice[]>;
  open(files: readonly SourceRef[], name: string): Promise<void>;
  /** Opens what is open and `files` together. */
  add(files: readonly SourceRef[], name: string): Promise<void>;
  /** Fetches an archive, after the user confirmed it, and opens it. */
  openAddress(url: URL): Promise<void>;
  reopen(key: string, name: string): Promise<void>;
  /** Shows what is open by other clocks, once it is stored; undefined: by what its packets tell. */
  useClocks(clocks: ClockSettings | undefined): Promise<void>;
  /** Stops reading and keeps what is there. */
  cancel(): Promise<void>;
  /** Back to the start page, because the user wants to. */
  close(): Promise<void>;
  /** To the start page, because the address leads elsewhere. */
  leave(): void;
  /** Shows a fault found before the session was asked. */
  fail(fault: Fault): void;
}

export function createExperiment(session: SessionApi): Experiment {
  const stage = signal<Stage>('start');
  const name = signal('');
  const info = signal<ExperimentInfo | undefined>(undefined);
  const rows = signal<readonly RowInfo[]>([]);
  const overview = signal<Overview | undefined>(undefined);
  const progress = signal<Progress | undefined>(undefined);
  const fault = signal<Fault | undefined>(undefined);
  const url = signal<string | undefined>(undefined);
  const files = signal<readonly SourceRef[]>([]);
  const hasFiles = signal(false);
  const guests = signal<readonly GuestChoice[]>([]);
  const closed = signal(false);
  // Updates of an experiment that was replaced meanwhile are dropped.
  let run = 0;

  const reset = (to: Stage, title: string) =>
    batch(() => {
      run++;
      stage.value = to;
      closed.value = false;
      name.value = title;
      info.value = undefined;
      rows.value = [];
      overview.value = undefined;
      progress.value = undefined;
      fault.value = undefined;
      url.value = undefined;
      files.value = [];
      hasFiles.value = false;
      guests.value = [];
    });

  const update = (next: SessionUpdate) => {
    if (next.progress.phase === 'done') markOnce(MARK_DONE);
    batch(() => {
      if (next.info !== undefined) info.value = next.info;
      if (next.rows !== undefined) rows.value = rowsOf(next.rows);
      if (next.overview !== undefined) overview.value = next.overview;
      // Who hears of it last is called first: the last rows are laid out once, in the order that they keep.
      progress.value = next.progress;
    });
  };

  const start = async (
    title: string,
    given: readonly SourceRef[],
    ask: (onUpdate: UpdateListener) => Promise<OpenOutcome>,
    adding = false,
  ) => {
    markGiven();
    // What is added to stays in sight until there is a picture of both.
    if (adding) run++;
    else reset('opening', title);
    files.value = given;
    hasFiles.value = given.length > 0;
    const mine = run;
    let rowsCame = false;
    const hear = (next: SessionUpdate): Promise<void> | undefined => {
      if (mine !== run) return undefined;
      if (next.rows === undefined) {
        update(next);
        return undefined;
      }
      rowsCame = true;
      batch(() => {
        update(next);
        // Of a kept trace they come before all else is read.
        stage.value = 'open';
      });
      return nextPaint();
    };
    const outcome = await ask(proxy(hear)).catch((error: unknown) => {
      if (mine === run) reset('start', title);
      throw error;
    });
    if (mine !== run) return;
    batch(() => {
      if (outcome.ok) {
        // An update that came first knows at least as much.
        if (!rowsCame) {
          info.value = outcome.info;
          rows.value = rowsOf(outcome.rows);
        }
        files.value = outcome.files;
        hasFiles.value = outcome.files.length > 0;
        name.value = outcome.info.name;
        stage.value = 'open';
      } else {
        reset('start', title);
        fault.value = outcome.fault;
      }
    });
  };

  const open = (given: readonly SourceRef[], title: string, adding: boolean) =>
    start(title, given, (onUpdate) => session.open(given, { name: title }, onUpdate), adding);

  return {
    stage,
    name,
    info,
    rows,
    overview,
    progress,
    url,
    fault,
    hasFiles,
    get edition() {
      return run;
    },
    guests,
    closed,
    open: (given, title) => open(given, title, false),
    add: (more, title) => {
      url.value = undefined;
      // Hosts may get other numbers.
      guests.value = [];
      return open([...files.value, ...more], `${name.value}, ${title}`, true);
    },
    openAddress: (address) => {
      const title = nameOfAddress(address);
      const opened = start(title, [], (onUpdate) =>
        session.openAddress(address.href, { name: title }, onUpdate),
      );
      url.value = address.href;
      return opened;
    },
    reopen: (key, title) => start(title, [], (onUpdate) => session.reopen(key, onUpdate)),
    useClocks: (clocks) => {
      const [given, title, key] = [files.value, name.value, info.value?.key ?? ''];
      const ask = (onUpdate: UpdateListener) =>
        given.length > 0
          ? session.open(given, { name: title, clocks }, onUpdate)
          : session.reopen(key, onUpdate, clocks);
      return start(title, given, ask, true);
    },
    cancel: () => session.cancel(),
    close: async () => {
      batch(() => {
        reset('start', '');
        closed.value = true;
      });
      await session.close();
    },
    leave: () => {
      if (stage.value === 'start') return;
      reset('start', '');
      void session.close();
    },
    fail: (found) => {
      reset('start', '');
      fault.value = found;
    },
  };
}
