/** `npm start [-- --port N]`: installs what is missing, builds the page, serves it and prints its address. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveFolder } from './static-server.mjs';
import { installDependencies, root, runTool } from './tools.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '4173' } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65535) fail(`--port ${values.port}: not a port number`);
if (!(await installDependencies()))
  fail('The dependencies could not be installed; see the messages of npm above.');
console.log('Building the page, which takes half a minute');
if ((await runTool('vite', ['build', '--logLevel', 'warn'])) !== 0) fail('The page could not be built.');

const server = await serveFolder(join(root, 'dist'), { port });
console.log(`\n  Wakepath is at  ${server.url}\n  Ctrl C stops it.\n`);

function fail(message) {
  console.error(message);
  process.exit(1);
}
