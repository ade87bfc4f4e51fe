import { version } from '../../../package.json';

/** Parts of an open trace that are counted. */
interface Counted {
  readonly events: number;
  readonly streams: readonly unknown[];
  readonly hosts: readonly unknown[];
}

/** Text of a report about the page and what is open in it: version, browser and counts, no names. */
export function reportAbout(open: Counted | undefined, browser: string): string {
  const counts =
    open === undefined
      ? 'Nothing was open'
      : `Open: events ${open.events}, streams ${open.streams.length}, hosts ${open.hosts.length}`;
  return [`Wakepath ${version}`, browser, counts].join('\n');
}

/** The report of a failure of ours: kind and places in our code. Messages may quote a trace and are left out. */
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

/** The same of a worker that ended, or could not be started: there is only an event of it, with or without a message. */
export function workerCrash({ message, filename, lineno }: Partial<ErrorEvent>): string {
  const kind = /^(?:Uncaught )?(\w*Error)(?::|$)/.exec(message ?? '')?.[1] ?? 'unknown kind';
  const place = filename ? ` ${filename.replace(/^.*\//, '')}:${lineno}` : '';
  return `the worker ended: ${kind}${place}`;
}
