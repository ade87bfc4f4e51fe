/** The spans of overlays, thread by thread. */
import type { DisplayNs } from '../../base/units.ts';
import { hasEnd, textOf } from '../../layers/contract/span-values.ts';
import type { HostHistory } from '../context/host.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { timesOfHost } from '../statistics/range-aggregates.ts';
import type { OpenLayers } from '../context/query.ts';
import { columnsOf, type ExportRow, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { type ExportSource, hostName, timeCells, timeColumns } from './export-source.ts';

/** Spans of one definition and level in one thread, which do not overlap. */
export interface SpanTrack {
  readonly name: string;
  readonly host: number;
  /** 0: it is not known. */
  readonly tid: number;
  readonly level: number;
  readonly spans: readonly OverlaySpan[];
}

interface OverlaySpan {
  readonly from: DisplayNs;
  /** End of the span; where it was not recorded, the end of what is known. */
  readonly to: DisplayNs;
  readonly hasEnd: boolean;
  /** The label: fields and their values. */
  readonly text: string;
}

/** @param range only spans that overlap it; default: all */
export async function* spanTracks(
  layers: OpenLayers,
  host: Pick<HostHistory, 'index' | 'clock'>,
  range: TimeRange | undefined,
): AsyncIterable<SpanTrack> {
  const { settings, hosts = [] } = layers.info('overlay') ?? {};
  const { definitions = [] } = settings ?? {};
  const own = hosts.find(({ index }) => index === host.index);
  const query = layers.history('overlay', host.index);
  if (own === undefined || query === undefined) return;
  const { from, to } = timesOfHost(range, host.clock);
  for (const { definition, tid, attributes } of own.tables.tracks) {
    for (const [level, attribute] of attributes.entries()) {
      const spans = (await query.intervals(attribute, from, to)).map((span) => ({
        from: host.clock.toExperiment(span.from),
        to: host.clock.toExperiment(span.to),
        hasEnd: hasEnd(span.value),
        text: query.text(textOf(span.value)),
      }));
      yield { name: definitions[definition].name, host: host.index, tid, level, spans };
    }
  }
}

/** Spans of overlays as a table of a file, thread by thread. */
export function spanTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...columnsOf('integer', 'tid', 'level'),
      ...columnsOf('text', 'name', 'label'),
    ],
    pieces(source),
  );
}

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  const { trace, layers, hosts, range, signal } = source;
  if (layers === undefined) return;
  for (const host of trace.hosts) {
    if (!hosts.includes(host.index)) continue;
    for await (const { name, tid, level, spans } of spanTracks(layers, host, range)) {
      signal?.throwIfAborted();
      const track = [hostName(source, host.index), tid > 0 ? tid : null, level, name];
      yield spans.map(({ from, to, hasEnd, text }) => {
        return [...timeCells(source, from), hasEnd ? to - from : null, ...track, text];
      });
    }
  }
}
