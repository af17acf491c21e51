import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Every file that may import something. */
const FILES = globSync(
  '{src,playground/src,client/{src,test},examples/*/src,test,bench,scripts}/**/*.{ts,tsx,js,mjs}',
).filter((file) => !/(^|\/)(dist|node_modules|peers)\/|\.d\.ts$/.test(file));
const SOURCES = FILES.filter((file) => /^(src|playground|client|examples)\//.test(file)).filter(
  (file) => /\.tsx?$/.test(file) && !/^client\/test\/|\.test\.ts$/.test(file),
);
/** Written by `npm run docs`. */
const GENERATED = ['examples/frontend/src/operations.ts', 'client/src/server/operations.ts'];

/** Named by `jest.config.js`. */
const OF_JEST = ['test/support/longest-first.js', 'test/support/test-environment.js'];

/** The files that a package exports: their exports are for others, too. */
const ENTRY_POINTS = ['playground', 'client'].flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, { default: string }>;
  };
  return Object.values(manifest.exports).map(({ default: file }) =>
    join(folder, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
  );
});

const EVERYTHING = '*';
const trees = new Map(FILES.map((file) => [file, parse(file)]));
const imported = new Set(FILES.flatMap((file) => [...importsOf(file)]));

describe('every export', () => {
  test('has a docstring', () => {
    const written = SOURCES.filter((file) => !GENERATED.includes(file));
    expect(written.flatMap(undocumented)).toEqual([]);
  });

  test('is imported somewhere, or is a type that another export of its file names', () => {
    const own = FILES.filter((file) => ![...ENTRY_POINTS, ...GENERATED, ...OF_JEST].includes(file));
    expect(own.flatMap(unused)).toEqual([]);
  });
});

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The imports of a file as `path#name`, types and those of comments included; `path#*` for a whole module. */
function importsOf(file: string): Set<string> {
  const { statements, text } = trees.get(file)!;
  const found = new Set<string>();
  const add = (specifier: string, name: string): void => {
    if (specifier.startsWith('.')) found.add(`${resolveSource(file, specifier)}#${name}`);
  };
  for (const statement of statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const specifier = statement.moduleSpecifier;
    if (specifier === undefined || !ts.isStringLiteral(specifier)) continue;
    for (const name of namesOf(statement)) add(specifier.text, name);
  }
  for (const [, path] of text.matchAll(/\bimport\(\s*'([^']+)'/g)) add(path!, EVERYTHING);
  for (const [, names, path] of text.matchAll(/@import \{([^}]*)\} from '([^']+)'/g)) {
    for (const name of names!.split(',')) add(path!, name.trim());
  }
  return found;
}

function namesOf(statement: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const named = ts.isImportDeclaration(statement)
    ? statement.importClause?.namedBindings
    : statement.exportClause;
  if (named !== undefined && (ts.isNamedImports(named) || ts.isNamedExports(named))) {
    return named.elements.map((element) => (element.propertyName ?? element.name).text);
  }
  return named === undefined && ts.isImportDeclaration(statement) ? [] : [EVERYTHING];
}

function resolveSource(file: string, specifier: string): string {
  const path = join(dirname(file), specifier);
  const candidates = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
  return candidates.find((candidate) => existsSync(candidate)) ?? path;
}

/** The exported declarations of a file, each with its names. */
function exportsOf(file: string): { statement: ts.Statement; names: string[] }[] {
  return trees.get(file)!.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    return isExported ? [{ statement, names: declaredNames(statement) }] : [];
  });
}

function declaredNames(statement: ts.Statement): string[] {
  if (!ts.isVariableStatement(statement)) {
    return [(statement as { name?: ts.Node }).name?.getText()].filter((name) => name !== undefined);
  }
  return statement.declarationList.declarations.flatMap(({ name }) =>
    ts.isIdentifier(name) ? [name.text] : name.elements.map((element) => element.getText()),
  );
}

function undocumented(file: string): string[] {
  const seen = new Set<string>();
  return exportsOf(file).flatMap(({ statement, names: [name] }) => {
    if (name === undefined || seen.has(name)) return []; // the first overload carries the docstring
    seen.add(name);
    return ts.getJSDocCommentsAndTags(statement).length > 0 ? [] : [`${file} ${name}`];
  });
}

function unused(file: string): string[] {
  if (imported.has(`${file}#${EVERYTHING}`)) return [];
  const declarations = exportsOf(file);
  return declarations.flatMap(({ statement, names }) => {
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const others = declarations.filter((other) => other.statement !== statement);
    const isNamed = (name: string): boolean =>
      isType && others.some((other) => new RegExp(`\\b${name}\\b`).test(other.statement.getText()));
    return names
      .filter((name) => !imported.has(`${file}#${name}`) && !isNamed(name))
      .map((name) => `${file} ${name}`);
  });
}
