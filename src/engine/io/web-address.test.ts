import { describe, expect, it } from 'vitest';
import { nameOfAddress, readAddress } from './web-address.ts';

describe('an address', () => {
  it.each(['https://example.org/a.zip', ' http://localhost:8080/t.tar.gz?x=1 '])('is %s', (text) => {
    expect(readAddress(text)?.href).toBe(text.trim());
  });

  it.each([
    '',
    'a.zip',
    'example.org/a.zip',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,a',
    'blob:https://example.org/1',
    'https://user:secret@example.org/a.zip',
    'https://',
  ])('is not "%s"', (text) => {
    expect(readAddress(text)).toBeUndefined();
  });

  it('shows the host that is really asked', () => {
    expect(readAddress('https://еxample.org/')?.host).toBe('xn--xample-2of.org');
    expect(readAddress('https://example.org\\@evil.org/')?.host).toBe('example.org');
  });

  it.each([
    ['https://example.org/traces/my%20trace.zip?token=1#x', 'my trace.zip'],
    ['https://example.org/', 'example.org'],
    ['https://example.org/%ff', '%ff'],
  ])('%s names %s', (text, name) => {
    expect(nameOfAddress(new URL(text))).toBe(name);
  });
});
