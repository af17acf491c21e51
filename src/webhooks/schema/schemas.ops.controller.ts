import { Get, Header } from '@nestjs/common';
import { OpsController } from '../../http/ops-controller.js';
import { RegisteredOperations } from '../../operations/registered-operations.js';
import type { JsonSchema } from './delivery-schema.js';
import { servedSchema } from './served-schema.js';

/** `GET /schemas/events`: the JSON Schema of what is delivered to the event sink. */
@OpsController('schemas')
export class SchemasController {
  constructor(private readonly operations: RegisteredOperations) {}

  @Get('events')
  @Header('content-type', 'application/schema+json')
  events(): JsonSchema {
    return servedSchema([...this.operations.all()].map(({ compiled }) => compiled));
  }
}
