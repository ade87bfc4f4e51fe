/** State of the comparison: executions asked for once reading is over, what follows, and part of the page's link. */
import { batch, computed, effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import type { Renames } from '../../engine/layers/executions/ranking/compared.ts';
import type { Ranking } from '../../engine/layers/executions/ranking/ranking.ts';
import { type ExecutionDefinition, isSameDefinition } from '../../engine/layers/executions/definition.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { callExit } from '../../engine/trace/event-kinds.ts';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import type { ExecutionFiles } from '../files/execution-files.ts';
import type { BrushRange } from '../widgets/histogram/brushed-histogram.tsx';
import { comparedWith, Comparison, type Groups } from './comparison.ts';
import type { ExecutionsSource } from './executions-source.ts';
import type { Brush, GroupName, GroupRule } from './group-rule.ts';

/** Groups of more executions than this are ranked and listed when they have come to rest. */
const SMALL = 5000;
const REST_MS = 150;

/** Definition that was asked for, with its answer; undefined: it is still being looked for. */
interface Answered {
  readonly definition: ExecutionDefinition | undefined;
  readonly found: ExecutionsAnswer | undefined;
}

export class CompareState {
  /** Undefined: none was chosen. */
  readonly definition = signal<ExecutionDefinition | undefined>(undefined);
  readonly rule = signal<GroupRule>({ kind: 'slow' });
  readonly brushes = signal<readonly Brush[]>([]);
  /** Frames of group A that group B calls otherwise. */
  readonly renames = signal<Renames>(new Map());
  /** Fingerprint of the trace that a link compares this one with, until its executions are there. */
  readonly linkedAgainst = signal<string | undefined>(undefined);
  readonly source: ExecutionsSource;
  readonly files: ExecutionFiles;
  /** Without those that they are compared with; undefined as of `comparison`. */
  readonly own: ReadonlySignal<ExecutionsAnswer | undefined>;
  /** Events of the trace, and pairs that their names suggest; undefined: not known yet. */
  readonly overlays: ReadonlySignal<OverlayInfo | undefined>;
  /** Undefined: not known yet, or nothing was asked for. */
  readonly comparison: ReadonlySignal<Comparison | undefined>;
  /** There is no answer: the files of the trace are not there. */
  readonly isUnknown: ReadonlySignal<boolean>;
  readonly groups: ReadonlySignal<Groups | undefined>;
  /** The same when they have come to rest. */
  readonly rested = signal<Groups | undefined>(undefined);
  /** Ranking of what explains the groups at rest; undefined: one is empty, or nothing is known yet. */
  readonly ranking: ReadonlySignal<Ranking | undefined>;
  /** Somebody wants to choose executions, though the trace suggests none. */
  readonly isWanted = signal(false);
  readonly isThere: ReadonlySignal<boolean>;
  /** The execution that was gone to. */
  readonly shown = signal(-1);
  readonly #stops: readonly (() => void)[];

  /** @param files what it is compared with, when it is not divided itself */
  constructor(source: ExecutionsSource, files: ExecutionFiles) {
    this.source = source;
    this.files = files;
    const naming = createLiveAnswer((isReady: boolean, { aborted }: AbortSignal) =>
      isReady && !aborted ? source.overlays() : Promise.resolve(undefined),
    );
    const asking = createLiveAnswer(
      async (definition: ExecutionDefinition | undefined, signal: AbortSignal): Promise<Answered> => ({
        definition,
        found: definition && (await source.find(definition, signal)),
      }),
    );
    this.overlays = naming.answer;
    this.own = computed(() => {
      const latest = asking.answer.value;
      return latest?.definition === this.definition.value ? latest?.found : undefined;
    });
    this.isUnknown = computed(() => {
      const latest = asking.answer.value;
      return latest?.definition !== undefined && latest.definition === this.definition.value && !latest.found;
    });
    const compared = computed(() => {
      const [own, against] = [this.own.value, files.against.value];
      return own && comparedWith(own, source.about()?.hosts ?? [], against);
    });
    this.comparison = computed(() => {
      const renames = this.renames.value;
      // The groups matter to what is compared only where one of them has other names.
      return (
        compared.value &&
        new Comparison(compared.value, renames.size > 0 ? { renames, rule: this.rule.value } : undefined)
      );
    });
    this.groups = computed(() => this.comparison.value?.groups(this.rule.value, this.brushes.value));
    this.ranking = computed(() => {
      const groups = this.rested.value;
      return groups && this.comparison.peek()?.ranking(groups);
    });
    this.isThere = computed(
      () =>
        this.isWanted.value ||
        this.definition.value !== undefined ||
        (this.overlays.value?.suggestions.length ?? 0) > 0 ||
        // Requests of servers and long calls are proposed of these.
        this.overlays.value?.events.some(({ name }) => name.startsWith(callExit(''))) === true,
    );
    let last: Comparison | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#stops = [
      effect(() => {
        const isReady = source.isReady();
        naming.put(isReady);
        asking.put(isReady ? this.definition.value : undefined);
      }),
      effect(() => {
        const groups = this.groups.value;
        const comparison = this.comparison.value;
        clearTimeout(timer);
        const rest = () => (this.rested.value = groups);
        // Groups of other executions mean nothing here.
        if (comparison !== last || comparison === undefined || comparison.answer.length <= SMALL) rest();
        else timer = setTimeout(rest, REST_MS);
        last = comparison;
      }),
      effect(() => {
        const against = files.against.value;
        untracked(() => this.#compareWith(against));
      }),
      effect(() => {
        const [trace, definition] = [this.linkedAgainst.value, this.definition.value];
        if (trace !== undefined && definition !== undefined && source.isReady())
          void this.#findLinked(trace, definition);
      }),
      () => clearTimeout(timer),
      () => naming.end(),
      () => asking.end(),
    ];
  }

  /** Looks at executions of a kind; ranges of others mean nothing, nor does what was compared with these. */
  choose(definition: ExecutionDefinition): void {
    batch(() => {
      if (!isSameDefinition(this.files.against.peek()?.answer.definition, definition))
        this.files.against.value = undefined;
      this.definition.value = definition;
      this.#begin();
    });
  }

  /** The same executions of another trace, or of a file, become group A; undefined: this trace alone is divided. */
  #compareWith(against: ExecutionDatabase | undefined): void {
    const isCompared = this.rule.peek().kind === 'traces';
    if (against === undefined) {
      if (isCompared && this.linkedAgainst.peek() === undefined) this.#begin();
      return;
    }
    this.linkedAgainst.value = undefined;
    const { definition } = against.answer;
    if (!isSameDefinition(this.definition.peek(), definition)) this.definition.value = definition;
    else if (isCompared) return;
    this.#begin();
  }

  async #findLinked(trace: string, definition: ExecutionDefinition): Promise<void> {
    const found = await this.source.kept.find(trace, definition);
    if (found !== undefined && this.linkedAgainst.peek() === trace) this.files.against.value = found;
  }

  #begin(): void {
    this.brushes.value = [];
    this.renames.value = new Map();
    this.rule.value = this.files.against.peek() === undefined ? this.source.usualRule() : { kind: 'traces' };
    this.shown.value = -1;
  }

  rangeOf(group: GroupName, metric: string): Brush | undefined {
    return this.brushes.value.find((brush) => brush.group === group && brush.metric === metric);
  }

  /** @param range undefined: all of the metric */
  brush(group: GroupName, metric: string, range: BrushRange | undefined): void {
    const others = this.brushes.peek().filter((brush) => brush.group !== group || brush.metric !== metric);
    this.brushes.value = range === undefined ? others : [...others, { group, metric, ...range }];
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }
}
