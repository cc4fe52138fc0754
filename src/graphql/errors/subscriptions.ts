// Errors of recurring billing. REST shows these codes as they are. Spec: "Errors".
import { neededOf, type PublicErrors } from '#graphql/errors/entry.ts'

export const SUBSCRIPTION_ERRORS = {
  subscription_service_unavailable: {
    status: 503,
    message: 'recurring billing is not available',
    meaning:
      'Recurring billing is disabled (`GET /config` shows `subscriptions: null`), the account is in test mode, or the settlement token cannot be used.',
    remedy: 'Use a live key.',
  },
  permission_denied: {
    status: 403,
    message: neededOf('this key may not do that'),
    meaning: 'The key lacks the scope `subscriptions-view`, or `subscriptions-manage` for a change.',
    remedy: 'Use a key with the scope.',
  },
  invalid_limit: {
    status: 400,
    message: 'the page size must be an integer from 1 to 100',
    meaning: 'The page size is not an integer from 1 to 100.',
    remedy: 'Correct it, or leave it out.',
  },
  invalid_cursor: {
    status: 400,
    message: 'the cursor is not valid for this list',
    meaning: 'The cursor was not given for this list, these filters and this caller.',
    remedy: 'Begin again without a cursor.',
  },
  invalid_name: {
    status: 400,
    message: 'the name must be one line of text, and not too long',
    meaning: 'The name is missing, blank, of several lines, or above 200 characters; 120 for a tier.',
    remedy: 'Correct it.',
  },
  invalid_description: {
    status: 400,
    message: 'the description must be text of at most 2000 characters',
    meaning: 'The description is no text, or above 2,000 characters.',
    remedy: 'Correct it, or leave it out.',
  },
  invalid_external_id: {
    status: 400,
    message: 'the external id must be one line of 1 to 255 characters',
    meaning: 'The external id is blank, of several lines, or above 255 characters.',
    remedy: 'Correct it, or leave it out.',
  },
  invalid_status: {
    status: 400,
    message: 'the status is not one that exists here',
    meaning: 'The status is not one of the statuses of the object.',
    remedy: 'Use one that its documentation names.',
  },
  invalid_metadata: {
    status: 400,
    message:
      'the metadata must be a JSON object of at most 50 keys, 16384 characters and 8 levels, without a key __proto__',
    meaning:
      'It is no JSON object, has more than 50 keys, 16,384 characters or 8 levels, a key `__proto__`, or a number that cannot be stored exactly.',
    remedy: 'Send a smaller object.',
  },
  product_exists: {
    status: 409,
    message: 'an archived product has this external id',
    meaning: 'The product with this external id is archived.',
    remedy: 'Make it active again, or use another external id.',
  },
  product_field_immutable: {
    status: 400,
    message: 'this field of a product cannot be changed',
    meaning: '`field` names a field that never changes.',
    remedy: 'Leave it out.',
    shows: ['field'],
  },
  product_not_found: {
    status: 404,
    message: 'product not found',
    meaning: 'The business has no product with this id.',
    remedy: 'Check the id, and for whom the request acts.',
  },
} satisfies PublicErrors
