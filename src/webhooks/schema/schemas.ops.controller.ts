import { Get, Header } from '@nestjs/common';
import { OpsController } from '../../http/ops-controller.js';
import { deliverySchema, type JsonSchema } from './delivery-schema.js';

/** `GET /schemas/events`: the JSON Schema of what is delivered to the event sink. */
@OpsController('schemas')
export class SchemasController {
  @Get('events')
  @Header('content-type', 'application/schema+json')
  events(): JsonSchema {
    return deliverySchema();
  }
}
