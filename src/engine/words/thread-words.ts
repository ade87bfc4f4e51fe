/**
 * Words for threads, by their keys, `1234`, or `1234#2` for the second thread with this tid, and for their priorities.
 */

/** "2nd thread with this id"; undefined for the first one, which needs no words. Takes a row's id as well. */
export function lifeText(key: string): string | undefined {
  const life = /#(\d+)$/.exec(key)?.[1];
  return life && `${life}${ordinalEnd(Number(life))} thread with this id`;
}

/** "worker (tid 1234)", "worker (tid 1234#2, 2nd thread with this id)". */
export function threadWords(name: string, key: string): string {
  return `${name || 'a thread'} (${['tid ' + key, lifeText(key)].filter(Boolean).join(', ')})`;
}

/** "nice 0", "real-time priority 50", of a value as LTTng records it; undefined: no thread has it. */
export function priorityWords(value: number): string | undefined {
  if (value < -100) return 'deadline';
  if (value < 0) return `real-time priority ${-1 - value}`;
  return value < 40 ? `nice ${value - 20}` : undefined;
}

function ordinalEnd(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13;
  return (isTeen ? undefined : ['th', 'st', 'nd', 'rd'][n % 10]) ?? 'th';
}
