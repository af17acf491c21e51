import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyReply } from 'fastify';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What the head of every page has. */
export const HEAD = `
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/pages/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/pages/style.css" />`;

/** What a browser loads of a folder: its other files, compiled ones included, are the server's. */
export function filesOf(folder: URL, wanted = /\.(html|css|mjs|svg)$/): string[] {
  return readdirSync(folder).filter((name) => wanted.test(name));
}

/** Sends a file of a folder that the server knows; its name never comes from a request. */
export async function sendFile(reply: FastifyReply, folder: URL, name: string): Promise<FastifyReply> {
  const text = await readFile(new URL(name, folder), 'utf8');
  return reply.type(MEDIA_TYPES[extname(name)]!).send(text.replace('<head>', `<head>${HEAD}`));
}
