/** Addresses of archives on the web. */

/** An address that may be fetched: http or https, without a password in it; undefined for any other text. */
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

/** The file's name, or the host's where the address names none. */
export function nameOfAddress(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || url.host;
  } catch {
    return last; // a malformed escape
  }
}
