/** State of the comparison: the executions, asked for when reading is over, all that is computed from them, and its part of the link. */
import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { ExecutionDatabase } from '../../engine/layers/executions/database/database.ts';
import type { Renames } from '../../engine/layers/executions/ranking/compared.ts';
import type { Groups } from '../../engine/layers/executions/ranking/groups.ts';
import { type ExecutionDefinition, isSameDefinition } from '../../engine/layers/executions/definition.ts';
import { callExit } from '../../engine/trace/event-kinds.ts';
import { createLiveAnswer } from '../experiment/live-answer.ts';
import type { ExecutionFiles } from '../files/execution-files.ts';
import type { BrushRange } from '../widgets/histogram/brushed-histogram.tsx';
import { comparedWith, type Comparison, createComparison } from './comparison.ts';
import type { ExecutionsSource } from './executions-source.ts';
import type { Brush, GroupName, GroupRule } from './group-rule.ts';

/** Groups of more executions than this are ranked and listed only when they have not changed for a moment. */
const SMALL = 5000;
const REST_MS = 150;

export type CompareState = ReturnType<typeof createCompareState>;

/** @param files executions that the trace is compared with, when it is not divided itself */
export function createCompareState(source: ExecutionsSource, files: ExecutionFiles) {
  /** Undefined: none was chosen. */
  const definition = signal<ExecutionDefinition | undefined>(undefined);
  const rule = signal<GroupRule>({ kind: 'slow' });
  const brushes = signal<readonly Brush[]>([]);
  /** Frames of group A that have another name in group B. */
  const renames = signal<Renames>(new Map());
  /** Fingerprint of the trace that a link compares this one with, until its executions are there. */
  const linkedAgainst = signal<string | undefined>(undefined);
  /** The execution that was shown last; -1: none. */
  const shown = signal(-1);
  /** Whether the reader wants to choose executions though the trace suggests none. */
  const isWanted = signal(false);
  const naming = createLiveAnswer((isReady: boolean, { aborted }: AbortSignal) =>
    isReady && !aborted ? source.overlays() : undefined,
  );
  const asking = createLiveAnswer(async (wanted: ExecutionDefinition | undefined, stop: AbortSignal) => ({
    definition: wanted,
    found: wanted && (await source.find(wanted, stop)),
  }));
  /** Events of the trace, and pairs that their names suggest; undefined: not known yet. */
  const overlays = naming.answer;
  /** Answer about the chosen definition; undefined while it is being looked for. */
  const latest = computed(() => {
    const answer = asking.answer.value;
    return answer?.definition === definition.value ? answer : undefined;
  });
  /** The executions without those that they are compared with; undefined when `comparison` is. */
  const own = computed(() => latest.value?.found);
  /** Whether there is no answer because the files of the trace are missing. */
  const isUnknown = computed(() => latest.value?.definition !== undefined && !latest.value.found);
  const compared = computed(() => {
    const [found, against] = [own.value, files.against.value];
    return found && comparedWith(found, source.about()?.hosts ?? [], against);
  });
  /** Undefined: not known yet, or no definition is chosen. */
  const comparison = computed(() => {
    const others = renames.value;
    // The rule changes the comparison only when functions were renamed.
    const renamed = others.size > 0 ? { renames: others, rule: rule.value } : undefined;
    return compared.value && createComparison(compared.value, renamed);
  });
  const groups = computed(() => comparison.value?.groups(rule.value, brushes.value));
  /** The groups, once they have not changed for a moment. */
  const rested = signal<Groups | undefined>(undefined);
  /** Ranking of what explains `rested`; undefined: a group is empty, or nothing is known yet. */
  const ranking = computed(() => rested.value && comparison.peek()?.ranking(rested.value));
  const isThere = computed(
    () =>
      isWanted.value ||
      definition.value !== undefined ||
      (overlays.value?.suggestions.length ?? 0) > 0 ||
      // Requests of servers and long calls are proposed from system calls.
      overlays.value?.events.some(({ name }) => name.startsWith(callExit(''))) === true,
  );
  const begin = () => {
    brushes.value = [];
    renames.value = new Map();
    rule.value = files.against.peek() === undefined ? source.usualRule() : { kind: 'traces' };
    shown.value = -1;
  };
  /** The same executions of another trace, or of a file, become group A; undefined: this trace alone is divided. */
  const compareWith = (against: ExecutionDatabase | undefined) => {
    const isCompared = rule.peek().kind === 'traces';
    if (against === undefined) {
      if (isCompared && linkedAgainst.peek() === undefined) begin();
      return;
    }
    linkedAgainst.value = undefined;
    const other = against.answer.definition;
    if (!isSameDefinition(definition.peek(), other)) definition.value = other;
    else if (isCompared) return;
    begin();
  };
  const findLinked = async (trace: string, wanted: ExecutionDefinition) => {
    const found = await source.kept.find(trace, wanted);
    if (found !== undefined && linkedAgainst.peek() === trace) files.against.value = found;
  };
  let last: Comparison | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stops = [
    effect(() => {
      const isReady = source.isReady();
      naming.put(isReady);
      asking.put(isReady ? definition.value : undefined);
    }),
    effect(() => {
      const [current, now] = [groups.value, comparison.value];
      clearTimeout(timer);
      const rest = () => (rested.value = current);
      // The old groups are of other executions.
      if (now !== last || now === undefined || now.answer.length <= SMALL) rest();
      else timer = setTimeout(rest, REST_MS);
      last = now;
    }),
    effect(() => {
      const against = files.against.value;
      untracked(() => compareWith(against));
    }),
    effect(() => {
      const [trace, wanted] = [linkedAgainst.value, definition.value];
      if (trace !== undefined && wanted !== undefined && source.isReady()) void findLinked(trace, wanted);
    }),
    () => clearTimeout(timer),
    () => naming.end(),
    () => asking.end(),
  ];
  return {
    ...{ source, files, definition, rule, brushes, renames, linkedAgainst, shown, isWanted, overlays, own },
    ...{ isUnknown, comparison, groups, rested, ranking, isThere },
    /** Chooses a kind of executions, and resets ranges and what the previous kind was compared with. */
    choose: (wanted: ExecutionDefinition) =>
      batch(() => {
        if (!isSameDefinition(files.against.peek()?.answer.definition, wanted))
          files.against.value = undefined;
        definition.value = wanted;
        begin();
      }),
    rangeOf: (group: GroupName, metric: string) =>
      brushes.value.find((brush) => brush.group === group && brush.metric === metric),
    /** @param range undefined: all of the metric */
    brush: (group: GroupName, metric: string, range: BrushRange | undefined) => {
      const others = brushes.peek().filter((brush) => brush.group !== group || brush.metric !== metric);
      brushes.value = range === undefined ? others : [...others, { group, metric, ...range }];
    },
    dispose: () => stops.forEach((stop) => stop()),
  };
}
