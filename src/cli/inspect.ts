/** Entry of the command line: the engine under Node (docs/inspect.md). */
import { setFlagsFromString } from 'node:v8';
import { reportFaults } from './messages.ts';
import { unwritable } from './output.ts';
import { runInspect } from './run.ts';

// Code is optimised after five times as much running as is usual: a short trace has ended before it would pay.
setFlagsFromString('--interrupt-budget=330000');
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough (`| head`) is no error.
  process.exit(error.code === 'EPIPE' ? 0 : reportFaults([unwritable('stdout', error)], false));
});
process.exitCode = await runInspect(process.argv.slice(2));
