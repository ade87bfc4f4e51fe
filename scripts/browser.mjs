/** Where the browsers are that the tests can drive: a Chromium, which `CHROME_PATH` overrides, and a Firefox. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of an installed Chrome or Chromium, or undefined. */
export function findBrowser() {
  const given = process.env.CHROME_PATH === undefined ? [] : [process.env.CHROME_PATH];
  return [...given, ...inPath(NAMES), ...PLACES].find(isExecutable);
}

/** Path of an installed Firefox, or undefined. */
export function findFirefox() {
  return inPath(['firefox-esr', 'firefox']).find(isExecutable);
}

function inPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name)));
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
