import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the bundler is told to write: the packages whose code is in the bundle. */
export const PACKAGES_FILE = 'packages.json';
export const LICENSES_FILE = 'THIRD-PARTY-LICENSES';
export const SBOM_FILE = 'sbom.cdx.json';

const ROOT = new URL('..', import.meta.url).pathname;
/** Of packages whose manifest names no license; their text does. */
const LICENSE_IDS = { 'passport-strategy': 'MIT', pause: 'MIT' };
/** Of packages that ship no text: they name the license in their manifest, and its text is on a page of their author. */
const COPYRIGHTS = [
  [/^(@redis\/.+|redis)$/, 'Copyright (c) 2022-2023, Redis, inc.'],
  [/^(@graphql-tools\/.+|cross-inspect)$/, 'Copyright (c) 2020 The Guild, Inc.'],
  [/^@whatwg-node\//, 'Copyright (c) 2023 Arda TANRIKULU'],
  [/^abstract-logging$/, 'Copyright (c) James Sumners <james.sumners@gmail.com>'],
];
const MIT = readFileSync(join(ROOT, 'LICENSE'), 'utf8')
  .replace(/^[\s\S]*?(?=Permission is hereby)/, '')
  .trim();

/**
 * Writes what is inside a bundle, beside it: the license of every package, and a bill of materials (CycloneDX). Both
 * are made of the bundler's own list, so that they name what is there and nothing else, and hold no time and no random
 * number.
 * @param folder of the bundle, with the bundler's list, which is removed
 * @param copied names of the packages of which files were copied, which the bundler did not see
 */
export function describeBundle(folder, copied = []) {
  const list = join(folder, PACKAGES_FILE);
  const product = readJson('package.json').name; // the bundler lists it, too, where it was compiled below node_modules
  const bundled = readJson(list).filter(({ name }) => name !== product);
  const found = [
    ...bundled,
    ...copied.map((name) => readJson(join(ROOT, 'node_modules', name, 'package.json'))),
  ];
  const packages = found.map(({ name, version }) => inspect(name, version)).sort(byPurl);
  writeFileSync(join(folder, LICENSES_FILE), licensesOf(packages));
  writeFileSync(join(folder, SBOM_FILE), `${JSON.stringify(sbomOf(packages), null, 2)}\n`);
  rmSync(list);
}

/** @throws where the license or its text is not known: it has to be looked up, and told above */
function inspect(name, version) {
  const [path, { integrity }] = locked(name, version);
  const folder = join(ROOT, path);
  const license = readJson(join(folder, 'package.json')).license ?? LICENSE_IDS[name];
  const text = ofFile(folder) || ofReadme(folder) || ofTable(name, license);
  if (!license || !text) throw new Error(`${name} ${version} has no license, or no text of it`);
  return { name, version, license, text, integrity, purl: purlOf(name, version) };
}

/** Where npm has installed it, and the hash of its content. */
function locked(name, version) {
  const { packages } = readJson(join(ROOT, 'package-lock.json'));
  const isIt = ([path, entry]) => path.endsWith(`node_modules/${name}`) && entry.version === version;
  const found = Object.entries(packages).find(isIt);
  if (found === undefined) throw new Error(`package-lock.json has no ${name} ${version}`);
  return found;
}

/** One may name the holders, and another the terms. */
function ofFile(folder) {
  const names = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  return names.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n');
}

/** The last section of a README, if it is a license's whole text. */
function ofReadme(folder) {
  const name = readdirSync(folder).find((file) => /^readme/i.test(file));
  const text =
    name &&
    readFileSync(join(folder, name), 'utf8')
      .split(/^#+ licen[cs]e *$/im)[1]
      ?.trim();
  return text?.includes('Permission is hereby granted') ? text : undefined;
}

function ofTable(name, license) {
  const [, copyright] = COPYRIGHTS.find(([names]) => names.test(name)) ?? [];
  return license === 'MIT' && copyright && `MIT License\n\n${copyright}\n\n${MIT}`;
}

function licensesOf(packages) {
  const { name } = readJson('package.json');
  const head = `The packages whose code is in ${name}, each with its license.\n`;
  return [
    head,
    ...packages.map(({ name, version, license, text }) => `## ${name} ${version} (${license})\n\n${text}\n`),
  ].join('\n');
}

/** CycloneDX 1.6. What is bundled is one file to a scanner, so the graph is flat: the product has them all. */
function sbomOf(packages) {
  const { name, version, license } = readJson('package.json');
  const ref = purlOf(name, version);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...componentOf({ name, version, license, purl: ref }), type: 'application' },
    },
    components: packages.map(componentOf),
    dependencies: [
      { ref, dependsOn: packages.map(({ purl }) => purl) },
      ...packages.map(({ purl }) => ({ ref: purl })),
    ],
    compositions: [{ aggregate: 'complete', assemblies: [ref] }],
  };
}

function componentOf({ name, version, license, integrity, purl }) {
  const hash = integrity && Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(hash && { hashes: [{ alg: 'SHA-512', content: hash }] }),
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    purl,
  };
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function byPurl(one, other) {
  return one.purl < other.purl ? -1 : 1;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
