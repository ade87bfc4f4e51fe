/** Commands of the palette for executions, also for traces that suggest none. */
import { commandsOf, type Command, type ThingGroup } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';
import { formatDuration } from '../format/numbers.ts';
import { type ComparePage, COMPARE_TAB, showExecution } from './compare-page.ts';
import type { CompareState } from './compare-state.ts';
import { batch } from '@preact/signals';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import { writeDefinition } from '../../engine/words/place-link.ts';
import { readRenameParts, writeRenames } from './renames.ts';
import { brushText, readBrush, readRule, ruleText } from './group-rule.ts';

const TITLE = 'Compare other executions: choose what begins and ends them…';

export function compareCommands(
  { drawer }: App,
  { isWanted, definition }: CompareState,
  isEnabled: () => boolean,
): readonly Command[] {
  const choose = () => {
    isWanted.value = true;
    definition.value = undefined;
    drawer.show(COMPARE_TAB);
  };
  return [commandsOf('Details')('executions', TITLE, '', choose, isEnabled)];
}

/** Most executions that the search offers; the tab has all of them. */
const MOST = 10_000;

/** Executions for the search, by number and thread, the longest first. */
export const EXECUTIONS: ThingGroup<ComparePage> = {
  title: 'Executions',
  things(page) {
    const comparison = page.compare.comparison.peek();
    if (comparison === undefined) return [];
    const { answer, others } = comparison;
    const duration = (i: number) => answer.to[i] - answer.from[i];
    const own = Array.from({ length: answer.length - others }, (_, i) => others + i);
    own.sort((a, b) => duration(b) - duration(a));
    return own.slice(0, MOST).map((number) => ({
      name: `execution ${number - others + 1} of ${answer.threads[answer.thread[number]].name}`,
      detail: formatDuration(duration(number)),
      open: () => showExecution(page, comparison, number),
    }));
  },
};

type LinkedState = Pick<
  CompareState,
  'definition' | 'rule' | 'brushes' | 'renames' | 'linkedAgainst' | 'files'
>;

export function writeComparison(
  { definition, rule, brushes, renames, files, linkedAgainst }: LinkedState,
  parts: URLSearchParams,
): void {
  if (definition.value === undefined) return;
  writeDefinition(definition.value, parts);
  const against = files.against.value?.trace ?? linkedAgainst.value;
  if (against !== undefined) parts.set('against', against);
  parts.set('groups', ruleText(rule.value));
  writeRenames(renames.value, parts);
  for (const brush of brushes.value) parts.append('brush', brushText(brush));
}

export function showComparison(state: LinkedState, parts: URLSearchParams): void {
  batch(() => {
    const against = parts.get('against') ?? undefined;
    const isThere = state.files.against.peek()?.trace === against;
    if (!isThere) state.files.against.value = undefined;
    state.linkedAgainst.value = isThere ? undefined : against;
    const definition = readDefinition(parts);
    if (JSON.stringify(definition) !== JSON.stringify(state.definition.peek()))
      state.definition.value = definition;
    state.rule.value = readRule(parts.get('groups'));
    state.renames.value = readRenameParts(parts);
    state.brushes.value = parts.getAll('brush').flatMap((text) => readBrush(text) ?? []);
  });
}

function readDefinition(parts: URLSearchParams): ExecutionDefinition | undefined {
  const [begin, end] = [parts.get('begin') ?? '', parts.get('end') ?? ''];
  if (begin === '' || end === '') return undefined;
  const minNs = Number(parts.get('min') ?? '0');
  return {
    begin,
    end,
    key: parts.getAll('key'),
    acrossThreads: parts.get('across') === '1',
    where: parts.getAll('where').flatMap((text) => {
      const at = text.indexOf('=');
      return at > 0 ? { field: text.slice(0, at), value: text.slice(at + 1) } : [];
    }),
    minNs: Number.isSafeInteger(minNs) && minNs > 0 ? minNs : 0,
  };
}
