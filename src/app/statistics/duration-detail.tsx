/** Details beside a table of durations: the distributions of the chosen row, and its longest ones as links to the timeline. */
import type { DurationMark, DurationStat } from '../../engine/protocol/statistics.ts';
import { formatDuration, formatExact } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { CellBar } from '../widgets/table/bars.tsx';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { Distribution } from '../widgets/histogram/distribution.tsx';

interface DetailPart {
  readonly title: string;
  readonly stat: DurationStat;
  /** CSS colour. */
  readonly colour: string;
}

interface DurationDetailProps {
  readonly title: string;
  readonly parts: readonly DetailPart[];
  /** Head of the list: "Longest waits". */
  readonly longest: string;
  /** Whether they are system calls, which are selected as such. */
  readonly areCalls?: boolean;
  readonly view: ViewModel;
}

export function DurationDetail({ title, parts, longest, areCalls = false, view }: DurationDetailProps) {
  const shown = parts.filter(({ stat }) => stat.count > 0);
  const marks = shown
    .flatMap(({ stat, colour, title }) => stat.longest.map((mark) => ({ mark, colour, about: title })))
    .sort((a, b) => b.mark.ns - a.mark.ns || a.mark.fromNs - b.mark.fromNs);
  return (
    <aside class="duration-detail" aria-label="Distribution">
      <h4 class="ellipsis" title={title}>
        {title}
      </h4>
      <div class="distributions">
        {shown.map(({ title: about, stat, colour }) => (
          <Distribution key={about} title={about} stat={stat} colour={colour} />
        ))}
      </div>
      {marks.length > 0 && (
        <section aria-label={longest}>
          <h5>{longest}</h5>
          <ol class="duration-marks">
            {marks.map(({ mark, colour, about }) => (
              <li key={`${mark.row} ${mark.fromNs} ${colour}`}>
                <button
                  class="duration-mark"
                  title={markTitle(mark, view)}
                  onClick={() => showMark(view, mark, areCalls)}
                >
                  <CellBar share={mark.ns / Math.max(1, marks[0].mark.ns)} colour={colour} />
                  <span class="nowrap">{formatDuration(mark.ns)}</span>
                  <span class="ellipsis">
                    {visibleText(mark.name)}
                    {shown.length > 1 && <span class="faint"> {about.toLowerCase()}</span>}
                  </span>
                </button>
              </li>
            ))}
          </ol>
        </section>
      )}
    </aside>
  );
}

/** Title of a button that leads to a duration. */
export function markTitle(mark: Pick<DurationMark, 'ns' | 'fromNs'>, view: ViewModel): string {
  return `${formatExact(mark.ns)} from ${exactTime(mark.fromNs, view.timeStyle.value)}\nClick to show it on the timeline`;
}

/** Shows a duration on the timeline and selects it: a system call as a whole, else the interval in its middle. */
export function showMark(
  view: ViewModel,
  { row, fromNs, ns }: Pick<DurationMark, 'row' | 'fromNs' | 'ns'>,
  isCall: boolean,
): void {
  const range = { from: fromNs, to: fromNs + Math.max(1, ns) };
  const middle = fromNs + Math.floor(ns / 2);
  view.show(row, range);
  void (isCall ? view.selectCall(row, middle, range) : view.select(row, middle));
}
