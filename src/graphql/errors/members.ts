// Errors of members: logins, sessions, and who may change whom.
import { type PublicErrors, ruleOf } from '#graphql/errors/entry.ts'

export const MEMBER_ERRORS = {
  session_required: {
    status: 403,
    message: 'this needs a session',
    meaning: 'Only a member who is logged in can do this.',
    remedy: 'Log in on the pages of the service.',
  },
  own_pages_only: {
    status: 403,
    message: 'log in on the pages of the service',
    meaning:
      'A session begins only by a request whose header `Origin` is that of `PUBLIC_URL`, as a page of the service sends it.',
    remedy: 'Open the page at `PUBLIC_URL`.',
  },
  step_up_required: {
    status: 403,
    message: 'prove again that you are there, by a passkey or a wallet',
    meaning:
      'The change is one of a wallet that receives money, of API keys, of members, or of the URL or the secret of a webhook endpoint, and the last proof is more than five minutes old.',
    remedy: 'Prove again with `proveWithPasskey` or `proveWithWallet`, then repeat.',
  },
  login_refused: {
    status: 401,
    message: 'no member logs in with this',
    meaning: 'The passkey or the wallet is that of no member, or of another one than the session.',
    remedy: 'Use the login that was set up, or ask an owner for a new link.',
  },
  passkeys_unavailable: {
    status: 409,
    message: (context) => ruleOf(context, 'passkeys do not work here'),
    meaning: 'Passkeys need a `PUBLIC_URL` with a name and https, or `http://localhost`.',
    remedy: 'Log in with a wallet, or change `PUBLIC_URL`.',
  },
  login_link_not_found: {
    status: 404,
    message: 'this link cannot be used',
    meaning: 'The link was used, has expired after 24 hours, or was replaced by a newer one.',
    remedy: 'Ask an owner or the operator for a new one.',
  },
  login_taken: {
    status: 409,
    message: 'this is the login of a member already',
    meaning: 'The wallet is a login of a member of the business, or the passkey of any member.',
    remedy: 'Log in with it, or use another one.',
  },
  login_limit_reached: {
    status: 409,
    message: ({ limit }) => `a member has at most ${limit} logins`,
    meaning: 'The member has as many logins as there can be.',
    remedy: 'Remove one that is not used.',
  },
  login_not_found: {
    status: 404,
    message: 'login not found',
    meaning: 'The member has no login with this id.',
    remedy: 'List the members.',
  },
  member_not_found: {
    status: 404,
    message: 'member not found',
    meaning: 'No member of the business has this id, or the member was removed.',
    remedy: 'List the members.',
  },
  member_limit_reached: {
    status: 409,
    message: ({ limit }) => `a business has at most ${limit} members`,
    meaning: 'The business has as many members as it can have.',
    remedy: 'Remove one who no longer works there.',
  },
  last_owner: {
    status: 409,
    message: 'a business keeps an owner who can log in',
    meaning: 'The change would leave no owner who can log in.',
    remedy: 'Make another member an owner who logs in first, or ask the operator.',
  },
  payout_change_not_found: {
    status: 404,
    message: 'no change of the payout wallet waits',
    meaning: 'No change of the payout wallet waits.',
    remedy: 'Read the wallet in `business`.',
  },
  session_not_found: {
    status: 404,
    message: 'session not found',
    meaning: 'No session that goes on has this id.',
    remedy: 'List the sessions.',
  },
} satisfies PublicErrors
