// Errors of the request itself: its form, its credential, its rate.
import { fieldOf, neededOf, type PublicErrors, ruleOf } from '#graphql/errors/entry.ts'

export const REQUEST_ERRORS = {
  invalid_request: {
    status: 400,
    message: (context, name) => `${fieldOf(context, name, 'the request')} ${ruleOf(context, 'is not valid')}`,
    meaning:
      'A field, argument, variable or `operationName` has a value that is not allowed, or the body is not JSON. A request that breaks HTTP itself has this code with 400, 408, 417, 431 or 501.',
    remedy: 'Correct the field that the message names.',
  },
  invalid_document: {
    status: 400,
    message: 'the GraphQL document is not valid',
    meaning: 'The GraphQL document has a syntax error, or does not fit the schema.',
    remedy: 'Correct it at `locations`.',
  },
  document_too_large: {
    status: 400,
    message: 'the GraphQL document is too large',
    meaning: 'The GraphQL document exceeds [a limit](limits.md).',
    remedy: 'Split it, or ask for smaller pages.',
  },
  unauthenticated: {
    status: 401,
    message: ({ credential = 'API key' }) => `missing or invalid ${credential}`,
    meaning: 'The request has no valid API key or token of the operator.',
    remedy: 'Send `Authorization: Bearer <API key>`.',
  },
  invalid_client_secret: {
    status: 401,
    message: (_context, name) => `invalid ${name('client_secret')}`,
    meaning: 'No payment has this client secret.',
    remedy: 'Send the one of its creation.',
  },
  key_not_found: {
    status: 404,
    message: 'API key not found',
    meaning: 'The business has no API key with this id, or the key to roll was revoked.',
    remedy: 'List the keys.',
  },
  key_limit_reached: {
    status: 409,
    message: ({ limit }) => `a business has at most ${limit} API keys that work`,
    meaning: 'The business has as many API keys as it can have.',
    remedy: 'Revoke one.',
  },
  idempotency_key_reused: {
    status: 409,
    message: 'the idempotency key belongs to another request',
    meaning: 'A request with another body or path has used this idempotency key within 24 hours.',
    remedy: 'Draw a new key for each new thing; repeat a request as it was.',
  },
  forbidden: {
    status: 403,
    message: neededOf('this credential may not do that'),
    meaning: 'The credential lacks the permission that the message names.',
    remedy: 'Use a key with this scope, or ask an owner for a role that has it.',
  },
  account_disabled: {
    status: 403,
    message:
      'the operator has disabled this account: it can be read, and money under way still arrives; ask the operator to enable it',
    meaning:
      'The operator has disabled the business, or the seller that it acts for: nothing new is made, and nothing is changed. What is there can be read, and [money under way is finished](contract.md#a-disabled-account).',
    remedy: 'Ask the operator for the reason, and to enable it again. Reads need no change.',
  },
  sandbox_only: {
    status: 403,
    message: 'only a sandbox can do that',
    meaning: 'The operation exists only in a sandbox.',
    remedy: 'Use a service with `SANDBOX` on.',
  },
  not_found: {
    status: 404,
    message: 'not found',
    meaning: 'Nothing has this path.',
    remedy: 'Check the path.',
  },
  unknown_api_version: {
    status: 400,
    message: 'the version is not known',
    meaning: 'The service does not have the version of `Api-Version`.',
    remedy: 'Send that of the answer, or none.',
  },
  method_not_allowed: {
    status: 405,
    message: 'method not allowed',
    meaning: 'The path does not have this HTTP method.',
    remedy: 'Use one of `Allow`.',
  },
  not_acceptable: {
    status: 406,
    message: 'the reply has no media type that the client accepts',
    meaning: '`Accept` allows no media type that the reply can have.',
    remedy: 'Accept `application/json`, or `text/event-stream` for a subscription.',
  },
  body_too_large: {
    status: 413,
    message: 'the body is too large',
    meaning: 'The body has more than 64 KB.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'send the body as application/json, in UTF-8',
    meaning:
      'The body is not declared as JSON in UTF-8, or as an image where one is taken, or has an unknown encoding.',
    remedy: 'Send `Content-Type: application/json`, or the type of the image.',
  },
  rate_limited: {
    status: 429,
    message: 'too many requests; slow down and try again',
    meaning: 'The caller exceeded [a rate limit](limits.md).',
    remedy: 'Repeat after `Retry-After`, in GraphQL `extensions.retryAfter`.',
  },
} satisfies PublicErrors
