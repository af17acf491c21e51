const HEAD = `// Written by "npm run docs" from the service's table of event types and the operations that go with events.
import type { DeliveryOf, EventData, OtherDelivery } from './deliveries.js';
`;

/**
 * TypeScript types of the deliveries to the event sink, for receivers: one interface of the data of each documented type, and
 * their union, told apart by `type`.
 * @param types the table of event types
 */
export function eventTypes(types) {
  const names = Object.keys(types);
  const parts = names.map((name) => typeOf(name, types[name]));
  const union = names.map((name) => `  | ${name}`).join('\n');
  const about = '/** A verified delivery, told apart by `type`. */';
  return [HEAD, ...parts, `${about}\nexport type Delivery =\n${union}\n  | OtherDelivery;\n`].join('\n');
}

function typeOf(name, { about, members }) {
  const rows = Object.entries(members).map(
    ([member, meaning]) => `  /** ${meaning} */\n  readonly ${member}?: string;\n`,
  );
  const data = rows.length === 0 ? 'EventData' : `${name}Data`;
  const declaration =
    rows.length === 0
      ? ''
      : `/** ${about} */\nexport interface ${data} extends EventData {\n${rows.join('')}}\n\n`;
  return `${declaration}/** ${about} */\nexport type ${name} = DeliveryOf<'${name}', ${data}>;\n`;
}
