// The fee that a Token-2022 mint withholds from each transfer.

import type { TransferFee } from '#core/chain/types.ts'
import { divCeil } from '#core/money/amounts.ts'

const WHOLE_BPS = 10_000n

/**
 * Returns the smallest amount to send so that `arriving` arrives, in base units. A mint that changes its fee has two, and
 * the chain takes one of them: the larger amount is returned, so that enough arrives with either.
 */
export const amountToSend = (arriving: bigint, fees: readonly TransferFee[]): bigint =>
  fees.map((fee) => withFee(arriving, fee)).reduce((most, amount) => (amount > most ? amount : most), arriving)

/** The chain rounds the fee up, and takes at most the maximum. */
function withFee(arriving: bigint, { basisPoints, maximum }: TransferFee): bigint {
  const rest = WHOLE_BPS - BigInt(basisPoints)
  const atMost = arriving + maximum
  if (rest <= 0n) return atMost
  const uncapped = divCeil(arriving * WHOLE_BPS, rest)
  return uncapped < atMost ? uncapped : atMost
}
