/** The one event of the layer: what a state dump calls the disks. Its history is written when all was read. */
import type { EventBatch, EventMap, HistoryAnalysis, TransitionLeaf } from '../../analysis/contract.ts';
import { earliestTime } from '../../ctf/decode/rows/rows.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerMap, settingsId } from '../contract/layer.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { deviceName } from '../../linux/states/reduce/disk-requests.ts';
import { RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { LeafWriter } from '../../linux/states/map/transitions.ts';

/** Names of disks by number: `254:0` is `vda`. */
export type DiskNames = Readonly<Record<string, string>>;

interface NameChunk extends TransitionLeaf {
  readonly place: Uint32Array;
  /** Number of the device, and index of its name. */
  readonly args: Int32Array;
  readonly texts: readonly string[];
}

/** Id of the layer, and first segment of the paths of its attributes. */
export const QUEUES = 'queues';

export const diskNameMap: LayerMap<object, NameChunk> = {
  id: QUEUES,
  of: (settings): EventMap<NameChunk> => ({
    id: settingsId(QUEUES, settings),
    reads: { kinds: [kernelKind('disk-dump', 'dev', 'diskname')] },
    map: mapNames,
  }),
};

export function diskNames(settings: object): HistoryAnalysis<NameChunk, HistorySink, DiskNames> {
  return {
    ...diskNameMap.of(settings),
    version: 1,
    reducer() {
      const names: Record<string, string> = {};
      return {
        run({ place, args, texts }, from, to) {
          for (let i = from; i < to; i++) names[deviceName(args[place[i]])] = texts[args[place[i] + 1]];
        },
        advance: () => undefined,
        soFar: () => ({ ...names }),
        finish: () => names,
      };
    },
  };
}

function mapNames({ packets, rows, plan }: EventBatch): NameChunk {
  const kind = plan.kind('disk-dump');
  const device = plan.field('disk-dump', 'dev');
  const name = plan.field('disk-dump', 'diskname');
  const writer = new LeafWriter();
  const reader = new RowReader();
  const texts = new TextTable();
  reader.open(rows);
  for (let packet = 0; packet < packets.length; packet++) {
    writer.keyOf(earliestTime(packets, packet));
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      const time = writer.keyOf(rows.time[row]);
      if (rows.kind[row] !== kind || !reader.has(row, device) || !reader.has(row, name)) continue;
      const at = writer.append(time, 0, packets.cpu[packet]);
      writer.args[at] = reader.int(row, device);
      writer.args[at + 1] = reader.text(row, name, texts);
    }
  }
  reader.close();
  const { length, time, place, args } = writer.columns();
  return { length, time, place, args, texts: texts.texts };
}
