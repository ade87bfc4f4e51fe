/** State of the open experiment, set by the session's updates. */
import { batch, computed, signal } from '@preact/signals';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import { proxy } from 'comlink';
import type { Fault } from '../../engine/base/fault.ts';
import type { GuestChoice } from '../../engine/graph/guests.ts';
import type { SourceRef } from '../../engine/io/byte-source.ts';
import { withMore } from '../../engine/io/file-lists.ts';
import { plainRow, rowsOf } from '../../engine/answers/rows/row-columns.ts';
import type { ClockSettings } from '../../engine/sync/host-clocks.ts';
import type {
  DamageInfo,
  ExperimentInfo,
  FoundTrace,
  Given,
  OpenOptions,
  OpenOutcome,
  Overview,
  Progress,
  SessionApi,
  SessionUpdate,
  UpdateListener,
} from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { MARK_DONE, markGiven, markOnce } from '../browser/marks.ts';
import { isBoolean, readSetting } from '../browser/settings.ts';
import type { Watched } from '../browser/watched.ts';
import { groupedByProgram, hasPrograms } from './row-programs.ts';

/** `opening`: nothing to see yet; `open`: there is a picture, though reading may go on. */
export type Stage = 'start' | 'opening' | 'open';

/** `another form`: the open experiment again, with other clocks or another layout. */
type Opening = 'new' | 'added' | 'another form';

type FindExample = (name: string, trace: string) => Promise<FoundTrace | undefined>;

/** Clocks and layout of the trace that the page's address links to. */
export interface LinkedForm {
  readonly trace: string;
  readonly sideBySide: boolean;
  /** Offsets to the hosts' own clocks. */
  readonly clocks: ClockSettings | undefined;
}

type Ask = (onUpdate: UpdateListener) => Promise<OpenOutcome>;

function withName(row: RowInfo, names: ReadonlyMap<string, string>): RowInfo {
  const name = row.kind === 'layer' ? names.get(row.id) : undefined;
  return name === undefined || name === row.name ? row : { ...plainRow(row), name };
}

export type Experiment = Watched<PageExperiment, 'guests' | 'byProgram' | 'rowNames'>;

export class PageExperiment {
  readonly stage = signal<Stage>('start');
  /** The name given when opening, then the experiment's own. */
  readonly name = signal('');
  readonly info = signal<ExperimentInfo | undefined>(undefined);
  /** Whether the open experiment was open before, with other clocks or another layout. */
  isAnotherForm = false;
  /** Fingerprint of the open experiment, which identifies it in links and notes. */
  readonly trace = computed(() => this.info.value && fingerprintOf(this.info.value.key));
  /** Whether processes are grouped by program; kept in this browser. */
  readonly byProgram = signal(readSetting('by-program', isBoolean) ?? false);
  /** Names of rows, by id, that were found, or given by the reader, after the rows came. */
  readonly rowNames = signal<ReadonlyMap<string, string>>(new Map());
  readonly rows = computed(() => {
    const [all, names] = [this.#allRows.value, this.rowNames.value];
    const named = names.size === 0 ? all : all.map((row) => withName(row, names));
    return this.byProgram.value ? groupedByProgram(named) : named;
  });
  readonly hasPrograms = computed(() => hasPrograms(this.#allRows.value));
  readonly overview = signal<Overview | undefined>(undefined);
  readonly progress = signal<Progress | undefined>(undefined);
  /** Parts of a kept trace that could not be read; their faults are also among those of `info`. */
  readonly damage = signal<DamageInfo | undefined>(undefined);
  /** Address that it was fetched from; undefined: none. */
  readonly url = signal<string | undefined>(undefined);
  /** Reason why the last opening failed. */
  readonly fault = signal<Fault | undefined>(undefined);
  /** Whether the user closed the last experiment and has opened none since. */
  readonly closed = signal(false);
  /**
   * Edition whose rows are shown. Rows and times of another edition differ, also when files were added or clocks
   * changed, so a selection does not outlive it.
   */
  readonly shown = signal(0);
  /** Whether its files are there: not when it came from the store without them. */
  readonly hasFiles = signal(false);
  /** Whether its files are being fetched. */
  readonly isConnecting = signal(false);
  /** Choices of the user about virtual machines among the hosts. */
  readonly guests = signal<readonly GuestChoice[]>([]);
  /** Settings by the user for the hosts' clocks. */
  readonly clocks = signal<ClockSettings | undefined>(undefined);
  readonly #allRows = signal<readonly RowInfo[]>([]);
  /** Files that are open; none when the experiment came from the store without its files. */
  files: readonly SourceRef[] = [];
  /** Recordings that were opened from the store without reading their files, which are to be connected. */
  unread: readonly SourceRef[] | undefined;
  /** First view if no link gives it, as parameters of a link; '' for the default. */
  shows = '';
  /** Clocks and layout from the link, until it is known whether the opened trace is that of the link. */
  #linked: LinkedForm | undefined;
  /** Number that grows with each opening and closing: updates of an earlier edition are dropped. */
  edition = 0;
  /** Whether rows came with an update of this edition. */
  #rowsCame = false;
  /** Whether the trace was read again because it was damaged, which is done once. */
  #isMended = false;

  /**
   * @param findExample finds the files of an example, by name and fingerprint of the trace
   * @param linkedForm reads the page's address when something is opened; undefined: it is no link
   */
  constructor(
    private readonly session: SessionApi,
    private readonly findExample: FindExample = () => Promise.resolve(undefined),
    private readonly linkedForm: () => LinkedForm | undefined = () => undefined,
  ) {}

  /** @param shows first view of an example: parameters of a link */
  open(given: Given, title: string, shows = ''): Promise<void> {
    const linked = this.linkedForm();
    const url = typeof given === 'string' ? given : undefined;
    const opened = this.#open(given, { name: title, sideBySide: linked?.sideBySide ?? false }, url, linked);
    this.shows = shows;
    return opened;
  }

  /** Opens a trace that was inspected, in place of the open one. */
  replace({ files, faults, url }: FoundTrace, title: string): Promise<void> {
    return this.#open(files, { name: title, faults }, url, this.linkedForm());
  }

  #open(
    given: Given,
    options: OpenOptions,
    url: string | undefined,
    linked: LinkedForm | undefined,
  ): Promise<void> {
    const { trace: clocksOf, clocks } = linked ?? {};
    const ask: Ask = (onUpdate) => this.session.open(given, { ...options, clocks, clocksOf }, onUpdate);
    const opened = this.#start(
      options.name ?? '',
      typeof given === 'string' ? [] : given,
      ask,
      'new',
      linked,
    );
    this.url.value = url;
    return opened;
  }

  /** Opens the open trace and one that was inspected together. */
  add({ files: more, faults }: FoundTrace, added: string): Promise<void> {
    this.url.value = undefined;
    this.clocks.value = undefined;
    this.guests.value = [];
    const files = withMore(this.files, more);
    const title = `${this.name.value}, ${added}`;
    const ask: Ask = (onUpdate) => this.session.open(files, { name: title, faults }, onUpdate);
    return this.#start(title, files, ask, 'added');
  }

  /**
   * Connects an experiment from the store with its files; nothing else changes. If they are undefined or those of another
   * trace, it stays without files.
   */
  async connect(coming: Promise<readonly SourceRef[] | undefined>): Promise<void> {
    const mine = this.edition;
    this.isConnecting.value = true;
    const files = await coming;
    const isIts =
      mine === this.edition && files && (await this.session.attachFiles(files, this.clocks.peek()));
    if (mine !== this.edition) return;
    if (!isIts) this.isConnecting.value = false;
    else {
      this.#setFiles(files);
      this.#mend();
    }
  }

  reopen(key: string, title: string): Promise<void> {
    const linked = this.linkedForm();
    const clocks = linked?.trace === fingerprintOf(key) ? linked.clocks : undefined;
    const ask: Ask = async (onUpdate) => {
      const kept = await this.session.reopen(key, onUpdate, clocks);
      if (kept.ok || kept.fault.code !== 'store-damaged') return kept;
      const example = await this.findExample(title, fingerprintOf(key));
      return example === undefined
        ? kept
        : this.session.open(example.files, { name: title, clocks }, onUpdate);
    };
    return this.#start(title, [], ask, 'new', linked);
  }

  /** Opens the experiment again with other clocks, once it is stored; undefined: clocks from its packets. */
  useClocks(clocks: ClockSettings | undefined): Promise<void> {
    const [files, title] = [this.files, this.name.value];
    const { key = '', sideBySide } = this.info.value ?? {};
    this.clocks.value = clocks;
    const ask: Ask = (onUpdate) =>
      files.length > 0
        ? this.session.open(files, { name: title, clocks, sideBySide }, onUpdate)
        : this.session.reopen(key, onUpdate, clocks);
    return this.#start(title, files, ask, 'another form');
  }

  /** Shows the recordings of one machine side by side, each from its begin, or at the times when they were made. */
  layOut(sideBySide: boolean): Promise<void> {
    const [files, title] = [this.files, this.name.value];
    this.clocks.value = undefined;
    this.guests.value = [];
    const ask: Ask = (onUpdate) => this.session.open(files, { name: title, sideBySide }, onUpdate);
    return this.#start(title, files, ask, 'another form');
  }

  /** Reads the open trace again after reading was stopped; the rows that are there stay meanwhile. */
  readAll(): Promise<void> {
    return this.useClocks(this.clocks.peek());
  }

  /** Stops reading and keeps what was read. */
  cancel(): Promise<void> {
    return this.session.cancel();
  }

  /** Closes the experiment and shows the start page, because the user wants to. */
  async close(): Promise<void> {
    batch(() => {
      this.#reset('start', '');
      this.closed.value = true;
    });
    await this.session.close();
  }

  /** Shows the start page, because the address changed. */
  leave(): void {
    if (this.stage.value === 'start') return;
    this.#reset('start', '');
    void this.session.close();
  }

  /** Shows a fault that was found before the session was asked. */
  fail(fault: Fault): void {
    this.#reset('start', '');
    this.fault.value = fault;
  }

  #reset(stage: Stage, title: string): void {
    batch(() => {
      this.edition++;
      this.stage.value = stage;
      this.closed.value = false;
      this.name.value = title;
      this.info.value = undefined;
      this.#allRows.value = [];
      this.overview.value = undefined;
      this.progress.value = undefined;
      this.damage.value = undefined;
      this.#isMended = false;
      this.fault.value = undefined;
      this.url.value = undefined;
      this.#setFiles([]);
      this.clocks.value = undefined;
      this.guests.value = [];
    });
  }

  /** @param linked form from the link, for a new trace */
  async #start(
    title: string,
    files: readonly SourceRef[],
    ask: Ask,
    as: Opening,
    linked?: LinkedForm,
  ): Promise<void> {
    markGiven();
    this.shows = '';
    // When files are added, the open trace stays visible until there is a picture of both.
    this.isAnotherForm = as === 'another form';
    this.#linked = linked;
    if (as !== 'new') this.edition++;
    else this.#reset('opening', title);
    this.#setFiles(files);
    this.#rowsCame = false;
    const mine = this.edition;
    const onNext: UpdateListener = (next) => (mine === this.edition ? this.#takeUpdate(next) : undefined);
    const outcome = await ask(proxy(onNext)).catch((error: unknown) => {
      if (mine === this.edition) this.#reset('start', title);
      throw error;
    });
    if (mine !== this.edition) return;
    batch(() => {
      if (outcome.ok) return this.#show(outcome);
      this.#reset('start', title);
      this.fault.value = outcome.fault;
    });
  }

  /** Takes an update; resolves when its rows are on the screen. */
  #takeUpdate(next: SessionUpdate): Promise<void> | undefined {
    if (next.progress.phase === 'failed') return this.#giveUp(next.fault);
    if (next.progress.phase === 'done') markOnce(MARK_DONE);
    batch(() => {
      if (next.info !== undefined) this.#takeLinked(next.info);
      this.#takeDamage(next);
      if (next.rows !== undefined) this.#allRows.value = rowsOf(next.rows);
      if (next.overview !== undefined) this.overview.value = next.overview;
      // The signal set last notifies first: the last rows are then laid out once, in their final order.
      this.progress.value = next.progress;
      if (next.rows === undefined) return;
      this.shown.value = this.edition;
      this.stage.value = 'open';
    });
    if (next.damage !== undefined) this.#mend();
    if (next.rows === undefined) return undefined;
    this.#rowsCame = true;
    return nextPaint();
  }

  /** Takes the clocks of the link, if it links to this trace. */
  #takeLinked({ key }: ExperimentInfo): void {
    const { trace, clocks } = this.#linked ?? {};
    this.#linked = undefined;
    if (clocks !== undefined && trace === fingerprintOf(key)) this.clocks.value = clocks;
  }

  /** Takes the info with the faults of damaged parts; the first rows of a new reading end the damage. */
  #takeDamage({ info = this.info.peek(), rows, damage }: SessionUpdate): void {
    if (damage !== undefined || (rows !== undefined && !this.#rowsCame)) this.damage.value = damage;
    const faults = this.damage.peek()?.faults;
    const others = info?.faults?.filter(({ code }) => code !== 'store-damaged') ?? [];
    this.info.value = info && faults ? { ...info, faults: [...others, ...faults] } : info;
  }

  /** Reads a damaged trace again, if its files are there. */
  #mend(): void {
    if (this.#isMended || this.damage.peek() === undefined || !this.hasFiles.peek()) return;
    this.#isMended = true;
    void this.readAll();
  }

  /** Shows the start page with the fault, because reading failed. */
  #giveUp(fault: Fault | undefined): Promise<void> {
    this.#reset('start', '');
    this.fault.value = fault;
    return this.session.close();
  }

  #show(opened: Extract<OpenOutcome, { ok: true }>): void {
    this.#takeLinked(opened.info);
    // An update with rows, if one came, is at least as new.
    if (!this.#rowsCame) {
      this.info.value = opened.info;
      this.#allRows.value = rowsOf(opened.rows);
      this.progress.value = opened.progress;
    }
    this.shown.value = this.edition;
    this.#setFiles(opened.files);
    this.unread = opened.unread;
    this.name.value = opened.info.name;
    this.stage.value = 'open';
    this.#mend();
  }

  #setFiles(files: readonly SourceRef[]): void {
    this.files = files;
    this.unread = undefined;
    this.hasFiles.value = files.length > 0;
    this.isConnecting.value = false;
  }
}

/**
 * Resolves when the page has painted earlier changes: an animation frame comes before the paint, and a task queued in it
 * runs after the paint. A page in the background resolves it when it comes to the front.
 */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
