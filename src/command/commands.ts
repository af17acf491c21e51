import { SUBSCRIPTIONS_USAGE } from './subscriptions/usage.js';
import type { Command } from './command.js';
import {
  BACKUP_USAGE,
  CHECK_USAGE,
  DOCTOR_USAGE,
  EVENTS_USAGE,
  MEMBERSHIPS_USAGE,
  OPERATIONS_USAGE,
  PLAYGROUND_USAGE,
  SECRETS_USAGE,
  START_USAGE,
  STORAGE_USAGE,
  STORE_USAGE,
  USERS_USAGE,
} from './usage.js';

/** Every command. Their code is imported when one is run. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'start',
    summary: 'start the service (default)',
    usage: START_USAGE,
    run: async (argv, environment) => (await import('./start.js')).start(argv, environment),
  },
  {
    name: 'check',
    summary: 'read the settings, print those that are set',
    usage: CHECK_USAGE,
    run: async (...given) => (await import('./check.js')).check(...given),
  },
  {
    name: 'doctor',
    summary: 'try everything that the service relies on',
    usage: DOCTOR_USAGE,
    run: async (...given) => (await import('./doctor/doctor.js')).doctor(...given),
  },
  {
    name: 'memberships',
    summary: 'who belongs to which hirer',
    usage: MEMBERSHIPS_USAGE + STORE_USAGE,
    run: async (...given) => (await import('./memberships.js')).memberships(...given),
  },
  {
    name: 'operations',
    summary: 'registered operations against a schema',
    usage: OPERATIONS_USAGE,
    run: async (...given) => (await import('./operations.js')).operations(...given),
  },
  {
    name: 'subscriptions',
    summary: "the upstream's webhook subscriptions",
    usage: SUBSCRIPTIONS_USAGE,
    run: async (...given) => (await import('./subscriptions/subscriptions.js')).subscriptions(...given),
  },
  {
    name: 'events',
    summary: 'stored events and their redelivery',
    usage: EVENTS_USAGE + STORE_USAGE,
    run: async (...given) => (await import('./events.js')).events(...given),
  },
  {
    name: 'users',
    summary: 'what is kept of one end user: export, erase',
    usage: USERS_USAGE + STORE_USAGE,
    run: async (...given) => (await import('./users.js')).users(...given),
  },
  {
    name: 'backup',
    summary: 'a copy of the embedded database',
    usage: BACKUP_USAGE + STORE_USAGE,
    run: async (...given) => (await import('./backup.js')).backup(...given),
  },
  {
    name: 'storage',
    summary: 'the embedded database into PostgreSQL',
    usage: STORAGE_USAGE,
    run: async (...given) => (await import('./storage.js')).storage(...given),
  },
  {
    name: 'secrets',
    summary: 'new values for the secrets that you make yourself',
    usage: SECRETS_USAGE,
    run: async (...given) => (await import('./secrets.js')).secrets(...given),
  },
  {
    name: 'playground',
    summary: 'start the service with its playground',
    usage: PLAYGROUND_USAGE,
    run: async (argv, environment) => (await import('./start.js')).playground(argv, environment),
  },
];
