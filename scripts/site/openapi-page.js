/** An OpenAPI document as a page of Markdown: a section with tables for each route and each schema. */
export function openApiPage(title, { info, paths, components, openapi }) {
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      routeSection(method, path, operation, components),
    ),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema));
  const head = `# ${title}\n\n${info.description} OpenAPI ${openapi}, version ${info.version}.`;
  return [head, ...routes, ...schemas].join('\n\n');
}

function routeSection(
  method,
  path,
  { summary, description, parameters, requestBody, responses },
  components,
) {
  const inputs = parameters
    .map((one) => (one.$ref ? components.parameters[one.$ref.split('/').at(-1)] : one))
    .map((one) => [
      `\`${one.name}\``,
      one.in,
      one.required ? 'yes' : '',
      typeOf(one.schema),
      one.description,
    ]);
  const body = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => [
    'body',
    `\`${type}\``,
    requestBody.required ? 'yes' : '',
    typeOf(schema),
    '',
  ]);
  const answers = Object.entries(responses).map(([status, response]) => {
    const { content = {}, description: said } = response.$ref
      ? components.responses[response.$ref.split('/').at(-1)]
      : response;
    const types = Object.entries(content).map(([type, { schema }]) => `\`${type}\` ${typeOf(schema)}`);
    return [status, types.join(', '), said];
  });
  return [
    `## \`${method.toUpperCase()} ${path}\``,
    `${summary}.${description ? ` ${description}` : ''}`,
    table(['Input', 'In', 'Required', 'Type', 'Meaning'], [...inputs, ...body]),
    table(['Status', 'Answer', 'Meaning'], answers),
  ].join('\n\n');
}

function schemaSection(name, { description = '', properties = {}, required = [] }) {
  const rows = Object.entries(properties).map(([member, schema]) => [
    `\`${member}\``,
    required.includes(member) ? 'yes' : '',
    typeOf(schema),
    schema.description,
  ]);
  return [`## ${name}`, description, table(['Member', 'Always', 'Type', 'Meaning'], rows)].join('\n\n');
}

/** In words, with a link to the schema that it refers to. */
function typeOf(schema) {
  const { $ref, anyOf, enum: values, const: value, type, items, additionalProperties } = schema;
  if ($ref) {
    const name = $ref.split('/').at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((one) => `\`${one}\``).join(', ');
  if (value !== undefined) return `\`${value}\``;
  if (items) return `list of ${typeOf(items)}`;
  if (additionalProperties) return `object of ${typeOf(additionalProperties)}`;
  return [type ?? 'anything'].flat().join(' or ');
}

function table(head, rows) {
  if (rows.length === 0) return '';
  const lines = [head, head.map(() => '---'), ...rows];
  return lines
    .map(
      (cells) =>
        `| ${cells
          .map((cell) =>
            String(cell ?? '')
              .replaceAll('|', '\\|')
              .replaceAll('\n', ' '),
          )
          .join(' | ')} |`,
    )
    .join('\n');
}
