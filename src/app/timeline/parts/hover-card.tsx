/** The card beside the pointer: at once what the tiles know, then what the session answers. */
import { type ReadonlySignal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { IntervalInfo, RowInfo } from '../../../engine/protocol/rows.ts';
import { formatDuration, formatShort } from '../../format/numbers.ts';
import { plural, visibleText } from '../../format/text.ts';
import { tidAbout, tidText } from '../../format/tid.ts';
import { Pair } from '../../controls/pair.tsx';
import { DRAW_NONE, DRAW_STYLES, cpuWord, drawCodeOf } from '../../draw/draw-codes.ts';
import type { DensityHit, PlotHit, TileHit } from './hit-test.ts';
import { threadsText, unknownReason } from '../tiles/interval-names.ts';
import { plotRangeText } from '../tiles/plot-scale.ts';
import type { Scene } from '../scene.ts';
import { Swatch } from '../../draw/swatch.tsx';
import { exactTime } from '../time-text.ts';
import type { TimelineSource } from '../timeline-source.ts';
import type { Hover, ViewModel } from '../view/view-model.ts';

interface HoverCardProps {
  readonly source: TimelineSource;
  readonly view: ViewModel;
  readonly scene: ReadonlySignal<Scene | undefined>;
  readonly hit: (row: string, timeNs: DisplayNs) => TileHit | undefined;
  /** False while the view is being dragged. */
  readonly shown: boolean;
}

const DISTANCE = 12;
const ASK_MS = 50;
const MOST_PARTS = 5;

export function HoverCard({ source, view, scene, hit, shown }: HoverCardProps) {
  const answer = useSignal<IntervalInfo | undefined>(undefined);
  const hover = view.hover.value;
  const rowId = hover?.row;

  useSignalEffect(() => {
    const at = view.hover.value;
    if (at?.row === undefined || isUnder(answer.peek(), at)) return;
    const { row, timeNs } = at;
    const ask = async () => {
      const found = await source.ask('interval', { row, timeNs });
      // The pointer may have moved, and a later answer may have come first.
      if (isUnder(found, view.hover.peek())) answer.value = found;
    };
    const timer = setTimeout(() => void ask(), ASK_MS);
    return () => clearTimeout(timer);
  });
  const card = useCardPlace(view, scene);

  // Tried again when tiles come.
  void scene.value?.drawn.value;
  const laid = rowId === undefined ? undefined : view.rows.layout.value.find(rowId);
  const found = shown && laid && hover?.x !== undefined ? hit(laid.row.id, hover.timeNs) : undefined;
  if (!laid || !found) return <div class="hover-card" ref={card} hidden />;
  const info = isUnder(answer.value, hover) ? answer.value : undefined;
  const about = tidAbout(laid.row);
  const length = lengthOf(found, info);
  return (
    <div class="hover-card" ref={card}>
      <div class="hover-head">
        <span>{visibleText(laid.row.name)}</span>
        {laid.row.tid !== undefined && <span class="hover-tid">{tidText(laid.row)}</span>}
        <span class="hover-length">
          {length !== undefined && formatDuration(length)}
          {found.kind === 'mixed' && ' in this pixel'}
        </span>
      </div>
      {about !== undefined && <p class="hover-about">{about}</p>}
      {found.kind === 'mixed' && <MixedParts hit={found} />}
      {found.kind === 'density' && <Pairs pairs={densityPairs(found, laid.row)} />}
      {found.kind === 'plot' && <Pairs pairs={plotPairs(found, info, view)} />}
      {found.kind === 'interval' && (
        <IntervalParts view={view} value={found.value} kind={laid.row.kind} info={info} />
      )}
    </div>
  );
}

function isUnder(interval: IntervalInfo | undefined, at: Hover | undefined): boolean {
  return (
    interval !== undefined &&
    at?.row === interval.row &&
    at.timeNs >= interval.from &&
    at.timeNs < interval.to
  );
}

function lengthOf(hit: TileHit, known: IntervalInfo | undefined): number | undefined {
  switch (hit.kind) {
    case 'mixed':
      return hit.to - hit.from;
    case 'density':
      return undefined;
    case 'plot':
      return known && known.to - known.from;
    case 'interval':
      return hit.whole ? hit.to - hit.from : known && known.to - known.from;
  }
}

type HoverPairs = readonly (readonly [name: string, text: string | undefined])[];

function densityPairs({ rate }: DensityHit, row: RowInfo): HoverPairs {
  const hasProcess = row.pid !== undefined && row.pid >= 0 && row.pid !== row.tid;
  const here = rate === undefined ? undefined : `${formatShort(rate * 1e9)} events/s`;
  return [
    ['Process', hasProcess ? String(row.pid) : undefined],
    ['Here', rate === 0 ? 'no event' : here],
    ['In all', plural(row.events, 'event')],
  ];
}

function plotPairs(
  { range, least, most }: PlotHit,
  info: IntervalInfo | undefined,
  view: ViewModel,
): HoverPairs {
  const { unit, windowNs } = range;
  return [
    ['Here', plotRangeText(unit, least, most)],
    ['Mean over', windowNs > 0 ? formatDuration(windowNs) : undefined],
    [windowNs > 0 ? 'Sum' : 'Exactly', info?.stateText],
    ...timePairs(info, view),
  ];
}

function timePairs(info: IntervalInfo | undefined, { timeStyle }: ViewModel): HoverPairs {
  return [
    ['From', info && exactTime(info.from, timeStyle.value)],
    ['To', info && exactTime(info.to, timeStyle.value)],
  ];
}

function MixedParts({ hit }: { readonly hit: TileHit & { readonly kind: 'mixed' } }) {
  const whole = hit.to - hit.from;
  return (
    <>
      <div class="hover-stack">
        {hit.parts.map(({ code, ns }) => (
          <b
            key={code}
            style={{
              width: `${(100 * ns) / whole}%`,
              background: code === DRAW_NONE ? 'none' : `var(--st-${DRAW_STYLES[code].token})`,
            }}
          />
        ))}
      </div>
      <dl>
        {hit.parts.slice(0, MOST_PARTS).map(({ code, ns }) => (
          <>
            <dt>
              <Swatch code={code} />
              {DRAW_STYLES[code].label}
            </dt>
            <dd>{formatDuration(ns)}</dd>
          </>
        ))}
      </dl>
    </>
  );
}

interface IntervalPartsProps {
  readonly view: ViewModel;
  readonly value: number;
  readonly kind: Parameters<typeof drawCodeOf>[0];
  readonly info: IntervalInfo | undefined;
}

function IntervalParts({ view, value, kind, info }: IntervalPartsProps) {
  const code = drawCodeOf(kind, value);
  const pairs: HoverPairs = [
    ['Why', info && unknownReason(info)],
    [info?.layer?.title ?? '', info?.layer?.subject],
    ['Thread', info?.threads && threadsText(info.threads)],
    ['Interrupt', info?.interrupt],
    ['System call', info?.syscall],
    ['Ended', info?.layer?.hasEnd === false ? 'not recorded' : info?.causeText],
    [cpuWord(code), info?.cpu === undefined || info.cpu < 0 ? undefined : String(info.cpu)],
    ...timePairs(info, view),
  ];
  return (
    <Pairs pairs={pairs}>
      <dt class="hover-state">
        <Swatch code={code} />
        {info === undefined ? DRAW_STYLES[code].label : visibleText(info.stateText)}
      </dt>
      <dd />
    </Pairs>
  );
}

interface PairsProps {
  /** Pairs without a text are left out. */
  readonly pairs: HoverPairs;
  readonly children?: ComponentChildren;
}

function Pairs({ pairs, children }: PairsProps) {
  return (
    <dl>
      {children}
      {pairs.map(([name, text]) => text !== undefined && <Pair name={name}>{visibleText(text)}</Pair>)}
    </dl>
  );
}

/**
 * Places the card beside the pointer, above or below its row, inside the area. Its size comes from an observer, which runs
 * before the frame is painted: reading it while the pointer moves would cause a layout for each frame.
 */
function useCardPlace(
  view: ViewModel,
  scene: ReadonlySignal<Scene | undefined>,
): RefObject<HTMLDivElement | null> {
  const card = useRef<HTMLDivElement>(null);
  const size = useRef({ width: 0, height: 0 });
  const place = () => {
    const { x, y } = view.hover.peek() ?? {};
    const area = scene.peek()?.frame();
    if (!card.current || card.current.hidden || !area || x === undefined || y === undefined) return;
    const { width, height } = size.current;
    const rowHeight = area.layout.length > 0 ? area.layout.at(0).height : 0;
    const right = x + DISTANCE + width <= area.width;
    const below = y + rowHeight + height <= area.height;
    const left = right ? x + DISTANCE : Math.max(0, x - DISTANCE - width);
    const top = below ? y + rowHeight : Math.max(0, y - rowHeight - height);
    card.current.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  };
  useLayoutEffect(place);
  useLayoutEffect(() => {
    if (card.current === null) return undefined;
    const observer = new ResizeObserver(([{ borderBoxSize }]) => {
      size.current = { width: borderBoxSize[0].inlineSize, height: borderBoxSize[0].blockSize };
      place();
    });
    observer.observe(card.current);
    return () => observer.disconnect();
  }, []);
  return card;
}
