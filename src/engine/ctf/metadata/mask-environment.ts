/** Removes what the environment of a trace says of a machine and its users from the metadata. */
import { fail, type Fault, ok, type Result } from '../../base/fault.ts';
import { loadMetadata } from './load-metadata.ts';
import { isPacketised, joinPackets } from './packetised.ts';

/** Entries on how a trace was made, which readers need. */
const KEPT = new Set([
  ...['domain', 'sysname', 'tracer_name', 'trace_buffering_scheme', 'architecture_bit_width', 'isa_length'],
  ...['kernel_release', 'trace_creation_datetime'],
]);

/**
 * Gives the metadata as plain text, with other texts in the environment.
 * @param file its name in faults
 * @param disguise the other text, without quotation marks and backslashes
 * @returns fault `unsupported`: an entry was not found in the text
 */
export async function maskEnvironment(
  metadata: Uint8Array,
  file: string,
  disguise: (text: string) => string,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const joined = isPacketised(metadata) ? joinPackets(metadata, file) : ok({ text: metadata });
  if (!joined.ok) return joined;
  const text = new TextDecoder().decode(joined.value.text);
  const read = await loadMetadata(new TextEncoder().encode(text), file);
  if (!read.ok) return read;
  const secrets = read.value.model.environment.filter(isSecret);
  const masked = secrets.reduce((so, { name, value }) => replaced(so, name, value, disguise(value)), text);
  const bytes = new TextEncoder().encode(masked);
  // Entries that were not found are still there.
  const again = await loadMetadata(bytes, file);
  if (!again.ok) return again;
  const left = again.value.model.environment.find((entry, i) => {
    return isSecret(entry) && entry.value === read.value.model.environment[i]?.value;
  });
  return left === undefined ? ok(bytes) : fail(notFound(file, left.name));
}

function isSecret<Entry extends { readonly name: string; readonly value: string | bigint }>(
  entry: Entry,
): entry is Entry & { readonly value: string } {
  return typeof entry.value === 'string' && entry.value !== '' && !KEPT.has(entry.name);
}

/** Replaces a value of the environment: in TSDL `name = "value"`, in JSON `"name": "value"`. */
function replaced(text: string, name: string, value: string, other: string): string {
  const entry = new RegExp(`(\\b${literally(name)}"?\\s*[=:]\\s*")${literally(value)}(?=")`, 'g');
  return text.replace(entry, (_, before: string) => before + other);
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

function notFound(file: string, name: string): Fault {
  return {
    code: 'unsupported',
    place: { file },
    expected: 'entries of the environment that can be replaced',
    found: `the entry ${name}, which is written in another way`,
  };
}
