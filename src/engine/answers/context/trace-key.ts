/** Under which key a trace's results are kept: other files, formats, analyses or tables of events give another key. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { sha256Hex } from '../../base/sha256.ts';
import { EVENT_TABLES, SESSION_VERSIONS } from '../../registry.ts';
import { experimentFingerprint, type Fingerprinted } from '../../trace/fingerprint.ts';
import { VERSION_LENGTH } from '../../trace/fingerprint-of-key.ts';

/** Version of all that a session stores beside the histories; raise it when their meaning changes, or that of imported recordings. */
const SESSION_FORMAT = 16;

/** Plain tables that say what events mean, by name. */
type EventTables = Readonly<Record<string, unknown>>;

/** `FINGERPRINT-VERSION`, both hexadecimal; independent of the order in which files were given. */
export function traceKey(experiment: Fingerprinted, tables: EventTables = EVENT_TABLES): Promise<string> {
  return Promise.resolve(`${experimentFingerprint(experiment)}-${versionOf(tables).text}`);
}

/** Distinguishes whatever results of one trace depend on beside its files. */
export function resultsVersion(): string {
  return versionOf(EVENT_TABLES).text;
}

/** Whether what is kept under a key was read as this program reads it. */
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
