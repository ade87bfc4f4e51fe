/** Key under which a trace's results are stored: it changes with files, formats, analyses and tables of events. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { EVENT_TABLES, SESSION_VERSIONS } from '../../registry.ts';
import { experimentFingerprint, type Fingerprinted } from '../../trace/fingerprint.ts';
import { VERSION_LENGTH } from '../../trace/fingerprint-of-key.ts';

/** Version of all that a session stores beside the histories; raise it when their meaning changes, or that of imported recordings. */
const SESSION_FORMAT = 16;

/** Plain tables that define what events mean, by name. */
type EventTables = Readonly<Record<string, unknown>>;

/** `FINGERPRINT-VERSION`, both hexadecimal; independent of the order in which files were given. */
export function traceKey(experiment: Fingerprinted, tables: EventTables = EVENT_TABLES): Promise<string> {
  return Promise.resolve(`${experimentFingerprint(experiment)}-${versionOf(tables).text}`);
}

/** Text of everything but the files that the results of a trace depend on. */
export function resultsVersion(): string {
  return versionOf(EVENT_TABLES).text;
}

/** Whether the results stored under a key were made by this version of the program. */
export function isCurrent(key: string): boolean {
  return key.endsWith(`-${resultsVersion()}`);
}

const versionOf = cachedByKey((tables: EventTables) => {
  const texts = JSON.stringify(tables, (_, value: unknown) =>
    value instanceof RegExp ? String(value) : value,
  );
  const all = [`session ${SESSION_FORMAT}`, ...SESSION_VERSIONS, texts].join('\n');
  return { text: sha256Hex(new TextEncoder().encode(all)).slice(0, VERSION_LENGTH) };
});
