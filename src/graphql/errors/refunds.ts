// Errors of refunds by businesses.
import type { PublicErrors } from '#graphql/errors/entry.ts'

export const REFUND_ERRORS = {
  refund_not_found: {
    status: 404,
    message: 'refund not found',
    meaning: 'The business has no refund with this id.',
    remedy: 'Check the id, and the mode of the key.',
  },
  refund_too_large: {
    status: 409,
    message: ({ refundable }) => `at most ${refundable} base units can still be refunded`,
    meaning: 'All refunds of a payment or a charge together are at most what settled. The message has what is left.',
    remedy: 'Ask for less, or cancel a refund that is open.',
  },
  refund_too_small: {
    status: 400,
    message: 'the amount is less than one base unit',
    meaning: 'The amount is zero, or is worth less than one base unit at the locked rate.',
    remedy: 'Ask for more.',
  },
  too_many_refunds: {
    status: 409,
    message: 'too many refunds of this wait to be paid: pay or cancel one',
    meaning: 'At most 20 refunds of a payment or a charge wait to be paid at a time.',
    remedy: 'Pay or cancel one of them.',
  },
  refund_recipient_unknown: {
    status: 409,
    message: (_context, name) =>
      `the wallet that paid is not known, or nothing can be sent to it: give ${name('to')}, an address from the buyer`,
    meaning:
      'The sender is not certain, is an exchange on the list of custodians, is a program, or is the wallet that would pay.',
    remedy: 'Ask the buyer for an address, and send it as `to`.',
  },
  refund_above_sender: {
    status: 409,
    message: ({ most }, name) =>
      `the wallet paid ${most} base units of what is left: ask for less, or give ${name('to')}`,
    meaning: 'Several wallets paid, and the one that would get the money paid less than this.',
    remedy: 'Refund each wallet by itself, or send `to`.',
  },
  refund_not_cancelable: {
    status: 409,
    message: ({ status }) => `the refund can no longer be canceled: its status is ${status}`,
    meaning: 'The amount was paid, or the time of the refund is over.',
    remedy: 'Read the refund.',
  },
  reverse_fee_without_seller: {
    status: 400,
    message: (_context, name) => `${name('reverse_fee')} is only valid for a payment for a seller`,
    meaning: 'Only a marketplace has a fee to give back.',
    remedy: 'Leave it out.',
  },
} satisfies PublicErrors
