import { byId } from './control.mjs';
import { h } from './dom.mjs';

/** @typedef {{name: string, kind: string, about: string, scope: string | null, isOpen: boolean}} Operation */

/** Lists the operations of the schema, and those whose name or description has what is searched for. */
export async function startOperations() {
  const response = await fetch('/pages/operations.json');
  /** @type {{hirer: string, operations: Operation[]}} */
  const { hirer, operations } = await response.json();
  byId('demo-hirer').textContent = hirer;
  const rows = operations.map((operation) => ({ operation, row: drawOperation(operation, hirer) }));
  const search = byId('search');
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = rows.filter(({ operation: { name, about } }) =>
      `${name} ${about}`.toLowerCase().includes(wanted),
    );
    byId('operation-count').textContent = `${found.length} of ${rows.length} operations`;
    byId('operation-lists').replaceChildren(
      ...['Queries', 'Mutations'].map((title) => {
        const own = found.filter(({ operation }) =>
          title.toLowerCase().startsWith(operation.kind.slice(0, 4)),
        );
        const list = h('ul.operations', { 'aria-label': title }, ...own.map(({ row }) => row));
        return h('section', { hidden: own.length === 0 }, h('h2', title), list);
      }),
    );
  };
  search.addEventListener('input', show);
  search.form.addEventListener('submit', (event) => event.preventDefault());
  show();
}

function drawOperation({ name, about, scope, isOpen }, hirer) {
  const path = `/graphql?example=${name}`;
  return h(
    'li',
    h('a', { href: isOpen ? path : `${path}&as=partner` }, h('code', name)),
    h('p.facts', ...drawText(about)),
    scope !== null &&
      h(
        'a',
        {
          class: 'chip',
          href: `${path}&as=browser`,
          title: `Scope ${scope}`,
          'aria-label': `${name} as ${hirer}`,
        },
        'as ',
        hirer,
      ),
  );
}

/** Text with code between backticks, as descriptions have it. */
function drawText(text) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? h('code', part) : part));
}
