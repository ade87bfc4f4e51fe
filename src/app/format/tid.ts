/** Ids of threads as rows show them, and notes on tids that were used again or differ in a container. */
import { lifeText } from '../../engine/words/thread-words.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';

type Row = Pick<RowInfo, 'id' | 'tid' | 'vtid' | 'ns'>;

/** "3402", "3402#4" for the fourth thread with this tid; undefined where the row has none. */
export function tidAlone({ id, tid }: Row): string | undefined {
  return tid === undefined || tid < 0 ? undefined : `${tid}${/#\d+$/.exec(id)?.[0] ?? ''}`;
}

/** "3402 (7)" where it is 7 in its container, else as `tidAlone`. */
export function tidText(row: Row): string | undefined {
  const alone = tidAlone(row);
  return alone === undefined || !differsInside(row) ? alone : `${alone} (${row.vtid})`;
}

/** "4th thread with this id", "7 in its container"; undefined for the first with a number that is the host's. */
export function tidAbout(row: Row): string | undefined {
  const { id, tid, vtid, ns } = row;
  if (tid === undefined) return undefined;
  const inside = differsInside(row) && `${vtid} in its container`;
  // Without kernel events, the number on the host is not known.
  const only = vtid === undefined && ns !== undefined && `its number in pid namespace ${ns}`;
  return [lifeText(id), inside, only].filter(Boolean).join(', ') || undefined;
}

/** Id with its note, for screen readers: "3402#4, 4th thread with this id", "3402, 7 in its container". */
export function tidWords(row: Row): string {
  return [tidAlone(row), tidAbout(row)].filter(Boolean).join(', ');
}

function differsInside({ tid, vtid }: Row): boolean {
  return vtid !== undefined && vtid !== tid;
}
