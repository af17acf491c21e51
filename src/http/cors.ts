import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/load-config.js';

const MAX_AGE_SECONDS = 7_200;

const REQUEST_HEADERS = [
  // what the routes read
  'Authorization',
  'Content-Type',
  'Accept-Language',
  'X-Hirer-Id',
  'X-Request-Id',
  'X-Session-Id',
  'X-CSRF',
  'Last-Event-ID',
  // what common clients add
  'traceparent',
  'tracestate',
  'baggage',
  'apollographql-client-name',
  'apollographql-client-version',
  'x-apollo-operation-name',
];

const RESPONSE_HEADERS = [
  'X-Request-Id',
  'Retry-After',
  'Content-Language',
  'Content-Disposition',
  'X-Operation-Warnings',
];

/** Lets pages of exactly the configured origins call the routes; any other origin gets no CORS header. */
export async function allowOrigins(
  listener: FastifyInstance,
  config: Pick<Config, 'CORS_ORIGINS' | 'CORS_HEADERS' | 'END_USER_COOKIE'>,
): Promise<void> {
  if (config.CORS_ORIGINS.length === 0) return;
  await listener.register(cors, {
    origin: [...config.CORS_ORIGINS],
    credentials: config.END_USER_COOKIE !== undefined,
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: [...REQUEST_HEADERS, ...config.CORS_HEADERS],
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: MAX_AGE_SECONDS,
  });
}
