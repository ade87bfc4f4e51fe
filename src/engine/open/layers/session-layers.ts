/** The layers of an open trace. */
import { isMissingCode } from '../../base/later-code.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { HistoryRecords } from '../../history/persist.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { OpenLayers } from '../../answers/context/query.ts';
import { type FoundOf, type InfoOf, LAYERS, type LayerWord, type WantedOf } from '../../registry.ts';
import type { IntervalInfo, RowColumns } from '../../protocol/rows.ts';
import type { SessionEnvironment } from '../environment.ts';
import { recordsOf } from '../stored-trace.ts';
import { withLayerRows } from './layer-rows.ts';
import { SessionLayer, type LayerSource } from './session-layer.ts';

type AnySessionLayer = SessionLayer<unknown, unknown, unknown, unknown>;

export class SessionLayers implements OpenLayers {
  /** Key of the trace that the layers belong to. */
  readonly key: string;
  /** Records of the trace. */
  readonly records: HistoryRecords;
  /** Layers by word. */
  readonly #layers: ReadonlyMap<string, AnySessionLayer>;
  readonly #whenCodeIsBack: SessionEnvironment['whenCodeIsBack'];
  readonly #reopened = new Set<AnySessionLayer>();
  /** Resolves when all layers that are read by default have been read; answers over several layers wait for it. */
  begun: Promise<void> = Promise.resolve();

  constructor(source: LayerSource) {
    this.key = source.key;
    this.#whenCodeIsBack = source.environment.whenCodeIsBack;
    this.records = recordsOf(source.store, source.key);
    const layers = Object.entries(source.environment.layers ?? LAYERS);
    this.#layers = new Map(layers.map(([word, layer]) => [word, new SessionLayer(word, layer, source)]));
  }

  /** Loads what is stored of the trace. */
  async reopen(): Promise<void> {
    for (const layer of this.#layers.values()) if (await layer.reopen()) this.#reopened.add(layer);
  }

  /**
   * Reads the layers that were not reopened, one after the other; those whose code cannot be loaded once it can.
   * @param isWhole as in `SessionLayer.look`
   * @param onRows called each time rows were added
   */
  begin(isWhole: boolean, onRows: () => void): Promise<void> {
    return (this.begun = this.#begin(isWhole, onRows));
  }

  async #begin(isWhole: boolean, onRows: () => void): Promise<void> {
    if ([...this.#reopened].some(({ hosts }) => hosts.length > 0)) onRows();
    const layers = [...this.#layers.values()].filter((layer) => !this.#reopened.has(layer));
    // All defaults are known before the first is read: a change by the user adds to them.
    for (const layer of layers) await layer.look(isWhole);
    for (let missing = layers; missing.length > 0;) {
      const again: AnySessionLayer[] = [];
      for (const layer of missing) {
        try {
          await layer.begin();
          if (layer.hosts.length > 0) onRows();
        } catch (error) {
          if (!isMissingCode(error) || this.#whenCodeIsBack === undefined) throw error;
          again.push(layer);
        }
      }
      if (again.length > 0) await this.#whenCodeIsBack?.();
      missing = again;
    }
  }

  /** See `SessionLayer.change`. */
  async change<Word extends LayerWord>(word: Word, wanted: WantedOf<Word>): Promise<boolean> {
    return (await this.#layers.get(word)?.change(wanted)) ?? false;
  }

  close(): void {
    for (const layer of this.#layers.values()) layer.close();
  }

  info<Word extends LayerWord>(word: Word): InfoOf<Word> | undefined {
    return this.#layers.get(word)?.info as InfoOf<Word> | undefined;
  }

  /** See `SessionLayer.find`. */
  async find<Word extends LayerWord>(word: Word): Promise<FoundOf<Word> | undefined> {
    return (await this.#layers.get(word)?.find()) as FoundOf<Word> | undefined;
  }

  /** The rows with those of all layers inserted; the same object if no layer has any. */
  rows(rows: RowColumns): RowColumns {
    const placed = [...this.#layers.values()].flatMap((layer) => layer.rows());
    return placed.length === 0 ? rows : withLayerRows(rows, placed);
  }

  /** History that a layer's rows on a host show; undefined: none. */
  history(word: string, host: number): HistoryQuery | undefined {
    return this.#layers.get(word)?.hosts.find(({ index }) => index === host)?.query;
  }

  /** See `SessionLayer.interval`; undefined: the row belongs to no layer. */
  interval(row: string, timeNs: DisplayNs, step?: -1 | 0 | 1): Promise<IntervalInfo | undefined> | undefined {
    return this.#layers.get(row.split(':')[0])?.interval(row, timeNs, step);
  }
}
