import fc from 'fast-check';
import type { Environment } from '../../src/config/load-config.js';
import { readPublicKeys } from '../../src/config/values/public-keys.js';
import { SETTINGS, type SettingName } from '../../src/config/settings.js';
import { warnOfUnknownSettings } from '../../src/config/faults/start-warnings.js';
import { RoleScopes } from '../../src/hirer-access/role-scopes.js';
import { faultsOf, REAL } from '../support/parts.js';
import { ecKeys, jwkOf, pemOf } from '../support/sign-token.js';
import { damaged, objectLike, stringText, words } from './generators/json-texts.js';
import { growsLinearly } from './growth.js';
import { target } from './target.js';

const MARK = 'v4lue-nobody-may-read';
const NAMES = Object.keys(SETTINGS) as SettingName[];
const ONE_OF_EACH_KIND = [
  ...(['PORT', 'HIRER_ACCESS', 'UPSTREAM_URL', 'USER_ID_KEY', 'END_USER_SECRET', 'OPS_TOKEN'] as const),
  ...(['ALLOWED_SCOPES', 'CORS_ORIGINS', 'TRUST_PROXY', 'END_USER_ALGORITHMS', 'EVENT_SINK_TYPES'] as const),
  ...(['ROLE_SCOPES', 'EVENT_SINK_SECRET', 'END_USER_PUBLIC_KEY'] as const),
];
const keys = ecKeys();

const SETTING_PIECES = [
  ...words('https:// http://127.0.0.1: postgres:// a.test : / @ ? # , ; = %'),
  ...words('0 65536 -1 1e3 true none [::1] 10.0.0.0/8 whsec_ AAAA RS256 query:a ( ['),
  ...[' ', '\n'],
];

const settingText = fc.oneof(
  fc.array(fc.constantFrom(...SETTING_PIECES), { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.nat().map(String),
  fc.constantFrom(...Object.values(REAL).filter((value) => value !== undefined)),
);

const environment = fc
  .dictionary(fc.constantFrom(...NAMES), settingText, { maxKeys: 4 })
  .map((some): Environment => ({ ...REAL, ...some }));

const keyText = fc.oneof(
  fc.constantFrom(pemOf(keys), JSON.stringify(jwkOf(keys)), JSON.stringify({ keys: [jwkOf(keys), null] })),
  damaged(fc.constantFrom(pemOf(keys), JSON.stringify(jwkOf(keys))), [
    '-----BEGIN PUBLIC KEY-----',
    '\\n',
    '{',
    'null',
  ]),
  objectLike(Object.fromEntries(Object.keys(jwkOf(keys)).map((name) => [name, stringText]))),
);

target(
  'settings',
  {
    'any text of any setting is read or has a fault, which does not repeat it': fc.property(
      fc.constantFrom(...NAMES),
      settingText,
      (name, text) => {
        const reading = SETTINGS[name].parse(text + MARK);
        if ('fault' in reading) expect(reading.fault).not.toContain(MARK);
        SETTINGS[name].parse(text);
      },
    ),
    'an environment is a configuration, or is refused with every fault': fc.property(
      environment,
      (variables) => {
        const faulty = NAMES.filter(
          (name) => variables[name] && 'fault' in SETTINGS[name].parse(variables[name]),
        );
        const faults = faultsOf(variables);
        for (const name of faulty) expect(faults).toContainEqual(expect.stringContaining(name));
        expect(faults).not.toContain('');
      },
    ),
    'the roles of a configuration have scopes, or the text is refused': fc.property(settingText, (text) => {
      const reading = SETTINGS.ROLE_SCOPES.parse(text);
      if ('fault' in reading || !reading.value) return;
      const scopes = new RoleScopes({ ALLOWED_SCOPES: ['query:a'], ROLE_SCOPES: reading.value });
      for (const role of reading.value.keys()) expect(Array.isArray(scopes.scopesFor([role]))).toBe(true);
    }),
    'a public key is read or refused, and not repeated': fc.property(keyText, (text) => {
      const reading = readPublicKeys(text);
      if ('fault' in reading) expect(reading.fault).not.toContain(String(jwkOf(keys)['x']));
      else for (const { algorithms } of reading.value) expect(algorithms.length).toBeGreaterThan(0);
    }),
  },
  {
    growth: growsLinearly(SETTING_PIECES, (text) => {
      for (const name of ONE_OF_EACH_KIND) SETTINGS[name].parse(text);
    }),
  },
);

target(
  'names of variables',
  {
    'names that are no settings are warned of': fc.property(
      fc.string({ maxLength: 20 }),
      settingText,
      (name, text) => {
        expect(Array.isArray(warnOfUnknownSettings({ [`UPSTREAM_${name}`]: text }))).toBe(true);
      },
    ),
  },
  { share: 1 / 10 },
);
