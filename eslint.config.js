import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

/** The rules of every file that tsc checks. */
const RULES = {
  '@typescript-eslint/no-floating-promises': 'error',
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  curly: ['error', 'multi-line', 'consistent'],
  'no-console': 'error',
  'max-lines': ['warn', { max: 250, skipBlankLines: true, skipComments: true }],
  'max-lines-per-function': ['warn', { max: 50, skipBlankLines: true, skipComments: true }],
};

/** Off where values are of any type: answers in tests, JSON in page scripts. */
const ANY_TYPE = {
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
};

/** Types are checked by tsc; these rules add what it does not check: promises, exhaustive switches, size. */
export default tseslint.config(
  {
    ignores: [
      'dist',
      'bundle',
      'release',
      'dist-bench',
      'playground/dist',
      'client/dist',
      'examples/*/dist',
      'client/src/server/operations.ts',
      'examples/frontend/src/operations.ts',
      'playground/src/graphql/arguments.ts',
      'node_modules',
      'data',
      'coverage',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/require-await': 'off',
      ...RULES,
    },
  },
  {
    // An expression takes time linear in the length of a text from outside, wherever it is tried.
    files: ['src/**/*.ts'],
    ignores: ['src/config/**', 'src/storage/migrate.ts', '**/*.test.ts'], // these read what we or the operator wrote
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // No timer of the playground ends its process: `Background` alone starts them, and reports what fails.
    files: ['playground/src/**/*.ts'],
    ignores: ['playground/src/background.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
    },
  },
  {
    // One build of `graphql` for all: `graphql-packages.ts` alone loads it, for every bundler and test runner alike.
    files: ['playground/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: ['graphql', 'graphql-yoga'].map((name) => ({
            name,
            allowTypeImports: true,
          })),
        },
      ],
    },
  },
  {
    // One way to cancel: `Cancellation`.
    files: ['src/**/*.ts'],
    ignores: ['src/http/outgoing/http-client.ts', '**/*.test.ts'],
    rules: { 'no-restricted-globals': ['error', 'AbortController'] },
  },
  {
    files: ['client/src/**/*.ts'],
    languageOptions: {
      parserOptions: { project: './client/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ['client/src/server/**/*.ts'],
    languageOptions: {
      parserOptions: { project: './client/tsconfig.server.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ['client/test/**/*.ts'],
    languageOptions: {
      parserOptions: { project: './client/tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  {
    files: ['examples/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.examples.json', tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { ...RULES, '@typescript-eslint/consistent-type-imports': 'error' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts', 'scripts/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'no-console': 'off',
      ...ANY_TYPE,
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-explicit-any': 'off', // answers are of every shape
      '@typescript-eslint/no-redundant-type-constituents': 'off',
    },
  },
  {
    files: ['playground/src/**/*.mjs', 'src/ops/dashboard/page/*.js'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.pages.json', tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...RULES,
      ...ANY_TYPE,
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }], // listeners
    },
  },
);
