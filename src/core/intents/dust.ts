// Payments that are too small to return. Anybody can send them for nothing, so they must not cost the service an event and
// an entry of a list each. CONTRACT: dust.
import { SOL } from '#core/chain/types.ts'
import type { Deposit } from '#core/intents/intent.ts'
import type { Surroundings } from '#core/intents/surroundings.ts'

/** Returns whether a payment is at most what its return costs. */
export const isDust = ({ asset, amount }: Pick<Deposit, 'asset' | 'amount'>, { terms }: Surroundings): boolean =>
  asset === SOL && amount <= terms.networkFee
