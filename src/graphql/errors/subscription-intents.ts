// Errors of redirect domains, and of the checkouts that a business creates. REST shows these codes as they are. Spec:
// "Errors".
import { fieldOf, type PublicErrors } from '#graphql/errors/entry.ts'

export const SUBSCRIPTION_INTENT_ERRORS = {
  invalid_host: {
    status: 400,
    message: 'the host must be a public host name, without scheme, port and path',
    meaning:
      'The host is no public host name: it has a scheme, port, path or wildcard, is an address, or has one label only.',
    remedy: 'Send the host alone, such as `shop.example.com`.',
  },
  domain_not_found: {
    status: 404,
    message: 'redirect domain not found',
    meaning: 'The business has no redirect domain with this id.',
    remedy: 'Check the id, and for whom the request acts.',
  },
  invalid_tier_id: {
    status: 400,
    message: 'the id of the tier must be a UUID',
    meaning: 'The id of the tier is missing or not a UUID.',
    remedy: 'Send the `id` of a tier.',
    shows: ['field'],
  },
  invalid_redirect_url: {
    status: 400,
    message: (context, name) =>
      `${fieldOf(context, name, 'the URL')} must be https, and lead to an active redirect domain of the business`,
    meaning:
      'The URL that `field` names is not https, has a port or a user name, or its host is no active redirect domain.',
    remedy: 'Register the host as a redirect domain, or correct the URL.',
    shows: ['field'],
  },
  invalid_expires_in: {
    status: 400,
    message: 'the time until the checkout expires is out of range',
    meaning: 'The time is not an integer of seconds from `min_expires_in` to `max_expires_in`.',
    remedy: 'Correct it, or leave it out for a day.',
    shows: ['min_expires_in', 'max_expires_in'],
  },
  intent_not_open: {
    status: 409,
    message: 'the checkout is completed or has expired',
    meaning:
      'The checkout is not open any more: `status` has its status, and `subscription_id` the subscription if it led to one.',
    remedy: 'Cancel the subscription instead, if there is one.',
    shows: ['status', 'subscription_id'],
  },
} satisfies PublicErrors
