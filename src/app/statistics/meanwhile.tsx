/** Pieces of a delay by what ran meanwhile: as a lane, and as a list with links to the timeline. */
import { addNumber } from '../../engine/base/group-by.ts';
import type { DurationMark, Meanwhile, MeanwhilePiece } from '../../engine/protocol/statistics.ts';
import { pieceWords, wakerWords } from '../../engine/words/meanwhile-words.ts';
import { formatDuration, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { markTitle, showMark } from './duration-detail.tsx';

/** Most pieces in the list; the lane has all. */
const MOST_LISTED = 100;
/** Most parts of a lane that are drawn. */
const MOST_DRAWN = 200;
/** Most names in the text of a lane. */
const MOST_NAMED = 5;
const MOST_SUMMED = 3;
/** Number of colours of threads. */
const COLOURS = 7;

/** A small time line of a delay. */
export function MeanwhileLane({ pieces }: { readonly pieces: readonly MeanwhilePiece[] }) {
  const total = pieces.reduce((sum, { ns }) => sum + ns, 0);
  if (total === 0) return <span class="parts-bar" />;
  const label = sumsOf(pieces)
    .slice(0, MOST_NAMED)
    .map(([words, ns]) => `${visibleText(words)} ${formatDuration(ns)}`);
  return (
    <span class="parts-bar meanwhile-lane" role="img" aria-label={label.join(', ')} title={label.join('\n')}>
      {drawnParts(pieces, total).map(({ piece, ns }) => (
        <span
          key={piece.fromNs}
          class={piece.kind === 'unknown' ? 'unknown' : ''}
          style={{ width: `${(100 * ns) / total}%`, '--part': colourOf(piece) }}
        />
      ))}
    </span>
  );
}

/** Parts of a lane: pieces too short to be seen are drawn as the longest of their neighbours. */
function drawnParts(
  pieces: readonly MeanwhilePiece[],
  total: number,
): { piece: MeanwhilePiece; ns: number }[] {
  const parts: { piece: MeanwhilePiece; ns: number }[] = [];
  for (const piece of pieces) {
    const last = parts.at(-1);
    if (last === undefined || last.ns >= total / MOST_DRAWN) parts.push({ piece, ns: piece.ns });
    else {
      last.ns += piece.ns;
      if (piece.ns > last.piece.ns) last.piece = piece;
    }
  }
  return parts;
}

/** Times by what ran, most first. */
function sumsOf(pieces: readonly MeanwhilePiece[]): [words: string, ns: number][] {
  const sums = new Map<string, number>();
  for (const piece of pieces) addNumber(sums, pieceWords(piece), piece.ns);
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** CSS colour of a piece, by its thread. */
function colourOf({ kind, thread }: MeanwhilePiece): string {
  switch (kind) {
    case 'thread':
      return `var(--id-${1 + ((thread?.tid ?? 0) % COLOURS)})`;
    case 'idle':
      return 'var(--c-line)';
    case 'unknown':
      return 'var(--st-unknown)';
    case 'softirq':
      return 'color-mix(in srgb, var(--st-irq) 55%, var(--c-canvas))';
    case 'interrupt':
      return 'var(--st-irq)';
  }
}

interface DetailProps {
  /** Subject of the delay: a thread, or a CPU and its interrupt. */
  readonly title: string;
  readonly mark: DurationMark;
  readonly meanwhile: Meanwhile;
  readonly view: ViewModel;
}

export function MeanwhileDetail({ title, mark, meanwhile, view }: DetailProps) {
  const { pieces } = meanwhile;
  const waker = wakerWords(meanwhile);
  const host = mark.row.split(':')[1];
  const left = pieces.length - MOST_LISTED;
  return (
    <section class="meanwhile" aria-label="What ran meanwhile">
      <h4 class="ellipsis">What ran meanwhile</h4>
      <p>
        {visibleText(title)}: <b>{formatDuration(mark.ns)}</b> from{' '}
        {exactTime(mark.fromNs, view.timeStyle.value)}
        {waker !== undefined && <span class="muted">, {visibleText(waker)}</span>}
      </p>
      <MeanwhileLane pieces={pieces} />
      <p class="muted">
        {sumsOf(pieces)
          .slice(0, MOST_SUMMED)
          .map(([words, ns]) => `${visibleText(words)}: ${formatShare(ns / Math.max(1, mark.ns))}`)
          .join('; ')}
      </p>
      <ol class="duration-marks meanwhile-pieces">
        {pieces.slice(0, MOST_LISTED).map((piece) => (
          <li key={piece.fromNs}>
            <button
              class="duration-mark"
              title={markTitle(piece, view)}
              onClick={() => showMark(view, { ...piece, row: rowOf(piece, mark, host) }, false)}
            >
              <span class={`meanwhile-key ${piece.kind}`} style={{ '--part': colourOf(piece) }} />
              <span class="nowrap">{formatDuration(piece.ns)}</span>
              <span class="ellipsis" title={visibleText(pieceWords(piece))}>
                {visibleText(pieceWords(piece))}
                {piece.cpu !== undefined && <span class="faint"> CPU {piece.cpu}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {left > 0 && <p class="faint">and {plural(left, 'piece')} more</p>}
    </section>
  );
}

/** Row that shows a piece: that of its thread or CPU, else that of the waiter. */
function rowOf({ cpu, thread }: MeanwhilePiece, mark: DurationMark, host: string): string {
  return thread?.row ?? (cpu === undefined ? mark.row : `cpu:${host}:${cpu}`);
}
