// Errors of what the service depends on, and of the service itself.
import { OUTAGE_SECONDS, type PublicErrors } from '#graphql/errors/entry.ts'

export const OUTAGE_ERRORS = {
  price_feed_unreachable: {
    status: 502,
    message: 'no price is available right now; try again',
    meaning: 'Half of the price feeds, or fewer, have a price of the asset that is at most a minute old.',
    remedy: 'Repeat after `Retry-After`. If it stays, the operator checks `PRICE_FEEDS` and their keys.',
    retryAfter: OUTAGE_SECONDS,
  },
  price_feeds_disagree: {
    status: 503,
    message: 'price sources disagree right now; try again',
    meaning: 'The price feeds differ by more than 2 percent.',
    remedy: 'Repeat after `Retry-After`.',
    retryAfter: OUTAGE_SECONDS,
  },
  chain_unavailable: {
    status: 502,
    message: 'the chain cannot be reached right now; try again',
    meaning: 'No RPC provider answers.',
    remedy: 'Repeat after `Retry-After`.',
    retryAfter: OUTAGE_SECONDS,
  },
  chain_stalled: {
    status: 502,
    message: 'the sandbox’s chain does not move on: start the service again',
    meaning: 'The embedded chain of the sandbox makes no more blocks.',
    remedy: 'Start the service again.',
  },
  clock_not_moved: {
    status: 502,
    message: 'a chain of the sandbox refused to move its clock',
    meaning:
      'A chain of the sandbox refused to move its clock. `reason` has its network, its time and the wanted time.',
    remedy: 'Repeat. If it stays, start the chain again.',
    retryAfter: OUTAGE_SECONDS,
    shows: ['reason'],
  },
  database_unavailable: {
    status: 503,
    message: 'the service is temporarily unavailable; try again',
    meaning: 'The database does not answer.',
    remedy: 'Repeat after `Retry-After`.',
    retryAfter: OUTAGE_SECONDS,
  },
  internal_error: {
    status: 500,
    message: 'internal error',
    meaning: 'The service failed. The reply shows nothing of the cause.',
    remedy: 'Repeat a read, and give the operator the `x-request-id`.',
  },
} satisfies PublicErrors
