import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A regular expression as a source file has it. */
export interface Expression {
  readonly file: string;
  readonly expression: RegExp;
  /** True if a text is split by it, which tries it at every place. */
  readonly splits: boolean;
}

/** Every regular expression literal in the sources of a folder, tests left out, once for each file and use. */
export function expressionsIn(folder: string): readonly Expression[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap((name) => literalsIn(join(folder, name)));
}

function literalsIn(file: string): Expression[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<string, Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const splits = ts.isCallExpression(node.parent) && /\.split$/.test(node.parent.expression.getText());
      found.set(`${node.text} ${splits}`, { file, expression: compile(node.text), splits });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}

function compile(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
