/** The user's own events of locks in the parameters of a link, each as JSON. */
import { ROLES_OF_KINDS, type LockProvider } from '../../engine/layers/locks/providers.ts';

const PART = 'lock-event';
/** Largest number of events in a link, which anybody may have written. */
const MOST_ROWS = 64;
const LONGEST_TEXT = 200;

export function writeProviders(parts: URLSearchParams, own: readonly LockProvider[]): void {
  for (const row of own) parts.append(PART, JSON.stringify(row));
}

/** Reads the events of a link; invalid ones are left out. */
export function readProviders(parts: URLSearchParams): readonly LockProvider[] {
  return parts
    .getAll(PART)
    .slice(0, MOST_ROWS)
    .map(readProvider)
    .filter((row) => row !== undefined);
}

function readProvider(text: string): LockProvider | undefined {
  const { event, role, kind, lock, status, mutex, mode, isShared } = parsed(text);
  const knownKind = (Object.keys(ROLES_OF_KINDS) as (keyof typeof ROLES_OF_KINDS)[]).find(
    (one) => one === kind,
  );
  const knownRole = knownKind && ROLES_OF_KINDS[knownKind].find((one) => one === role);
  if (knownKind === undefined || knownRole === undefined) return undefined;
  if (!isText(event) || !isText(lock) || event === '' || lock === '') return undefined;
  return {
    event,
    role: knownRole,
    kind: knownKind,
    lock,
    status: isText(status) ? status : '',
    mutex: isText(mutex) ? mutex : '',
    mode: mode === 'shared' ? 'shared' : 'exclusive',
    isShared: isShared === true,
  };
}

function parsed(text: string): Partial<Readonly<Record<keyof LockProvider, unknown>>> {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT;
}
