const HEAD = `// Written by "npm run docs" from the service's table of event types and the operations that go with events.
import type { DeliveryOf, EventData, ObjectError, OtherDelivery } from './deliveries.js';
`;

/**
 * The generated files of `client/src/server`, by name: the types of deliveries, and of the data that goes with them.
 * @param modules of the service
 */
export async function eventTypeFiles(schema, compiled, { EVENT_TYPES, dataTypes }) {
  const delivered = compiled.filter(({ events }) => events.some(({ type }) => type in EVENT_TYPES));
  const objects = Object.fromEntries(
    delivered.flatMap(({ name, events }) => events.map(({ type }) => [type, name])),
  );
  return {
    'event-types.ts': eventTypes(EVENT_TYPES, objects),
    'operations.ts': await dataTypes(schema, delivered),
  };
}

/**
 * TypeScript types of the deliveries to the event sink, for receivers: the data of each documented type, and their union, told
 * apart by `type`.
 * @param types the table of event types
 * @param objects the name of the operation whose data goes with each type
 */
function eventTypes(types, objects) {
  const names = Object.keys(types);
  const operations = [...new Set(Object.values(objects))].sort().map((name) => `${name}Query`);
  const imports =
    operations.length === 0 ? '' : `import type { ${operations.join(', ')} } from './operations.js';\n`;
  const parts = names.map((name) => typeOf(name, types[name], objects[name]));
  const union = names.map((name) => `  | ${name}`).join('\n');
  const about = '/** A verified delivery, told apart by `type`. */';
  return [HEAD + imports, ...parts, `${about}\nexport type Delivery =\n${union}\n  | OtherDelivery;\n`].join(
    '\n',
  );
}

function typeOf(name, { about, members }, operation) {
  const rows = Object.entries(members).map(([member, meaning]) => row(meaning, member, 'string'));
  if (operation !== undefined) {
    const meaning = `What the event names, as ${operation} answers. Null where it is gone; missing where \`objectErrors\` says why.`;
    rows.push(row(meaning, 'object', `${operation}Query | null`));
    rows.push(row('Why the object, or a part of it, is missing.', 'objectErrors', 'readonly ObjectError[]'));
  }
  const data = `/** The data of {@link ${name}}. */\nexport interface ${name}Data extends EventData {\n${rows.join('')}}\n`;
  const delivery = `/** ${about} */\nexport type ${name} = DeliveryOf<'${name}', ${rows.length === 0 ? 'EventData' : `${name}Data`}>;\n`;
  return rows.length === 0 ? delivery : `${data}\n${delivery}`;
}

function row(meaning, member, type) {
  return `  /** ${meaning} */\n  readonly ${member}?: ${type};\n`;
}
