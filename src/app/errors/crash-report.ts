import { version } from '../../../package.json';

/** Counts of an open trace. */
interface Counted {
  readonly events: number;
  readonly streams: readonly unknown[];
  readonly hosts: readonly unknown[];
}

/** Report about the page and the open trace: version, browser and counts, no names. */
export function reportAbout(open: Counted | undefined, browser: string): string {
  const counts =
    open === undefined
      ? 'Nothing was open'
      : `Open: events ${open.events}, streams ${open.streams.length}, hosts ${open.hosts.length}`;
  return [`Wakepath ${version}`, browser, counts].join('\n');
}

/** Report of an error of ours: its kind and places in our code. Messages may quote a trace and are left out. */
export function crashReport(error: unknown, about: string): string {
  const kind = error instanceof Error ? error.name : typeof error;
  // Some browsers begin the stack with the message, whose lines may look like places.
  const stack = error instanceof Error ? (error.stack ?? '').replace(error.message, () => '') : '';
  const places = stack
    .split('\n')
    .map((line) => /(?:at (\S+) )?\(?([^\s()]+:\d+:\d+)\)?$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, name, place]) => `  ${name ?? ''} ${place.replace(/^.*\//, '')}`);
  return [`Failed: ${kind}`, ...places, about].join('\n');
}

/** Report of a worker that ended or could not be started, of which only an event is known, perhaps without a message. */
export function workerCrash({ message, filename, lineno }: Partial<ErrorEvent>): string {
  const kind = /^(?:Uncaught )?(\w*Error)(?::|$)/.exec(message ?? '')?.[1] ?? 'unknown kind';
  const place = filename ? ` ${filename.replace(/^.*\//, '')}:${lineno}` : '';
  return `the worker ended: ${kind}${place}`;
}
