import type { ComponentChildren, VNode } from 'preact';
import { expect, it } from 'vitest';
import { Markdown } from './markdown.tsx';

const LINKS = { show: () => undefined, address: (parts: string) => `#trace=t&${parts}` };

/** Elements as text, with the addresses of links. */
function html(node: ComponentChildren): string {
  if (Array.isArray(node)) return node.map(html).join('');
  if (node === null || typeof node !== 'object') return String(node ?? '');
  const { type, props } = node as VNode<{ children?: ComponentChildren; href?: string }>;
  const inner = html(props.children);
  if (typeof type !== 'string') return inner;
  return `<${type}${props.href === undefined ? '' : ` ${props.href}`}>${inner}</${type}>`;
}
const shown = (text: string) => html(Markdown({ text, links: LINKS }));

it('makes elements of headings, paragraphs, emphasis, code, lists and tables', () => {
  expect(shown('### A\n\nb *c* **d** `e<f`')).toBe(
    '<h4>A</h4><p>b <em>c</em> <strong>d</strong> <code>e<f</code></p>',
  );
  expect(shown('- a\n- b\n  1. c')).toBe('<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>');
  expect(shown('|a|b|\n|-|-|\n|c|`d`|')).toBe(
    '<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>c</td><td><code>d</code></td></tr></tbody></table>',
  );
  expect(shown('```\na\n```')).toBe('<pre><code>a</code></pre>');
});

it('links to views of the trace, and by https', () => {
  expect(shown('[a](#tab=path)')).toBe('<p><a #trace=t&tab=path>a</a></p>');
  expect(shown('[a](https://b.org/c)')).toBe('<p><a https://b.org/c>a</a></p>');
});

it.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,a',
  'http://b.org',
  '//b.org',
  '/x',
  'HTTPS:b',
])('shows a link to %s as text', (address) => {
  expect(shown(`[a](<${address}>)`)).not.toContain('<a ');
});

it('shows HTML and pictures as text', () => {
  const script = '<script>alert(1)</script>';
  expect(Markdown({ text: script, links: LINKS }).props.children).toEqual([
    expect.objectContaining({ type: 'p', props: { children: script } }),
  ]);
  expect(shown('![a](https://b.org/c.png)')).toBe('<p>![a](https://b.org/c.png)</p>');
  expect(shown('a <img src=x onerror=alert(1)> b')).toBe('<p>a <img src=x onerror=alert(1)> b</p>');
});

it('goes only some levels deep', () => {
  expect(shown('- '.repeat(50) + 'a')).toContain('<p>');
  expect(shown('>'.repeat(10_000))).toContain('>>>');
  expect(shown('*'.repeat(2000) + 'a' + '*'.repeat(2000))).toContain('a');
  expect(shown('[a]('.repeat(5000))).toContain('[a]');
});
