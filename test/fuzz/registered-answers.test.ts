import fc from 'fast-check';
import { BffError } from '../../src/errors/bff-error.js';
import { compileOperation } from '../../src/operations/compile/compile-operation.js';
import { confineAnswer } from '../support/parts.js';
import { isObject, parseExact } from '../../src/json/parse-json.js';
import {
  mayRenew,
  readShape,
  type GraphqlResult,
  type Outcome,
} from '../../src/operations/transport/graphql-result.js';
import { RegisteredOperation } from '../../src/operations/registered-operation.js';
import { leaf, listed, sampleOf } from './generators/answer-samples.js';
import {
  DEEP_JSON,
  anyJsonText,
  arrayText,
  numberText,
  objectLike,
  objectText,
  quoted,
  stringText,
  valueText,
} from './generators/json-texts.js';
import { readOrRefuse, target } from './target.js';

const HIRER = 'seekAnzPublicTest:organization:seek:93WyyF1h';
const FOREIGN = 'seekAnzPublicTest:organization:seek:4Kd8mQxT';
const TOLD = 'what the upstream tells of an object';

const operation: RegisteredOperation = new RegisteredOperation(
  compileOperation(
    `query profile($id: String!, $first: Int, $filter: FilterInput) @token(use: PARTNER)
       @hirer(path: "profile.hirer.id.value") {
       profile(id: $id, first: $first, filter: $filter) {
         hirer { id { value } } name constructor: title length: count __proto__: link items { id name }
       }
     }`,
    'profile.graphql',
  ),
  () => operation,
);
const bound = new RegisteredOperation(
  compileOperation(
    'mutation close($input: CloseInput!, $first: Int) @hirer(variable: "input.hirer.id") { close(input: $input, first: $first) { id } }',
    'close.graphql',
  ),
  () => operation,
);

const scalarText = fc.oneof(numberText, stringText, fc.constantFrom('null', 'true'));
const hirerText = (ids: readonly string[]) =>
  objectLike({ id: objectLike({ value: quoted(fc.constantFrom(...ids)) }) });
const profileText = (ids: readonly string[]) =>
  objectLike({
    hirer: hirerText(ids),
    name: scalarText,
    constructor: scalarText,
    length: scalarText,
    items: fc
      .array(objectLike({ id: scalarText, name: scalarText }), { maxLength: 2 })
      .map((all) => `[${all.join(',')}]`),
  });
const errorText = objectLike({
  message: fc.constant(JSON.stringify(TOLD)),
  path: fc.oneof(fc.constant('["profile"]'), fc.constant('["profile","name"]'), arrayText),
  extensions: objectLike({ code: quoted(fc.constantFrom('UNAUTHENTICATED', 'FORBIDDEN', TOLD)) }),
});
const errorsText = fc.array(errorText, { maxLength: 2 }).map((all) => `[${all.join(',')}]`);
const answerText = objectLike({
  data: objectLike({ profile: profileText([HIRER, FOREIGN]) }),
  errors: errorsText,
  extensions: objectLike({ requestLatency: numberText }),
});

const open = compileOperation(
  'query open($h: String!) @hirer(variable: "h") { a(h: $h) { b c { d f } g } e(h: $h) }',
  'open.graphql',
);

function resultOf(text: string): GraphqlResult {
  const body = Buffer.from(text);
  return { status: 200, body, errors: readShape(body)?.errors };
}

function shape(body: string, of = operation.compiled): Outcome {
  return confineAnswer(of, resultOf(body), { hirerId: HIRER, mapText: (text) => text });
}

/** The text that the caller gets for an answer; undefined when the failure is ours. */
function shapedText(body: string): string | undefined {
  const outcome = shape(body);
  return outcome instanceof BffError ? undefined : outcome.body.toString();
}

function expectShapedOrRefused(body: string): void {
  const outcome = shape(body);
  if (outcome instanceof BffError) {
    expect(['upstream_error', 'hirer_forbidden']).toContain(outcome.code);
  } else {
    JSON.parse(outcome.body.toString());
    JSON.parse(body); // what is no JSON is refused
  }
}

/** The answer with a member that nobody selected in each object of which members were. */
function withMore(text: string): string {
  const answer = JSON.parse(text);
  const profile = answer.data?.profile;
  for (const place of [answer, answer.data, profile, profile?.hirer, profile?.hirer?.id]) {
    if (isObject(place)) place['unselected'] = FOREIGN;
  }
  return JSON.stringify(answer);
}

target('answers to registered operations', {
  'an answer is shaped, or refused as not proven or not usable': fc.property(
    fc.oneof({ weight: 4, arbitrary: answerText }, anyJsonText),
    expectShapedOrRefused,
  ),
  'a member that nobody selected changes nothing': fc.property(
    objectLike({ data: objectLike({ profile: profileText([HIRER]) }) }).map((text) =>
      JSON.stringify(JSON.parse(text)),
    ),
    (text) => {
      const [told, more] = [shapedText(text), shapedText(withMore(text))];
      if (told !== undefined && more !== undefined) expect(more).toBe(told);
    },
  ),
  'what is selected stays, in any order and among whatever else; of a member that is there twice, the last':
    fc.property(
      sampleOf({
        a: listed(sampleOf({ b: leaf, c: listed(sampleOf({ d: leaf, f: leaf })), g: leaf })),
        e: leaf,
      }),
      ({ text, seen }) => {
        const outcome = shape(`{"data":${text}}`, open);
        const told =
          outcome instanceof BffError ? undefined : { data: JSON.parse(outcome.body.toString()).data };
        expect(told).toEqual({ data: seen });
      },
    ),
  'nothing of an answer passes that names another hirer at the bound path': fc.property(
    objectLike({ errors: errorsText }),
    profileText([FOREIGN]),
    (rest, profile) => {
      const foreign = { ...JSON.parse(profile), hirer: { id: { value: FOREIGN } } };
      const told = shape(JSON.stringify({ ...JSON.parse(rest), data: { profile: foreign } }));
      expect(told).toBeInstanceOf(BffError);
    },
  ),
  'the text of an error does not pass where nothing is proven': fc.property(
    fc.constantFrom('null', '{"profile":null}'),
    errorsText,
    (data, errors) => {
      expect(shapedText(`{"data":${data},"errors":${errors}}`) ?? '').not.toContain(TOLD);
    },
  ),
  'whether a token is renewed is decided for any answer': fc.property(
    fc.oneof({ weight: 4, arbitrary: answerText }, anyJsonText),
    fc.constantFrom('query' as const, 'mutation' as const),
    (body, type) => {
      expect(typeof mayRenew({ type, rootKeys: ['profile'] }, resultOf(body))).toBe('boolean');
      expect(Array.isArray(resultOf(body).errors ?? [])).toBe(true);
    },
  ),
});

target('variables of registered operations', {
  'variables are sent or refused': fc.property(
    objectLike({ id: stringText, first: numberText, filter: objectText }),
    (variables) => {
      const call = readOrRefuse(['invalid_request', 'hirer_forbidden'], () =>
        operation.prepare(parseExact(variables) as Record<string, unknown>, HIRER),
      );
      if (call) expect(JSON.parse(call.bytes.toString()).variables).toEqual(JSON.parse(variables));
    },
  ),
  'a bound variable is the hirer, or the call is refused': fc.property(
    objectLike({
      input: objectLike({
        hirer: objectLike({ id: fc.oneof(quoted(fc.constantFrom(HIRER, FOREIGN)), valueText) }),
      }),
    }),
    (variables) => {
      const call = readOrRefuse(['invalid_request', 'hirer_forbidden'], () =>
        bound.prepare(parseExact(variables) as Record<string, unknown>, HIRER),
      );
      if (!call) return;
      const sent = JSON.parse(call.bytes.toString()).variables;
      expect(sent.input.hirer.id).toBe(HIRER);
    },
  ),
});

test.each([
  ['data', DEEP_JSON.array],
  ['data', DEEP_JSON.object],
  ['data', `{"profile":{"hirer":{"id":{"value":"${HIRER}"}},"name":${DEEP_JSON.array}}}`],
  ['errors', `[{"path":${DEEP_JSON.array}}]`],
  ['extensions', `{"requestLatency":${DEEP_JSON.object}}`],
  ['extensions', `{"requestLatency":1.50,"more":${DEEP_JSON.object}}`],
])(
  'an answer whose %s goes deeper than the stack is refused or shaped, not a fault of ours',
  (name, value) => {
    const others = name === 'data' ? '' : ',"data":{"profile":null}';
    expectShapedOrRefused(`{"${name}":${value}${others}}`);
  },
);
