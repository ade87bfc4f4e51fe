/** State of the page's one experiment, which is what is open; fed by the session's updates. */
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

/** `another form`: of what is open, by other clocks or laid out otherwise. */
type Opening = 'new' | 'added' | 'another form';

type FindExample = (name: string, trace: string) => Promise<FoundTrace | undefined>;

/** How the page's address, where it is a link, shows its trace. */
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
  /** Name as given when opening; the experiment's own once known. */
  readonly name = signal('');
  readonly info = signal<ExperimentInfo | undefined>(undefined);
  /** Whether what is open was open before, by other clocks or laid out otherwise. */
  isAnotherForm = false;
  /** Fingerprint of what is open, by which links and notes know it. */
  readonly trace = computed(() => this.info.value && fingerprintOf(this.info.value.key));
  /** Whether processes stand below rows of their programs; kept in this browser. */
  readonly byProgram = signal(readSetting('by-program', isBoolean) ?? false);
  /** Names of rows that were found out, or given by the reader, after the rows came; by id. */
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
  /** Where it was fetched from; undefined: it was dropped. */
  readonly url = signal<string | undefined>(undefined);
  /** Why the last opening gave nothing to see. */
  readonly fault = signal<Fault | undefined>(undefined);
  /** True after `close`, until something is opened: the start page was asked for. */
  readonly closed = signal(false);
  /**
   * Number of the opening that gave what is shown. In another one's rows and times what was selected means something
   * else, also where files were added or clocks changed.
   */
  readonly shown = signal(0);
  /** Whether files can be added: not when it came from the store without them. */
  readonly hasFiles = signal(false);
  /** Its files are on their way. */
  readonly isConnecting = signal(false);
  /** Choices of the user about virtual machines among the hosts. */
  readonly guests = signal<readonly GuestChoice[]>([]);
  /** Settings by the user for the hosts' clocks. */
  readonly clocks = signal<ClockSettings | undefined>(undefined);
  readonly #allRows = signal<readonly RowInfo[]>([]);
  /** Files that are open; none when the experiment came from the store without its files. */
  files: readonly SourceRef[] = [];
  /** Recordings that were opened from the store without being read, and are to be connected. */
  unread: readonly SourceRef[] | undefined;
  /** First view where no link says it: parameters of a link; '' nothing in particular. */
  shows = '';
  /** Form from the link that led to what is opened, until it is known whether it is its trace. */
  #linked: LinkedForm | undefined;
  /** Grows when something is asked to be opened, and when what is open is closed: updates of what was replaced are dropped. */
  edition = 0;
  /** Whether rows came with an update of this edition. */
  #rowsCame = false;
  /** Whether the trace was read again because it was damaged: once, as another reading would end the same. */
  #isMended = false;

  /**
   * @param findExample the files of a trace, by its name and fingerprint, that lie beside the page
   * @param linkedForm what the page's address says when something is opened; undefined: it is no link
   */
  constructor(
    private readonly session: SessionApi,
    private readonly findExample: FindExample = () => Promise.resolve(undefined),
    private readonly linkedForm: () => LinkedForm | undefined = () => undefined,
  ) {}

  /** @param shows what an example shows first: parameters of a link */
  open(given: Given, title: string, shows = ''): Promise<void> {
    const linked = this.linkedForm();
    const url = typeof given === 'string' ? given : undefined;
    const opened = this.#open(given, { name: title, sideBySide: linked?.sideBySide ?? false }, url, linked);
    this.shows = shows;
    return opened;
  }

  /** Opens what was looked at, instead of what is open. */
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

  /** Opens what is open and what was looked at together. */
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
   * Gives what came from the store its files; nothing else changes. Undefined, or of another trace: it stays without
   * them.
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

  /** Shows what is open by other clocks, once it is stored; undefined: by what its packets say. */
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

  /** Shows the recordings of one machine side by side, each from its begin; or at the times when they were made. */
  layOut(sideBySide: boolean): Promise<void> {
    const [files, title] = [this.files, this.name.value];
    this.clocks.value = undefined;
    this.guests.value = [];
    const ask: Ask = (onUpdate) => this.session.open(files, { name: title, sideBySide }, onUpdate);
    return this.#start(title, files, ask, 'another form');
  }

  /** Reads again what is open, after reading was stopped: what is there stays in sight meanwhile. */
  readAll(): Promise<void> {
    return this.useClocks(this.clocks.peek());
  }

  /** Stops reading and keeps what is there. */
  cancel(): Promise<void> {
    return this.session.cancel();
  }

  /** Back to the start page, because the user wants to. */
  async close(): Promise<void> {
    batch(() => {
      this.#reset('start', '');
      this.closed.value = true;
    });
    await this.session.close();
  }

  /** Goes to the start page, because the address leads elsewhere. */
  leave(): void {
    if (this.stage.value === 'start') return;
    this.#reset('start', '');
    void this.session.close();
  }

  /** Shows a fault found before the session was asked. */
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

  /** @param linked of what is new */
  async #start(
    title: string,
    files: readonly SourceRef[],
    ask: Ask,
    as: Opening,
    linked?: LinkedForm,
  ): Promise<void> {
    markGiven();
    this.shows = '';
    // What is added to stays in sight until there is a picture of both.
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

  /** Resolves when rows that came are on the screen. */
  #takeUpdate(next: SessionUpdate): Promise<void> | undefined {
    if (next.progress.phase === 'failed') return this.#giveUp(next.fault);
    if (next.progress.phase === 'done') markOnce(MARK_DONE);
    batch(() => {
      if (next.info !== undefined) this.#takeLinked(next.info);
      this.#takeDamage(next);
      if (next.rows !== undefined) this.#allRows.value = rowsOf(next.rows);
      if (next.overview !== undefined) this.overview.value = next.overview;
      // Who hears of it last is called first: the last rows are laid out once, in the order that they keep.
      this.progress.value = next.progress;
      // Of a kept trace rows come before all else is read.
      if (next.rows === undefined) return;
      this.shown.value = this.edition;
      this.stage.value = 'open';
    });
    if (next.damage !== undefined) this.#mend();
    if (next.rows === undefined) return undefined;
    this.#rowsCame = true;
    return nextPaint();
  }

  /** Its clocks are those of the link, if that is one to it. */
  #takeLinked({ key }: ExperimentInfo): void {
    const { trace, clocks } = this.#linked ?? {};
    this.#linked = undefined;
    if (clocks !== undefined && trace === fingerprintOf(key)) this.clocks.value = clocks;
  }

  /** Facts with what is damaged of them; the first rows of what was read anew end the damage. */
  #takeDamage({ info = this.info.peek(), rows, damage }: SessionUpdate): void {
    if (damage !== undefined || (rows !== undefined && !this.#rowsCame)) this.damage.value = damage;
    const faults = this.damage.peek()?.faults;
    const others = info?.faults?.filter(({ code }) => code !== 'store-damaged') ?? [];
    this.info.value = info && faults ? { ...info, faults: [...others, ...faults] } : info;
  }

  /** Reads what is damaged again from its files, when they are there. */
  #mend(): void {
    if (this.#isMended || this.damage.peek() === undefined || !this.hasFiles.peek()) return;
    this.#isMended = true;
    void this.readAll();
  }

  /** Reading failed, and there is nothing to see: back to the start page, which says why. */
  #giveUp(fault: Fault | undefined): Promise<void> {
    this.#reset('start', '');
    this.fault.value = fault;
    return this.session.close();
  }

  #show(opened: Extract<OpenOutcome, { ok: true }>): void {
    this.#takeLinked(opened.info);
    // An update that came first knows at least as much.
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
 * Resolves when the page has painted what was changed before the call. The browser calls back before it paints; a task
 * that is put behind that runs afterwards. On a page in the background it resolves when that comes to the front.
 */
function nextPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
