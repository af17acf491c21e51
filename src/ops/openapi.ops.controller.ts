import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Get, Header } from '@nestjs/common';
import { PACKAGE_DIR } from '../config/package-dir.js';
import { OpsController } from '../http/ops-controller.js';

const FOLDER = join(PACKAGE_DIR, 'schemas/openapi');

/** The OpenAPI documents of both listeners, as `npm run docs` wrote them. */
@OpsController('openapi')
export class OpenApiController {
  /** `GET /openapi/public.json`: the OpenAPI document of the public listener. */
  @Get('public.json')
  @Header('content-type', 'application/json; charset=utf-8')
  publicListener(): Promise<object> {
    return readFile(join(FOLDER, 'public.json'));
  }

  /** `GET /openapi/ops.json`: the OpenAPI document of the ops listener. */
  @Get('ops.json')
  @Header('content-type', 'application/json; charset=utf-8')
  opsListener(): Promise<object> {
    return readFile(join(FOLDER, 'ops.json'));
  }
}
