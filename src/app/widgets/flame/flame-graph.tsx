/** A flame graph of any tree: a click or Enter zooms to a frame, arrows move the focus, the search marks frames. */
import './flame.css';
import { useComputed, useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { TextButton } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { formatShare } from '../../format/numbers.ts';
import { beginPaint, fillBox, pixelRatio, TextWidths } from '../../draw/pixels.ts';
import { repaintOn } from '../../browser/repaint.ts';
import type { Palette } from '../../draw/palette.ts';
import { PicturesContext } from '../../draw/pictures.ts';
import { PaletteContext } from '../../draw/swatch.tsx';
import { FLAME_ROW, paintFlame } from './flame-painter.ts';
import {
  ancestorsOf,
  boxAt,
  foldedText,
  layoutFlame,
  matchedValue,
  type FlameFrame,
  type FlameTree,
  type FlameBox,
} from './flame-tree.ts';

export interface FlameGraphProps {
  readonly label: string;
  /** Title above it, if any. */
  readonly title?: string;
  readonly tree: ReadonlySignal<FlameTree>;
  /** A value in words: "3.412 ms". */
  readonly format: (value: number) => string;
  /** The complete tree if `tree` leaves out short frames; used to count matches and to copy stacks. */
  readonly whole?: ReadonlySignal<FlameTree>;
  /** Text about a frame beside its value; absent: its share. */
  readonly about?: (frame: FlameFrame, number: number) => string;
  /** Whether roots are at the bottom. */
  readonly isRising?: boolean;
  /** Text of the time and the threads that it covers, for pictures. */
  readonly covers?: () => string;
  /** Elements before the search. */
  readonly children?: ComponentChildren;
  /** Text of what a double click does, if it does not show the frame's function: "to show its time". */
  readonly opens?: string;
  /** Called when a frame was clicked with Ctrl or Cmd, or double-clicked. */
  readonly onOpen?: (frame: number) => void;
}

/** Numbers of chosen frames, valid only in trees with the same numbering; -1: none. */
interface Chosen extends Pick<FlameTree, 'numbering'> {
  /** Frame that fills the width; -1: all roots. */
  readonly zoomed: number;
  readonly focused: number;
  readonly hovered: number;
}

const nothingOf = ({ numbering }: FlameTree): Chosen => ({
  ...{ numbering, zoomed: -1, focused: -1, hovered: -1 },
});

export function FlameGraph(props: FlameGraphProps) {
  const { label, title, tree, whole = tree, format, about, children, opens, onOpen } = props;
  const { isRising = false } = props;
  const coversNow = useRef(props.covers);
  coversNow.current = props.covers;
  const holder = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = useContext(PaletteContext);
  const pictures = useContext(PicturesContext);
  const width = useSignal(0);
  const search = useSignal('');
  const chosen = useSignal(nothingOf(tree.peek()));
  const current = useComputed(() => {
    const last = chosen.value;
    return last.numbering === tree.value.numbering ? last : nothingOf(tree.value);
  });
  const zoomed = useComputed(() => current.value.zoomed);
  const focused = useComputed(() => current.value.focused);
  const hovered = useComputed(() => current.value.hovered);
  const choose = (part: Partial<Chosen>) => (chosen.value = { ...current.peek(), ...part });
  const boxes = useComputed(() => layoutFlame(tree.value, zoomed.value, width.value));
  const matches = useComputed(() => matcherOf(search.value));
  const rows = useComputed(() => boxes.value.reduce((most, { depth }) => Math.max(most, depth + 1), 1));

  /** Row of a depth, and also depth of a row. */
  const rowOf = (depth: number) => (isRising ? rows.peek() - 1 - depth : depth);
  useEffect(() => {
    const [box, picture] = [holder.current, canvas.current];
    if (!box || !picture) return;
    const widths = new TextWidths();
    const size = () => ({ width: width.peek(), height: rows.peek() * FLAME_ROW });
    const paintOn = (context: CanvasRenderingContext2D, colours: Palette) =>
      paintFlame({
        context,
        tree: tree.peek(),
        boxes: boxes.peek(),
        rowOf,
        palette: colours,
        focused: focused.peek(),
        hovered: hovered.peek(),
        matches: matches.peek(),
        widths,
        format,
      });
    const paint = () => {
      const colours = palette.peek();
      const { width: across, height } = size();
      picture.style.height = `${height}px`;
      const context = colours && beginPaint(picture, across, height, pixelRatio());
      if (context) paintOn(context, colours);
    };
    const forget = pictures.add({
      title: label === 'Flame graph' ? label : `Flame graph “${label}”`,
      covers: () => {
        const { total } = tree.peek();
        return [coversNow.current?.(), `the width is ${format(total)}`].filter(Boolean).join(', ');
      },
      palette: () => palette.peek(),
      size,
      paint: (context) => {
        const colours = palette.peek();
        if (!colours) return;
        fillBox(context, colours.canvas, 0, 0, size().width, size().height);
        paintOn(context, colours);
      },
    });
    const painting = repaintOn([boxes, matches, focused, hovered, palette], paint);
    const observer = new ResizeObserver(([{ contentRect }]) => (width.value = contentRect.width));
    observer.observe(box);
    return () => {
      forget();
      observer.disconnect();
      painting.dispose();
    };
  }, []);

  const frameAt = (event: MouseEvent): number => {
    const { left, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const row = Math.floor((event.clientY - top) / FLAME_ROW);
    return boxAt(boxes.peek(), rowOf(row), event.clientX - left)?.frame ?? -1;
  };
  const zoom = (frame: number) => choose({ zoomed: frame, focused: frame });
  const onClick = (event: MouseEvent) => {
    const frame = frameAt(event);
    // Ignores the second click of a double click, which would zoom out first.
    if (frame < 0 || (event.detail > 1 && onOpen !== undefined)) return;
    if (event.ctrlKey || event.metaKey) onOpen?.(frame);
    else zoom(frame === zoomed.peek() ? parentOf(tree.peek(), frame) : frame);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const opened = event.key === 'Enter' && (event.ctrlKey || event.metaKey) ? focused.peek() : -1;
    if (opened >= 0) {
      event.preventDefault();
      event.stopPropagation();
      return onOpen?.(opened);
    }
    const step = flameKey(
      isRising ? turned(event.key) : event.key,
      boxes.peek(),
      tree.peek(),
      focused.peek(),
    );
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (step.zooms) zoom(step.frame);
    else choose({ focused: step.frame });
  };
  const described = hovered.value >= 0 ? hovered.value : focused.value;
  return (
    <div class="flame">
      <div class="flame-tools">
        {title !== undefined && <h3>{title}</h3>}
        {children}
        <FlameSearch label={label} text={search} />
        {matches.value !== undefined && (
          <span class="muted nowrap">
            {formatShare(matchedValue(whole.value, matches.value) / whole.value.total)} match
          </span>
        )}
        <span class="grow" />
        {zoomed.value >= 0 && <TextButton onClick={() => zoom(-1)} text="Show all" />}
        <CopyButton title="Copy stacks" text={() => foldedText(whole.peek())} />
      </div>
      <div class={isRising ? 'flame-scroll rising' : 'flame-scroll'}>
        <div
          class="flame-frames"
          ref={holder}
          role="tree"
          aria-label={label}
          tabIndex={0}
          onPointerMove={(event) => choose({ hovered: frameAt(event) })}
          onPointerLeave={() => choose({ hovered: -1 })}
          onClick={onClick}
          onDblClick={(event) => {
            const frame = frameAt(event);
            if (frame >= 0) onOpen?.(frame);
          }}
          onKeyDown={onKeyDown}
        >
          <canvas ref={canvas} aria-hidden="true" />
        </div>
      </div>
      <p class="flame-described" aria-live="polite">
        {described >= 0 ? (
          <FrameDescription tree={tree.value} frame={described} format={format} about={about} />
        ) : (
          <span class="faint">
            Point at a frame to read about it, or click it to widen it
            {opens !== undefined && `; double-click it ${opens}`}.
          </span>
        )}
      </p>
    </div>
  );
}

function FlameSearch({ label, text }: { readonly label: string; readonly text: Signal<string> }) {
  return (
    <label class="field flame-search">
      <Icon name="search" />
      <input
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find"
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => event.stopPropagation()}
      />
    </label>
  );
}

interface FrameDescriptionProps extends Pick<FlameGraphProps, 'format' | 'about'> {
  readonly tree: FlameTree;
  readonly frame: number;
}

function FrameDescription({ tree, frame, format, about }: FrameDescriptionProps) {
  const { text, value } = tree.frames[frame];
  const above = ancestorsOf(tree, frame).map((i) => tree.frames[i].text);
  return (
    <>
      <b>{text}</b> <span class="nowrap">{format(value)}</span>{' '}
      <span class="muted nowrap">
        {about?.(tree.frames[frame], frame) ?? formatShare(value / tree.total)}
      </span>
      {above.length > 0 && <span class="faint"> in {above.join(' › ')}</span>}
    </>
  );
}

/** The key with up and down exchanged, for rising graphs. */
function turned(key: string): string {
  return key === 'ArrowUp' ? 'ArrowDown' : key === 'ArrowDown' ? 'ArrowUp' : key;
}

function parentOf(tree: FlameTree, frame: number): number {
  return frame < 0 ? -1 : tree.frames[frame].parent;
}

function matcherOf(search: string): ((text: string) => boolean) | undefined {
  const wanted = search.trim().toLowerCase();
  return wanted === '' ? undefined : (text) => text.toLowerCase().includes(wanted);
}

/** Effect of a key. */
interface FlameStep {
  /** -1: everything. */
  readonly frame: number;
  /** Whether the frame is zoomed to; else it gets the focus. */
  readonly zooms: boolean;
}

/** The effect of a key; undefined: none. `focused`: -1 for no frame. An arrow without a target keeps the focus. */
function flameKey(
  key: string,
  boxes: readonly FlameBox[],
  tree: FlameTree,
  focused: number,
): FlameStep | undefined {
  const at = boxes.find((box) => box.frame === focused);
  const go = (box: FlameBox | undefined): FlameStep => ({ frame: box?.frame ?? focused, zooms: false });
  switch (key) {
    case 'ArrowDown':
      return go(at ? boxes.find((box) => tree.frames[box.frame].parent === at.frame) : boxes[0]);
    case 'ArrowUp':
      return go(at && boxes.find((box) => box.frame === tree.frames[at.frame].parent));
    case 'ArrowLeft':
      return go(at && boxes.findLast((box) => box.depth === at.depth && box.x < at.x));
    case 'ArrowRight':
      return go(at && boxes.find((box) => box.depth === at.depth && box.x > at.x));
    case 'Enter':
      return focused < 0 ? undefined : { frame: focused, zooms: true };
    case 'Backspace':
      return { frame: focused < 0 ? -1 : tree.frames[focused].parent, zooms: true };
    case 'Home':
      return { frame: -1, zooms: true };
    default:
      return undefined;
  }
}
