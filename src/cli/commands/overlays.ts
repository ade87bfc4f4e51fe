/** `overlays PATH… [--begin NAME --end NAME --key FIELD…]`: spans between two events, and their statistics by name. */
import { assert } from '../../engine/base/assert.ts';
import type { OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import { overlayLayer } from '../../engine/layers/overlays/layer.ts';
import { spanTracks } from '../../engine/answers/export/layer-spans.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { layersOf } from '../read-layers.ts';
import { onTrace, type TraceSession } from '../trace-session.ts';
import { printTable } from './table.ts';
import { hostName } from './statistic.ts';

/** Begin and end in ns since the experiment's first event; of a span without its end, the end of what is known. */
interface SpanLine {
  readonly name: string;
  readonly host?: string;
  readonly tid?: number;
  readonly level: number;
  readonly from: number;
  readonly to: number;
  readonly hasEnd: boolean;
  /** The label: fields and their values. */
  readonly text: string;
}

export const overlays: Command = (paths, options) => {
  // What is wrong with it is said before anything is read.
  definitionOf(options);
  return onTrace(paths, options, async (session) => {
    const layers = await readOverlays(session, options);
    const info = await session.ask('overlays', {}, layers);
    assert(info !== undefined, 'the layer is there');
    const statistics = info.stats
      .filter(({ host }) => session.hosts.some(({ index }) => index === host))
      .map(({ host, ...stat }) => ({ ...stat, ...hostName(session, host) }));
    const spans = await spansOf(session, layers);
    if (options.json) {
      printJson({ originNs: String(session.originNs), definitions: info.definitions, statistics, spans });
    } else {
      for (const { name, begin, end } of info.definitions) print(`${name}: ${begin} to ${end}`);
      printTable(
        ['spans', 'total ns', 'mean ns', 'max ns', 'no begin', 'no end', 'name'],
        statistics.map(({ spans: count, totalNs, meanNs, maxNs, withoutBegin, withoutEnd, name }) => {
          return [count, totalNs, Math.round(meanNs), maxNs, withoutBegin, withoutEnd, name];
        }),
      );
      print();
      printTable(
        ['from', 'to', 'ns', 'tid', 'level', 'name', 'span'],
        spans.map(({ from, to, hasEnd, tid = '?', level, name, text }) => {
          return [from, hasEnd ? to : '?', hasEnd ? to - from : '?', tid, level, name, text];
        }),
      );
    }
    return info.faults;
  });
};

/** Reads the spans that are asked for. @throws UsageError for a pair of events that is none */
export async function readOverlays(session: TraceSession, options: Options): Promise<SessionLayers> {
  const own = definitionOf(options);
  const layers = await layersOf({ overlay: overlayLayer }, session);
  if (own === undefined) await layers.begin(true, () => undefined);
  else await layers.change('overlay', [own]);
  return layers;
}

/** undefined: what the names of events suggest. */
function definitionOf({ begin, end, key, acrossThreads }: Options): OverlayDefinition | undefined {
  if (begin === undefined && end === undefined && key.length === 0 && !acrossThreads) return undefined;
  if (begin === undefined || end === undefined)
    throw new UsageError('overlays: --begin and --end go together');
  return { name: begin, begin, end, key, acrossThreads, label: key };
}

/** Order of spans: by begin, then thread, then level. */
async function spansOf(session: TraceSession, layers: SessionLayers): Promise<SpanLine[]> {
  const lines: SpanLine[] = [];
  const { firstNs, range } = session;
  for (const host of session.hosts) {
    for await (const { name, tid, level, spans } of spanTracks(layers, host, range)) {
      const track = { name, ...hostName(session, host.index), ...(tid > 0 ? { tid } : {}), level };
      for (const { from, to, hasEnd, text } of spans)
        lines.push({ ...track, from: from - firstNs, to: to - firstNs, hasEnd, text });
    }
  }
  return lines.sort((a, b) => a.from - b.from || (a.tid ?? 0) - (b.tid ?? 0) || a.level - b.level);
}
