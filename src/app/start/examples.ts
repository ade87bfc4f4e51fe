/** The example traces that come with the page: `examples/examples.json` and the files it names, beside index.html. */
import { IS_SINGLE_FILE } from '../browser/single-file.ts';
import { proxy } from 'comlink';
import type { Fault } from '../../engine/base/fault.ts';
import type { SourceRef } from '../../engine/io/byte-source.ts';
import { fingerprintOf } from '../../engine/trace/fingerprint-of-key.ts';
import type { FoundTrace, SessionApi } from '../../engine/protocol/session.ts';

export interface Example {
  readonly name: string;
  /** Its fingerprint. */
  readonly trace: string;
  /** The question it answers. */
  readonly question: string;
  /** Id of the summary's rule whose first finding answers the question. */
  readonly answer: string;
  /** Description of the recording, in a few words. */
  readonly text: string;
  readonly bytes: number;
  /** Paths below `examples/NAME/`, of archives too. */
  readonly files: readonly string[];
  /** View that answers the question: parameters of a link. */
  readonly shows?: string;
  /** Picture of its main threads, see thumbnail.tsx. */
  readonly rows?: readonly string[];
  /** Set if only lessons open it, and it has no card on the start page. */
  readonly lessonsOnly?: true;
}

/** The manifest, once it was requested. */
let manifest: Promise<readonly Example[]> | undefined;

/** Loads the manifest; empty if the page is hosted without examples. After a failure the next call tries again. */
export function loadExamples(): Promise<readonly Example[]> {
  return (manifest ??= fetchManifest().catch(() => {
    manifest = undefined; // offline and not cached
    return [];
  }));
}

async function fetchManifest(): Promise<readonly Example[]> {
  if (IS_SINGLE_FILE) return [];
  const response = await fetch('examples/examples.json');
  if (!response.ok) throw new Error(`${response.status} for examples.json`);
  return (await response.json()) as Example[];
}

/** Files of the example of this name; undefined: they cannot be fetched, or are another trace by now. */
export async function findExample(
  session: Pick<SessionApi, 'probe'>,
  name: string,
  trace: string,
): Promise<FoundTrace | undefined> {
  const example = (await loadExamples()).find((each) => each.name === name);
  const files = example && (await fetchExample(example));
  const ignore = proxy(() => undefined);
  const found = files && (await session.probe(files, ignore));
  return found?.ok && fingerprintOf(found.value.key) === trace ? found.value : undefined;
}

/** Reason why an example cannot be opened. */
export async function exampleFault(example: Example): Promise<Fault> {
  const [sent, notSent] = navigator.onLine
    ? ['Its files are another trace than examples.json says.', 'The server of this page did not send it.']
    : ['', 'This computer is offline, and the example was not opened here before.'];
  const found = sent !== '' && (await fetchExample(example)) !== undefined ? sent : notSent;
  return { code: 'example-missing', place: { file: `examples/${example.name}` }, found };
}

/** Fetches the files of an example; undefined when one of them cannot be fetched. */
export async function fetchExample(example: Example): Promise<readonly SourceRef[] | undefined> {
  try {
    return await Promise.all(
      example.files.map(async (name) => {
        const response = await fetch(`examples/${example.name}/${name}`);
        if (!response.ok) throw new Error(`${response.status} for ${name}`);
        const file = await response.blob();
        return { kind: 'file', path: `${example.name}/${name}`, size: file.size, file } as const;
      }),
    );
  } catch {
    return undefined;
  }
}
