import { readFileSync } from 'node:fs';
import ts from 'typescript';

const HEAD = `# API of partner-bff-client

Made from the docstrings by \`npm run docs\`. [README.md](README.md) shows how the parts are used together.
`;

/** The reference of the browser package (`client/API.md`): every export of each entry point, with its docstring. */
export function clientApi() {
  const { exports } = JSON.parse(readFileSync('client/package.json', 'utf8'));
  const entries = Object.entries(exports).map(([path, { types }]) => ({
    name: path.replace('.', 'partner-bff-client'),
    file: types.replace('./dist/', 'client/src/').replace('.d.ts', '.ts'),
  }));
  const options = ts.parseJsonConfigFileContent(
    ts.readConfigFile('client/tsconfig.json', ts.sys.readFile).config,
    ts.sys,
    'client',
  ).options;
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
  );
  const sections = entries.map(({ name, file }) => entrySection(program, name, program.getSourceFile(file)));
  return `${[HEAD, ...sections]
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

function entrySection(program, name, source) {
  const checker = program.getTypeChecker();
  const symbols = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name, 'en'));
  return [`## ${name}\n`, ...symbols.map((symbol) => symbolSection(checker, symbol))].join('\n');
}

/** What is called comes before the types of what it takes and gives. */
function rank({ flags }) {
  if (flags & ts.SymbolFlags.Class) return 0;
  return flags & ts.SymbolFlags.Value ? 1 : 2;
}

function symbolSection(checker, symbol) {
  const [declaration] = symbol.declarations;
  const text = code(declarationText(declaration));
  return `### ${symbol.name}\n\n${text}\n\n${comment(checker, symbol)}\n${members(checker, declaration)}`;
}

/** The declaration as it is written, without bodies, docstrings and what is private. */
function declarationText(declaration) {
  const source = declaration.getSourceFile();
  const print = (node) =>
    ts.createPrinter({ removeComments: true }).printNode(ts.EmitHint.Unspecified, node, source);
  if (ts.isFunctionDeclaration(declaration)) {
    const { modifiers, asteriskToken, name, typeParameters, parameters, type } = declaration;
    const kept = modifiers?.filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword);
    const head = ts.factory.createFunctionDeclaration(
      kept,
      asteriskToken && undefined,
      name,
      typeParameters,
      parameters,
      type,
    );
    return print(head);
  }
  if (ts.isClassDeclaration(declaration)) {
    const heritage = (declaration.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join('');
    const types = declaration.typeParameters
      ? `<${declaration.typeParameters.map((type) => type.getText()).join(', ')}>`
      : '';
    return `class ${declaration.name.text}${types}${heritage}`;
  }
  if (ts.isInterfaceDeclaration(declaration)) return print(declaration).replace(/ \{[^]*$/, '');
  return print(declaration);
}

function members(checker, declaration) {
  if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) return '';
  const rows = declaration.members.filter(isPublic).map((member) => {
    const symbol = member.symbol && ts.isConstructorDeclaration(member) ? undefined : member.symbol;
    const text = memberText(member);
    const about = symbol ? comment(checker, symbol).trim() : '';
    return `- \`${text}\`${about ? `: ${about.replaceAll(/\n+- /g, '; ').replaceAll(/\s*\n\s*/g, ' ')}` : ''}`;
  });
  return rows.length > 0 ? `${rows.join('\n')}\n` : '';
}

function isPublic(member) {
  const flags = ts.getCombinedModifierFlags(member);
  const isHidden = ts.isConstructorDeclaration(member) && member.getText().includes('private ');
  return !(flags & ts.ModifierFlags.Private) && !ts.isSetAccessor(member) && !isHidden;
}

function memberText(member) {
  const text = member.getText().replaceAll(/\/\*\*[^]*?\*\//g, '');
  const head = member.body
    ? text.slice(0, text.length - member.body.getText().length)
    : text.replace(/ = [^]*$/, '');
  return head
    .replaceAll(/\s+/g, ' ')
    .replace(/^(declare |override |async )+/, '')
    .replace(/[; ]+$/, '')
    .trim();
}

function comment(checker, symbol) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text: parts }) => {
    const said = ts.displayPartsToString(parts);
    if (name === 'param') return `- \`${said.replace(/^(\w+)\s*-?\s*/, '$1`: ')}`;
    return name === 'throws' ? `- throws ${said}` : `- returns ${said}`;
  });
  return `${[text, tags.join('\n')].filter(Boolean).join('\n\n')}\n`.replaceAll(
    /\{@link (\w+(?:\.\w+)?)\}/g,
    '`$1`',
  );
}

function code(text) {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
