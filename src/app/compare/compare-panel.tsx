/** The Compare tab: which executions were slow, and what they did differently. */
import './compare.css';
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { formatCount } from '../format/numbers.ts';
import { plural } from '../format/text.ts';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import type { ComparePage } from './compare-page.ts';
import { DefinitionChooser } from './definition-chooser.tsx';
import { DifferenceGraph } from './difference-graph.tsx';
import { ExecutionTable } from './execution-table.tsx';
import { GroupBar } from './group-bar.tsx';
import { HistogramColumns } from './histogram-columns.tsx';
import { Explanations } from './explanations.tsx';

export function ComparePanel(page: ComparePage) {
  const { compare, app } = page;
  const isChoosing = useSignal(false);
  // The tab needs the room; showing an execution on the timeline ends that.
  useLayoutEffect(() => {
    const { maximised } = app.drawer;
    const before = maximised.peek();
    maximised.value = true;
    return () => void (maximised.value = before);
  }, []);
  if (compare.definition.value === undefined) {
    return (
      <div class="compare-start">
        <h3>Which executions are to be compared?</h3>
        <DefinitionChooser compare={compare} onChoose={(definition) => compare.choose(definition)} />
      </div>
    );
  }
  const comparison = compare.comparison.value;
  return (
    <div class="compare">
      <GroupBar page={page} comparison={comparison} onDefine={() => (isChoosing.value = true)} />
      {comparison === undefined ? (
        <p class="compare-none">
          {compare.isUnknown.value
            ? 'Executions are read from the files of the trace: drop its folder here again to see them.'
            : 'Looking for executions'}
        </p>
      ) : comparison.answer.length === 0 ? (
        <p class="compare-none">{noneText(comparison.answer)}</p>
      ) : (
        <div class="compare-body">
          <HistogramColumns page={page} comparison={comparison} />
          <DifferenceGraph page={page} comparison={comparison} />
          <Explanations page={page} comparison={comparison} />
          <div class="compare-tables">
            <ExecutionTable page={page} comparison={comparison} group="b" />
            <ExecutionTable page={page} comparison={comparison} group="a" />
          </div>
        </div>
      )}
      {isChoosing.value && (
        <Dialog label="Executions" class="layer-dialog" onClose={() => (isChoosing.value = false)}>
          <DialogHead title="Executions" onClose={() => (isChoosing.value = false)} />
          <div class="layer-body">
            <DefinitionChooser
              compare={compare}
              onChoose={(definition) => {
                isChoosing.value = false;
                compare.choose(definition);
              }}
            />
          </div>
        </Dialog>
      )}
    </div>
  );
}

function noneText({ counts: { withoutBegin, withoutEnd }, withoutThread }: ExecutionsAnswer): string {
  if (withoutThread > 0)
    return `${plural(withoutThread, 'end')} lie in threads that are not known: record the context vtid, or the kernel.`;
  if (withoutBegin + withoutEnd === 0) return 'There are no such executions in this trace.';
  return `No begin has its end here: ${plural(withoutEnd, 'begin')} and ${formatCount(withoutBegin)} ends are alone.`;
}
