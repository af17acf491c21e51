import ts from 'typescript';
import { plain } from './schemas.js';

const VERBS = { Get: 'get', Post: 'post', Put: 'put', Delete: 'delete' };

/**
 * Every route that the sources register: the methods of controllers, and what is given to `Routes.add`.
 * @returns for each: `listener`, `method`, `path` as OpenAPI writes it, `tag`, `about` (its docstring), `handler` (the
 *   node that answers), `text` (its code, with that of the methods of its class that it calls), `config`
 */
export function findRoutes(program) {
  const sources = program.getSourceFiles().filter(({ fileName }) => /^(.*\/)?src\//.test(fileName));
  return sources.flatMap((source) => {
    const classes = source.statements.filter(ts.isClassDeclaration);
    return classes.flatMap((type) => [...controllerRoutes(type), ...plainRoutes(type)]);
  });
}

function controllerRoutes(type) {
  const decorator = decorators(type).find(({ name }) => name === 'OpsController' || name === 'Controller');
  if (!decorator) return [];
  const base = decorator.argument?.text ?? '';
  return type.members.filter(ts.isMethodDeclaration).flatMap((method) => {
    const verb = decorators(method).find(({ name }) => name in VERBS);
    if (!verb) return [];
    return {
      listener: decorator.name === 'OpsController' ? 'ops' : 'public',
      method: VERBS[verb.name],
      path: openApiPath([base, verb.argument?.text ?? ''].filter(Boolean).join('/')),
      config: decorators(method).find(({ name }) => name === 'RouteConfig')?.text ?? '',
      ...describe(type, method, method),
    };
  });
}

function plainRoutes(type) {
  const found = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'this.routes.add') found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(type);
  return found.flatMap((call) => {
    const [options] = call.arguments;
    const option = (name) => options.properties.find((one) => one.name.getText() === name)?.initializer;
    const methods = option('method').getText().match(/\w+/g);
    const url = option('url');
    return methods.map((method) => ({
      listener: 'public',
      method: method.toLowerCase(),
      path: openApiPath(ts.isStringLiteral(url) ? url.text : constant(url)),
      config: option('config').getText(),
      ...describe(type, call.parent, option('handler')),
    }));
  });
}

function describe(type, documented, handler) {
  const [docs] = ts.getJSDocCommentsAndTags(documented);
  const [ofClass] = ts.getJSDocCommentsAndTags(type);
  const tagAbout = textOf(ofClass);
  return {
    tag: type.name.text.replace(/(Controller|Routes)$/, ''),
    tagAbout,
    about: textOf(docs) || tagAbout,
    handler,
    text: textWithin(type, handler),
    produces: produces(docs ?? ofClass),
  };
}

/** The media types that a docstring names, where the code does not; `any` is a range that would end the docstring. */
function produces({ tags = [] }) {
  const tag = tags.find(({ tagName }) => tagName.text === 'produces');
  return tag && plain(tag.comment).replace(/^any$/, '*/*').split(', ');
}

/** A docstring, without the route that it may begin with: the document says that elsewhere. */
function textOf(docs) {
  const rest = plain(ts.getTextOfJSDocComment(docs?.comment) ?? '').replace(
    /^(`[A-Z]+ \/[^`]*`|`GET` and `HEAD \/[^`]*`)[:,.] */,
    '',
  );
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The code of a handler, and of the methods of its class that it calls. */
function textWithin(type, handler, seen = new Set()) {
  const text = handler.getText();
  const called = [...text.matchAll(/this\.(\w+)\(/g)].map(([, name]) => name);
  const others = type.members.filter((member) => called.includes(member.name?.text) && !seen.has(member));
  for (const member of others) seen.add(member);
  return [text, ...others.map((member) => textWithin(type, member, seen))].join('\n');
}

function decorators(node) {
  return (ts.getDecorators(node) ?? []).map(({ expression }) => ({
    name: expression.expression.getText(),
    argument: expression.arguments[0],
    text: expression.getText(),
  }));
}

/** The text of a constant of the same file. */
function constant(identifier) {
  const { text } = identifier.getSourceFile();
  return new RegExp(`const ${identifier.text} = '([^']+)'`).exec(text)[1];
}

function openApiPath(path) {
  return `/${path.replace(/^\//, '')}`.replaceAll(/:(\w+)/g, '{$1}');
}
