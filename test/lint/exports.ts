/** Which values `src` exports though no other file of `src` imports them, by the syntax of its files alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

export interface UnusedExports {
  /** Used in their own file: exported for tests, benches or development pages. */
  readonly forTests: readonly string[];
  /** Not even there: only tests need them, or nobody. */
  readonly dead: readonly string[];
}

/** @returns `path: name` each, ascending; paths from `root`, the project's folder */
export function unusedExports(root: string): UnusedExports {
  const used = new Set<string>();
  const forTests: string[] = [];
  const dead: string[] = [];
  const files = productFiles(root).map((path) => parse(root, path));
  for (const source of files) for (const use of usesOf(source)) used.add(use);
  for (const source of files) {
    // The compiler of kernels knows what becomes of theirs.
    if (source.fileName.startsWith('src/wasm/')) continue;
    for (const name of source.statements.flatMap(exportsOf)) {
      const key = `${source.fileName}: ${name}`;
      if (used.has(key) || used.has(`${source.fileName}: *`)) continue;
      (mentions(source, name) > 1 ? forTests : dead).push(key);
    }
  }
  return { forTests: forTests.sort(), dead: dead.sort() };
}

function productFiles(root: string): string[] {
  return readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })
    .filter(({ name }) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
}

function parse(root: string, path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Names of the values that a statement exports. */
function exportsOf(statement: ts.Statement): string[] {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
  const isNamed = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

function mentions(node: ts.Node, name: string): number {
  let count = ts.isIdentifier(node) && node.text === name ? 1 : 0;
  ts.forEachChild(node, (child) => void (count += mentions(child, name)));
  return count;
}

/** What a file takes of others, `path: name`; name `*`: perhaps anything. */
function usesOf(source: ts.SourceFile): string[] {
  const uses: string[] = [];
  /** Files by the name that stands for all they export. */
  const whole = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const from = fileOf(source, node.moduleSpecifier);
      const clause = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      if (from === undefined) return;
      if (clause === undefined) uses.push(`${from}: *`);
      else if ('name' in clause) whole.set(clause.name.text, from);
      else
        for (const { propertyName, name } of clause.elements)
          uses.push(`${from}: ${(propertyName ?? name).text}`);
      return;
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      uses.push(`${fileOf(source, node.arguments[0])}: *`);
    const from = ts.isIdentifier(node) ? whole.get(node.text) : undefined;
    if (from !== undefined) uses.push(`${from}: ${memberOf(node)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return uses;
}

/** What is taken of something: a name, or all of it. */
function memberOf(node: ts.Node): string {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) return parent.name.text;
  return ts.isQualifiedName(parent) && parent.left === node ? parent.right.text : '*';
}

/** Imports of kernels are without an ending. */
function fileOf({ fileName }: ts.SourceFile, specifier: ts.Expression | undefined): string | undefined {
  if (specifier === undefined || !ts.isStringLiteral(specifier) || !specifier.text.startsWith('.'))
    return undefined;
  const path = relative('.', resolve(dirname(fileName), specifier.text));
  return /\.[a-z]+$/.test(path) ? path : `${path}.ts`;
}
