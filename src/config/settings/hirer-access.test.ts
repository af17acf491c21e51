import { HIRER_ACCESS } from './hirer-access.js';

const { parse } = HIRER_ACCESS.ROLE_SCOPES;

test('scopes of roles are read by role; an entry may be empty', () => {
  expect(parse('viewer = query:ontologies; poster=query:ad-products query:ontologies;; none=')).toEqual({
    value: new Map([
      ['viewer', ['query:ontologies']],
      ['poster', ['query:ad-products', 'query:ontologies']],
      ['none', []],
    ]),
  });
  expect(parse(';')).toEqual({ value: new Map() });
});

test.each([
  ['no equals sign', 'viewer', /entry 1 must be written as/],
  ['a role that is not a word', 'the viewer=query:ontologies', /entry 1 must be written as/],
  ['a role named twice', 'viewer=query:ontologies;viewer=query:ad-products', /entry 2 .*second time/],
  ['several faults', 'a;viewer=x;c', /entry 1 .*; entry 3 /],
])('ROLE_SCOPES with %s is refused and not repeated', (_title, text, fault) => {
  const reading = parse(text);
  expect(reading).toEqual({ fault: expect.stringMatching(fault) });
  expect(JSON.stringify(reading)).not.toContain('viewer');
});
