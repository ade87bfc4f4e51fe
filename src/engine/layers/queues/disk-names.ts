/** Analysis of the layer's only event, a state dump's names of disks. The layer's history is written once all has been read. */
import type { EventBatch, EventMap, HistoryAnalysis } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerChunk, eachRow } from '../contract/event-mapper.ts';
import { type LayerMap, settingsId } from '../contract/layer.ts';
import { kernelKind } from '../../linux/events/kernel-events.ts';
import { deviceName } from '../../linux/states/reduce/disk-requests.ts';
import { RowReader } from '../../linux/events/row-reader.ts';
import { TextTable } from '../../linux/events/text-table.ts';
import { ChunkResultWriter } from '../../linux/states/map/transitions.ts';

/** Names of disks by number: `254:0` is `vda`. */
export type DiskNames = Readonly<Record<string, string>>;

/** Arguments: number of the device, and index of its name. */
type NameChunk = Pick<LayerChunk, 'length' | 'time' | 'place' | 'args' | 'texts'>;

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
    version: 2,
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

function mapNames(batch: EventBatch): NameChunk {
  const kind = batch.plan.kind('disk-dump');
  const device = batch.plan.field('disk-dump', 'dev');
  const name = batch.plan.field('disk-dump', 'diskname');
  const writer = new ChunkResultWriter();
  const reader = new RowReader();
  const texts = new TextTable();
  eachRow(batch, reader, writer, undefined, (row, time, cpu) => {
    if (batch.rows.kind[row] !== kind || !reader.has(row, device) || !reader.has(row, name)) return;
    const at = writer.append(time, 0, cpu);
    writer.args[at] = reader.int(row, device);
    writer.args[at + 1] = reader.text(row, name, texts);
  });
  const { length, time, place, args } = writer.columns();
  return { length, time, place, args, texts: texts.texts };
}
