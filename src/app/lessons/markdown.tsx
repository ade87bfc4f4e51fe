/**
 * Markdown as elements: headings, paragraphs, lists, emphasis, code, links and tables. Everything else, including HTML, is
 * shown as plain text.
 */
import { Lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import type { LessonPage } from './lesson-run.ts';

/** Functions of the page for links `#…` in a lesson. */
type Links = Pick<LessonPage, 'address' | 'show'>;

interface MarkdownProps {
  readonly text: string;
  readonly links: Links;
}

/** Most levels of lists and quotes: deeper ones are shown as text. */
const MOST_LEVELS = 8;

export function Markdown({ text, links }: MarkdownProps) {
  return <>{blocks(lexed(text), links, 0)}</>;
}

/** Markdown within a line, without blocks. */
export function MarkdownLine({ text, links }: MarkdownProps) {
  return <>{inline(Lexer.lexInline(text), links, 0)}</>;
}

/** Tokens of a text; the text itself if it nests so deep that the lexer's stack overflows. */
function lexed(text: string): readonly Token[] {
  try {
    return Lexer.lex(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ type: 'code', raw: text, text }];
  }
}

function blocks(tokens: readonly Token[], links: Links, level: number): ComponentChildren {
  return tokens.map((token) => block(token as MarkedToken, links, level));
}

function block(token: MarkedToken, links: Links, level: number): ComponentChildren {
  if (level > MOST_LEVELS) return <p>{token.raw}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <h4>{inline(token.tokens, links, level)}</h4>;
    case 'paragraph':
      return <p>{inline(token.tokens, links, level)}</p>;
    case 'text':
      return <>{token.tokens ? inline(token.tokens, links, level) : token.text}</>;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'list':
      return list(token, links, level);
    case 'table':
      return table(token, links, level);
    default:
      return <p>{token.raw.trim()}</p>;
  }
}

function list({ ordered, start, items }: Tokens.List, links: Links, level: number): VNode {
  const entries = items.map(({ tokens }) => <li>{blocks(tokens, links, level + 1)}</li>);
  return ordered ? <ol start={Number(start)}>{entries}</ol> : <ul>{entries}</ul>;
}

function table({ header, rows }: Tokens.Table, links: Links, level: number): VNode {
  return (
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th scope="col">{inline(tokens, links, level)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells) => (
          <tr>
            {cells.map(({ tokens }) => (
              <td>{inline(tokens, links, level)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function inline(tokens: readonly Token[], links: Links, level: number): ComponentChildren {
  return tokens.map((token) => piece(token as MarkedToken, links, level));
}

function piece(token: MarkedToken, links: Links, level: number): ComponentChildren {
  if (level > MOST_LEVELS) return token.raw;
  switch (token.type) {
    case 'text':
    case 'escape':
      return token.text;
    case 'strong':
      return <strong>{inline(token.tokens, links, level + 1)}</strong>;
    case 'em':
      return <em>{inline(token.tokens, links, level + 1)}</em>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return link(token, links, level);
    default:
      return token.raw;
  }
}

/** Link to a view of the page, or to another server by https; other addresses are shown as text. */
function link(token: Tokens.Link, links: Links, level: number): ComponentChildren {
  const text = inline(token.tokens, links, level + 1);
  if (token.href.startsWith('#')) {
    const parts = token.href.slice(1);
    const follow = (event: MouseEvent) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      links.show(parts);
    };
    return (
      <a class="link" href={links.address(parts)} onClick={follow}>
        {text}
      </a>
    );
  }
  if (!token.href.startsWith('https://')) return token.raw;
  return (
    <a class="link" href={token.href} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}
