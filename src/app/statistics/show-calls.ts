/** The way from other parts of the page to the statistics of system calls. */
import type { App } from '../context/app-context.ts';

/** Shows the calls of threads with a name, or of the thread with an id where it has none. */
export function showCallsOf({ choices, drawer }: Pick<App, 'choices' | 'drawer'>, nameOrTid: string): void {
  choices.choose('statistics.section', 'syscalls');
  choices.choose('system-calls.by', 'both');
  choices.choose('system-calls.filter', nameOrTid);
  drawer.show('statistics');
}
