import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Routes } from '../../http/routes.js';
import type { StreamingAnswer } from '../../http/stream.js';
import { Attachments, type AttachmentRequest } from './attachments.js';

/** Headers of the upstream's answer that are passed on (contract, Attachments), with the value of a missing one. */
const HEADERS: Readonly<Record<string, string | undefined>> = {
  'content-disposition': 'attachment',
  'content-length': undefined,
  'content-type': 'application/octet-stream',
  'last-modified': undefined,
};

/** A file may be a page with a script: where a browser shows it, it runs nothing and belongs to no site. */
const HARMLESS = "sandbox; default-src 'none'";

/** `GET` and `HEAD /attachments/{sealed}`. */
@Injectable()
export class AttachmentRoutes implements OnModuleInit {
  constructor(
    private readonly routes: Routes,
    private readonly attachments: Attachments,
  ) {}

  onModuleInit(): void {
    this.routes.add({
      method: ['GET', 'HEAD'],
      url: '/attachments/:sealed',
      config: { access: 'end-user', audit: 'attachment' },
      handler: (request, reply) => this.answer(request as AttachmentRequest, reply),
    });
  }

  private async answer(request: AttachmentRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return await sendFile(await this.attachments.fetch(request, reply), reply);
    } catch (error) {
      if (request.context.cancellation.cancelled) return reply.hijack();
      throw error;
    }
  }
}

async function sendFile({ headers, body }: StreamingAnswer, reply: FastifyReply): Promise<FastifyReply> {
  reply.headers(passedHeaders(headers)).header('content-security-policy', HARMLESS);
  if (reply.request.method === 'GET') return await reply.send(body);
  body.resume();
  return await reply.send();
}

function passedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, fallback] of Object.entries(HEADERS)) {
    const value = headers[name] ?? fallback;
    if (typeof value === 'string') passed[name] = value;
  }
  return passed;
}
