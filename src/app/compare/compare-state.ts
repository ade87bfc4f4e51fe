/** Which executions are compared, and what follows: asked for once reading is over, and part of the page's link. */
import { computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { Ranking } from '../../engine/executions/ranking/ranking.ts';
import type {
  ExecutionDefinition,
  ExecutionsAnswer,
  OverlayInfo,
  SessionApi,
} from '../../workers/session-api.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import { isReading } from '../opening/progress-row.tsx';
import type { BrushRange } from '../widgets/histogram/brushed-histogram.tsx';
import { Comparison, type Groups } from './comparison.ts';
import type { Brush, GroupName, GroupRule } from './group-rule.ts';

export const SLOW_TAIL: GroupRule = { kind: 'slow' };

/** Groups of more executions than this are ranked and listed when they have come to rest. */
const SMALL = 5000;
const REST_MS = 150;

/** What was asked for, with its answer: undefined while it is looked for. */
interface Answered {
  readonly definition: ExecutionDefinition | undefined;
  readonly found: ExecutionsAnswer | undefined;
}

export class CompareState {
  /** Undefined: none was chosen. */
  readonly definition = signal<ExecutionDefinition | undefined>(undefined);
  readonly rule = signal<GroupRule>(SLOW_TAIL);
  readonly brushes = signal<readonly Brush[]>([]);
  /** Events of the trace, and pairs that their names suggest; undefined: not known yet. */
  readonly overlays: ReadonlySignal<OverlayInfo | undefined>;
  /** Undefined: not known yet, or nothing was asked for. */
  readonly comparison: ReadonlySignal<Comparison | undefined>;
  /** There is no answer: the files of the trace are not there. */
  readonly isUnknown: ReadonlySignal<boolean>;
  readonly groups: ReadonlySignal<Groups | undefined>;
  /** The same when they have come to rest. */
  readonly rested = signal<Groups | undefined>(undefined);
  /** What explains the groups at rest; undefined: one is empty, or nothing is known yet. */
  readonly ranking: ReadonlySignal<Ranking | undefined>;
  /** Somebody wants to choose executions, though the trace suggests none. */
  readonly isWanted = signal(false);
  readonly isThere: ReadonlySignal<boolean>;
  /** The execution that was gone to. */
  readonly shown = signal(-1);
  readonly #stops: readonly (() => void)[];

  constructor(
    session: Pick<SessionApi, 'ask'>,
    { rows, progress, hasFiles }: Pick<Experiment, 'rows' | 'progress' | 'hasFiles'>,
  ) {
    const naming = createLiveAnswer((isRead: boolean, { aborted }: AbortSignal) =>
      isRead && !aborted ? session.ask('overlays', {}) : Promise.resolve(undefined),
    );
    const asking = createLiveAnswer(
      async (definition: ExecutionDefinition | undefined, signal: AbortSignal): Promise<Answered> => ({
        definition,
        found: definition && (await session.ask('executions', { definition }, { signal })),
      }),
    );
    this.overlays = naming.answer;
    const answer = computed(() => {
      const latest = asking.answer.value;
      return latest?.definition === this.definition.value ? latest?.found : undefined;
    });
    this.isUnknown = computed(() => {
      const latest = asking.answer.value;
      return latest?.definition !== undefined && latest.definition === this.definition.value && !latest.found;
    });
    this.comparison = computed(() => answer.value && new Comparison(answer.value));
    this.groups = computed(() => this.comparison.value?.groups(this.rule.value, this.brushes.value));
    this.ranking = computed(() => {
      const groups = this.rested.value;
      return groups && this.comparison.peek()?.ranking(groups);
    });
    this.isThere = computed(
      () =>
        this.isWanted.value ||
        this.definition.value !== undefined ||
        (this.overlays.value?.suggestions.length ?? 0) > 0,
    );
    let compared: Comparison | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#stops = [
      // Rows of a layer come when it has been read.
      effect(() => {
        void rows.value;
        // Events are read from the files.
        void hasFiles.value;
        const isRead = !isReading(progress.value);
        naming.put(isRead);
        asking.put(isRead ? this.definition.value : undefined);
      }),
      effect(() => {
        const groups = this.groups.value;
        const comparison = this.comparison.value;
        clearTimeout(timer);
        const rest = () => (this.rested.value = groups);
        // Groups of other executions mean nothing here.
        if (comparison !== compared || comparison === undefined || comparison.answer.length <= SMALL) rest();
        else timer = setTimeout(rest, REST_MS);
        compared = comparison;
      }),
      () => clearTimeout(timer),
      () => naming.end(),
      () => asking.end(),
    ];
  }

  /** Looks at executions of a kind; ranges of others mean nothing. */
  choose(definition: ExecutionDefinition): void {
    this.definition.value = definition;
    this.brushes.value = [];
    this.rule.value = SLOW_TAIL;
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
