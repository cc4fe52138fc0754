// Errors of the operator's operations.
import { fieldOf, type PublicErrors, ruleOf } from '#graphql/errors/entry.ts'

export const OPERATOR_ERRORS = {
  account_not_found: {
    status: 404,
    message: 'account not found',
    meaning: 'No account has this id.',
    remedy: 'List the accounts.',
  },
  transfer_not_found: {
    status: 404,
    message: 'transfer not found',
    meaning: 'No transfer has this id.',
    remedy: 'List the transfers.',
  },
  charge_not_found: {
    status: 404,
    message: 'charge not found',
    meaning: 'No charge has this id.',
    remedy: 'List the charges.',
  },
  halt_not_found: {
    status: 404,
    message: 'no address is halted under this id',
    meaning: 'No halt has this id, or it is over.',
    remedy: 'List the halts.',
  },
  token_not_found: {
    status: 404,
    message: 'this token is not on the allowlist',
    meaning: 'The allowlist does not have this token.',
    remedy: 'List the tokens.',
  },
  transfer_not_retryable: {
    status: 409,
    message: 'only a failed or held transfer can be retried',
    meaning: 'The transfer is neither failed nor held.',
    remedy: 'Read its status.',
  },
  charge_not_retryable: {
    status: 409,
    message: 'this charge cannot be tried again',
    meaning: 'The charge has ended, its time is over, or the subscriber must approve again: `reason` says which.',
    remedy: 'Read the charge and its subscription.',
    shows: ['reason'],
  },
  nothing_held: {
    status: 409,
    message: 'nothing of this asset is held for this payment where it could be sent from',
    meaning:
      'The payment holds nothing of this asset, or nothing that could go to its buyer. Perhaps it has been sent.',
    remedy: 'Read `held` of the payment.',
  },
  held_money_reserved: {
    status: 409,
    message: 'another transfer reserves it: wait until that transfer is done, or retry it when it is held',
    meaning: 'Another transfer will send the held money.',
    remedy: 'Wait for that transfer, or retry it.',
  },
  release_in_progress: {
    status: 409,
    message: 'it is being released to another address',
    meaning: 'The held money is being sent to another address.',
    remedy: 'Wait until that is done.',
  },
  token_release_in_progress: {
    status: 409,
    message: 'this token is being released from a deposit address; try again when `held releases` shows the end',
    meaning: 'A release moves this token out of the deposit address of a payment.',
    remedy: 'Wait until `held releases` shows its end.',
  },
  invalid_address: {
    status: 400,
    message: (context, name) =>
      `${fieldOf(context, name, 'the address')} ${ruleOf(context, 'is not a payable address')}`,
    meaning: 'The address cannot be paid.',
    remedy: 'Send the address of a wallet.',
  },
  invalid_mint: {
    status: 400,
    message: 'this is not a token mint on this network',
    meaning: 'The address is not a mint on this network.',
    remedy: 'Check it and the network.',
  },
  mint_not_supported: {
    status: 400,
    message: 'this mint cannot be accepted safely',
    meaning: 'The mint has an extension that cannot be accepted, or that acts on transfers now: `extension`.',
    remedy: 'Do not allow this token.',
    shows: ['extension', 'reason'],
  },
  mint_needs_consent: {
    status: 409,
    message: 'this mint gives its issuer power over holders; allow it only with explicit consent',
    meaning: 'The mint gives its issuer power over holders and their transfers: `extensions`.',
    remedy: 'Consent to these, if the issuer can be trusted.',
    shows: ['extensions'],
  },
  network_unavailable: {
    status: 409,
    message: 'this deployment does not serve that network',
    meaning: 'The deployment does not serve the network.',
    remedy: 'Configure it, or use the other one.',
  },
} satisfies PublicErrors
