/** Plot of a pair's packets over time, by their distance from the line between the two clocks: sent above, received below. */
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { SyncPairInfo } from '../../engine/protocol/sync.ts';
import { formatDuration } from '../format/numbers.ts';
import { beginPaint, pixelRatio } from '../draw/pixels.ts';
import { PaletteContext } from '../draw/swatch.tsx';
import type { Palette } from '../draw/palette.ts';
import type { TimeRange } from '../timeline/timeline.tsx';

interface ResidualPlotProps {
  readonly pair: SyncPairInfo;
  readonly extent: TimeRange;
  readonly names: readonly [string, string];
}

const HEIGHT = 150;
const MARGIN = { left: 64, right: 8, top: 8, bottom: 8 };
const POINT_PX = 2.5;

export function ResidualPlot({ pair, extent, names }: ResidualPlotProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const palette = useContext(PaletteContext).value;
  useEffect(() => {
    const picture = canvas.current;
    if (!picture || !palette) return;
    const paint = () => {
      const width = picture.clientWidth;
      const context = beginPaint(picture, width, HEIGHT, pixelRatio());
      if (context) paintPlot(context, pair, extent, width, palette);
    };
    const observer = new ResizeObserver(paint);
    observer.observe(picture);
    return () => observer.disconnect();
  }, [pair, extent, palette]);
  const count = pair.residuals.timeNs.length;
  return (
    <figure class="sync-plot">
      <canvas
        ref={canvas}
        style={{ height: `${HEIGHT}px` }}
        role="img"
        aria-label={`${count} packets about the line between the clocks of ${names[0]} and ${names[1]}`}
      />
      <figcaption class="faint">
        Delay of packets over time: above the line from {names[0]} to {names[1]}, below it the other way. The
        band is the uncertainty.
      </figcaption>
    </figure>
  );
}

function paintPlot(
  context: CanvasRenderingContext2D,
  pair: SyncPairInfo,
  extent: TimeRange,
  width: number,
  palette: Palette,
): void {
  const { timeNs, residualNs, isUsed } = pair.residuals;
  const scale = typicalSize(residualNs, pair.uncertaintyNs);
  const middle = MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) / 2;
  const half = (HEIGHT - MARGIN.top - MARGIN.bottom) / 2;
  const xOf = (time: DisplayNs) =>
    MARGIN.left +
    ((time - extent.from) / Math.max(1, extent.to - extent.from)) * (width - MARGIN.left - MARGIN.right);
  // Delays beyond the scale are drawn at its edge.
  const yOf = (residual: number) => middle - Math.max(-1, Math.min(1, residual / scale)) * half;
  if (Number.isFinite(pair.uncertaintyNs)) {
    context.fillStyle = palette.accentWash.css;
    const top = yOf(pair.uncertaintyNs);
    context.fillRect(MARGIN.left, top, width - MARGIN.left - MARGIN.right, yOf(-pair.uncertaintyNs) - top);
  }
  context.fillStyle = palette.strongLine.css;
  context.fillRect(MARGIN.left, middle, width - MARGIN.left - MARGIN.right, 1);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  context.fillStyle = palette.muted.css;
  for (const share of [1, 0, -1])
    context.fillText(
      formatDuration(share * scale),
      MARGIN.left - 6,
      Math.max(8, Math.min(HEIGHT - 8, middle - share * half)),
    );
  context.textAlign = 'left';
  for (let i = 0; i < timeNs.length; i++) {
    context.beginPath();
    context.arc(xOf(timeNs[i]), yOf(residualNs[i]), POINT_PX, 0, 2 * Math.PI);
    context.fillStyle = isUsed[i] === 1 ? palette.accent.css : palette.canvas.css;
    context.strokeStyle = palette.accent.css;
    context.fill();
    context.stroke();
  }
}

/** Half the height in ns, which contains nine of ten packets and the band of uncertainty. */
function typicalSize(residualNs: Float64Array, uncertaintyNs: number): number {
  const sizes = residualNs.map(Math.abs).sort();
  const most = sizes[Math.floor(sizes.length * 0.9)] ?? 0;
  const band = Number.isFinite(uncertaintyNs) ? uncertaintyNs : 0;
  return Math.max(1, 1.1 * Math.max(most, band));
}
