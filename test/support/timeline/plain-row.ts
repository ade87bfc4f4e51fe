/** Rows of the timeline as tests write them. */
import type { RowOptions } from '../../../src/app/timeline/rows/row-layout.ts';
import type { RowInfo } from '../../../src/engine/protocol/rows.ts';

/** A row that is called as its id, without an attribute of its own. */
export function plainRow(
  id: string,
  parent: number,
  kind: RowInfo['kind'],
  more: Partial<RowInfo> = {},
): RowInfo {
  return {
    ...{ id, parent, kind, name: id, host: 0, attribute: -1, cpuTimeNs: 0, events: 0 },
    ...{ ran: true, kernelThread: false, firstNs: 0, lastNs: 1, ...more },
  };
}

/** Rows as they are laid out without a choice, in the order in which they came. */
export const PLAIN_LAYOUT: RowOptions = {
  toggled: new Set(),
  pinned: new Set(),
  kept: new Set(),
  sort: 'found',
  ...{ filter: '', byNamespace: true, activeOnly: false, rowHeight: 20, hostHeight: 24 },
};
