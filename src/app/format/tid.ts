/** Ids of threads as rows show them, and what is said where a tid was used again. */
import { lifeText } from '../../engine/session/thread-words.ts';
import type { RowInfo } from '../../workers/session-api.ts';

type Row = Pick<RowInfo, 'id' | 'tid'>;

/** "3402", "3402#4" for the fourth thread with this tid; undefined where the row has none. */
export function tidText({ id, tid }: Row): string | undefined {
  return tid === undefined || tid < 0 ? undefined : `${tid}${/#\d+$/.exec(id)?.[0] ?? ''}`;
}

/** "4th thread with this id"; undefined for the first. */
export function tidAbout({ id, tid }: Row): string | undefined {
  return tid === undefined ? undefined : lifeText(id);
}

/** Both, to be read out: "3402#4, 4th thread with this id". */
export function tidWords(row: Row): string {
  return [tidText(row), tidAbout(row)].filter(Boolean).join(', ');
}
