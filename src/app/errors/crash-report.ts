/** The report of a failure of ours: kind, place in our code, browser. Messages may quote a trace and are left out. */
export function crashReport(error: unknown, browser: string): string {
  const kind = error instanceof Error ? error.name : typeof error;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = stack
    .split('\n')
    .map((line) => /(?:at (\S+) )?\(?([^\s()]+:\d+:\d+)\)?$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, name, place]) => `  ${name ?? ''} ${place.replace(/^.*\//, '')}`);
  return [`Wakepath failed: ${kind}`, ...places, browser].join('\n');
}

/** The same of a worker that ended, or could not be started: there is only an event of it, with or without a message. */
export function workerCrash({ message, filename, lineno }: Partial<ErrorEvent>): string {
  const kind = /^(?:Uncaught )?(\w*Error)(?::|$)/.exec(message ?? '')?.[1] ?? 'unknown kind';
  const place = filename ? ` ${filename.replace(/^.*\//, '')}:${lineno}` : '';
  return `the worker ended: ${kind}${place}`;
}
