// Errors of webhook endpoints, their secrets and their deliveries.
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const WEBHOOK_ERRORS = {
  webhook_endpoint_not_found: {
    status: 404,
    message: 'webhook endpoint not found',
    meaning: 'The business has no webhook endpoint with this id.',
    remedy: 'List the endpoints.',
  },
  delivery_not_found: {
    status: 404,
    message: 'webhook delivery not found',
    meaning: 'The business has no webhook delivery with this id. They are kept for 60 days.',
    remedy: 'List the deliveries.',
  },
  too_many_webhook_endpoints: {
    status: 409,
    message: 'the business has 16 webhook endpoints already',
    meaning: 'A business has at most 16 webhook endpoints.',
    remedy: 'Delete one, or let one receive more types.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'the webhook endpoint is disabled or deleted, so nothing is sent to it',
    meaning: 'The webhook endpoint is disabled or deleted.',
    remedy: 'Enable it first.',
  },
  too_many_rotations: {
    status: 409,
    message: 'three older webhook secrets still sign; wait until one of them stops, or revoke them',
    meaning: 'Three older webhook secrets still sign.',
    remedy: 'Wait until one stops, or revoke them.',
  },
} satisfies PublicErrors
