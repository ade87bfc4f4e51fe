/** Addresses of archives on the web. */

/** The URL of an address that may be fetched: http or https, without a password; undefined for any other text. */
export function readAddress(text: string): URL | undefined {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return undefined;
  }
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

/** The file name in an address, or its host if there is none. */
export function nameOfAddress(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || url.host;
  } catch {
    return last; // a malformed escape
  }
}
