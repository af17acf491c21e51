import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const TESTS = globSync('{src,playground/src,client/test,test}/**/*.test.ts');
const ASSERTION = /^(expect|fc\.assert)\b/;

const trees = new Map<string, ts.SourceFile>();
const declarations = new Map<string, Map<string, ts.Node[]>>();
const asserting = new Map<string, boolean>();

test('every test states an effect, by itself or by a helper: waiting for one fails only when time is over', () => {
  expect(TESTS.length).toBeGreaterThan(200);
  expect(TESTS.flatMap(testsWithoutAssertion)).toEqual([]);
});

function testsWithoutAssertion(file: string): string[] {
  return callsIn(treeOf(file))
    .filter(isTest)
    .filter(({ arguments: [, body] }) => !asserts(body!, file) && !isAssertingName(body!.getText(), file))
    .map(({ arguments: [name] }) => `${file}: ${name!.getText()}`);
}

/** True for `test(name, body)` and `test.each(rows)(name, body)`. */
function isTest({ expression, arguments: [, body] }: ts.CallExpression): boolean {
  return /^(test|it)(\.each\b[^]*\)|\.each\b[^]*`)?$/.test(expression.getText()) && body !== undefined;
}

/** True if code calls `expect`, or a function or method that does, handed on as an argument included. */
function asserts(node: ts.Node, file: string): boolean {
  return callsIn(node).some(({ expression, arguments: args }) => {
    if (ASSERTION.test(expression.getText())) return true;
    const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    return [called, ...args].some((name) => ts.isIdentifier(name) && isAssertingName(name.text, file));
  });
}

/** True if a function or method of this name asserts, in a file or in one of the tests' files that it imports. */
function isAssertingName(name: string, file: string): boolean {
  const key = `${file} ${name}`;
  const known = asserting.get(key);
  if (known !== undefined) return known;
  asserting.set(key, false); // while it is looked at: it may call itself
  const holds =
    (declarationsOf(file).get(name) ?? []).some((declaration) => asserts(declaration, file)) ||
    helperFilesOf(file).some((helper) => isAssertingName(name, helper));
  asserting.set(key, holds);
  return holds;
}

/** The functions, methods and constants of a file, by name. */
function declarationsOf(file: string): Map<string, ts.Node[]> {
  const known = declarations.get(file);
  if (known !== undefined) return known;
  const found = new Map<string, ts.Node[]>();
  for (const node of descendants(treeOf(file)).filter(isDeclaration)) {
    const name = node.name?.getText() ?? '';
    found.set(name, [...(found.get(name) ?? []), node]);
  }
  declarations.set(file, found);
  return found;
}

function isDeclaration(
  node: ts.Node,
): node is ts.FunctionDeclaration | ts.MethodDeclaration | ts.VariableDeclaration {
  return ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isVariableDeclaration(node);
}

function helperFilesOf(file: string): string[] {
  const specifiers = treeOf(file).statements.flatMap((statement) =>
    ts.isImportDeclaration(statement) ? [(statement.moduleSpecifier as ts.StringLiteral).text] : [],
  );
  return specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(file), specifier).replace(/\.js$/, '.ts'))
    .filter((path) => /^(client\/)?test\//.test(path) && existsSync(path));
}

function treeOf(file: string): ts.SourceFile {
  const tree =
    trees.get(file) ?? ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}

function callsIn(node: ts.Node): ts.CallExpression[] {
  return [node, ...descendants(node)].filter((one) => ts.isCallExpression(one));
}

function descendants(node: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  node.forEachChild((child) => {
    found.push(child, ...descendants(child));
  });
  return found;
}
