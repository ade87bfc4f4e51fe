/** The selected interval in words, read out by assistive technology: keys step through intervals outside its panel. */
import type { IntervalInfo, RowInfo } from '../../../engine/protocol/rows.ts';
import { formatDuration } from '../../format/numbers.ts';
import { visibleText } from '../../format/text.ts';
import { tidWords } from '../../format/tid.ts';
import { threadsText } from '../tiles/interval-names.ts';
import { rowById } from '../rows/row-by-id.ts';
import type { TimelineSource } from '../timeline-source.ts';
import { unknownReason } from '../tiles/unknown-reason.ts';
import type { ViewModel } from '../view/view-model.ts';

interface SelectedSaidProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
}

export function SelectedSaid({ source, view }: SelectedSaidProps) {
  const selected = view.selected.value;
  const row = selected && rowById(source.rows.value, selected.row);
  return (
    <p class="said" role="status">
      {selected?.info !== undefined && row !== undefined && intervalWords(selected.info, row)}
    </p>
  );
}

/** "worker 1234: Waits, on the disk, 3.412 ms, read, ended by the disk". */
function intervalWords(interval: IntervalInfo, row: RowInfo): string {
  const { stateText, from, to, threads, interrupt, syscall, causeText } = interval;
  const facts = [
    `${[row.name, tidWords(row)].filter(Boolean).join(' ')}: ${stateText}`,
    formatDuration(to - from),
    unknownReason(interval),
    threads && threadsText(threads),
    interrupt,
    syscall,
    causeText,
  ];
  return facts
    .filter((fact) => fact !== undefined)
    .map(visibleText)
    .join(', ');
}
