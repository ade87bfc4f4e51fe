/** Under which key a trace's results are kept: other files, formats or analyses give another key. */
import { sha256Hex } from '../base/sha256.ts';
import { SESSION_VERSIONS } from '../registry.ts';
import { leftOutTexts } from '../trace/left-out.ts';
import type { Experiment } from '../trace/types.ts';
import { VERSION_LENGTH } from './fingerprint.ts';

/** Of all that a session stores beside the histories; raise it when their meaning changes. */
const SESSION_FORMAT = 15;

/** `FINGERPRINT-VERSION`, both hexadecimal; independent of the order in which files were given. */
export function traceKey(experiment: Experiment): Promise<string> {
  const fingerprints = experiment.traces.map((trace) => trace.fingerprint).sort();
  const version = hashOf([`session ${SESSION_FORMAT}`, ...SESSION_VERSIONS]).slice(0, VERSION_LENGTH);
  // Rows and times mean something else there: to links and notes it is another trace.
  const layout = experiment.sideBySide === true ? ['side by side'] : [];
  const leftOut = experiment.hosts.some((host) => host.leftOut !== undefined)
    ? [JSON.stringify(leftOutTexts(experiment.hosts))]
    : [];
  return Promise.resolve(`${hashOf([...fingerprints, ...layout, ...leftOut])}-${version}`);
}

function hashOf(texts: readonly string[]): string {
  return sha256Hex(new TextEncoder().encode(texts.join('\n')));
}
