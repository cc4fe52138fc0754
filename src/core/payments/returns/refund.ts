// The next refund of an asset. It goes to one wallet, because a wallet can make the transaction that pays it fail, by what it does
// between the check and the landing. docs/money.md, "Refund recipients".

import { type Asset, SOL } from '#core/chain/types.ts'
import { add, type BaseUnits, makeBaseUnits, subtract, subtractToZero, ZERO } from '#core/money/amounts.ts'
import type { DecisionContext } from '#core/payments/decision-context.ts'
import {
  hasFailed,
  isWithdrawn,
  type Position,
  type PositionTransfer,
  paymentAssets,
} from '#core/payments/position/position.ts'
import { keptBy, reserveGoesFirst } from '#core/payments/position/rent-reserve.ts'
import { couldTake, type DepositShare, totalOf } from '#core/payments/position/shares.ts'
import { isTooSmall } from '#core/payments/returns/dust.ts'
import { allocateRefund, type Recipient, recipientsOf, returnableOf } from '#core/payments/returns/recipients.ts'
import { MAX_FAILED_ROUNDS, MAX_WITHDRAWN_ROUNDS, ROUNDS_TO_EMPTY } from '#core/payments/rounds.ts'
import { makeLeg, type PaymentLeg, withoutEmpty } from '#core/payments/transfers.ts'

/** Returns the wallets to which shares go back, the largest first, if the part of the wallet is worth a refund alone. */
const worthyRecipients = (
  shares: readonly DepositShare[],
  asset: Asset,
  context: DecisionContext,
): readonly Recipient[] =>
  allocateRefund(totalOf(shares), shares, context.custodians).filter(
    ({ amount }) => !isTooSmall({ asset, amount }, context),
  )

/** A wallet with its shares, and with the rounds that could have returned them. */
type Candidate = Recipient & { readonly shares: readonly DepositShare[]; readonly rounds: readonly PositionTransfer[] }

/** `given up` when each wallet that is worth a refund waits for a person. */
export type NextRefund = { readonly legs: readonly PaymentLeg[] } | 'none worth its fee' | 'given up' | 'cannot stay'

/**
 * Returns the legs of the next refund: to the wallet that has waited longest, since its money or its last round, so that no other
 * wallet can keep it waiting. A wallet goes only where the SOL of the others can stay at the address.
 */
export function nextRefund(position: Position, asset: Asset): NextRefund {
  const { free: owed } = position.of(asset)
  const worthy = worthyRecipients(owed, asset, position.context)
  if (worthy.length === 0) return 'none worth its fee'
  const candidates = candidatesOf(worthy, position, asset).filter((one) => !waitsForPerson(one, position, asset))
  if (candidates.length === 0) return 'given up'
  for (const one of candidates.toSorted((a, b) => waitsSince(a) - waitsSince(b))) {
    const legs =
      asset === SOL
        ? solLegs(
            one,
            worthy.filter(({ address }) => address !== one.address),
            totalOf(owed),
            position,
          )
        : [makeLeg('refund', one.address, one.amount)]
    if (legs !== null) return { legs }
  }
  return 'cannot stay'
}

/** Returns the version of the payment since which a wallet waits. */
const waitsSince = ({ shares, rounds }: Candidate): number =>
  rounds.at(-1)?.plannedVersion ?? Math.min(...shares.map(({ deposit }) => deposit.seenVersion))

/** The rounds before the oldest money that a wallet is still to get back were for other money. */
function candidatesOf(worthy: readonly Recipient[], position: Position, asset: Asset): readonly Candidate[] {
  const { free, transfers } = position.of(asset)
  const sharesOf = Map.groupBy(returnableOf(free, position.context.custodians), ({ sender }) => sender)
  const refunds = transfers.filter(({ kind }) => kind === 'refund')
  const roundsOf = Map.groupBy(
    refunds.flatMap((round) => [...recipientsOf(round)].map((wallet) => ({ wallet, round }))),
    ({ wallet }) => wallet,
  )
  return worthy.map((recipient) => {
    const shares = sharesOf.get(recipient.address) ?? []
    const since = Math.min(...shares.map(({ deposit }) => deposit.seenVersion))
    const rounds = (roundsOf.get(recipient.address) ?? []).map(({ round }) => round)
    return { ...recipient, shares, rounds: rounds.filter(({ plannedVersion }) => plannedVersion >= since) }
  })
}

/**
 * Returns whether a person decides about a wallet: too many of its rounds have ended, or the last one failed and the payment waits for
 * a person. Then new money of the wallet that is worth a round ends the waiting, and so does a refund of another wallet, which takes the
 * payment back to `refunding`.
 */
function waitsForPerson({ shares, rounds }: Candidate, { intent, deposits, context }: Position, asset: Asset): boolean {
  if (rounds.filter(hasFailed).length >= MAX_FAILED_ROUNDS) return true
  if (rounds.filter(isWithdrawn).length >= MAX_WITHDRAWN_ROUNDS) return true
  const last = rounds.at(-1)
  if (intent.status !== 'refund_failed' || !paymentAssets(deposits).has(asset)) return false
  if (last === undefined || !hasFailed(last)) return false
  const since = shares.filter((share) => !couldTake(last, share))
  return worthyRecipients(since, asset, context).length === 0
}

/**
 * Returns the legs of a refund of SOL; null when the SOL of other wallets would be too little to stay. The wallet leaves the rent
 * minimum where that keeps the others, each until its own refund, or when dust may have disturbed its rounds, and gets it in its next
 * round. What is worth no refund and is too little to stay pays the network fee, or a part of it.
 */
function solLegs(
  { address, amount, rounds }: Candidate,
  otherWallets: readonly Recipient[],
  total: BaseUnits,
  position: Position,
): readonly PaymentLeg[] | null {
  const { transfers, context } = position
  const { terms, rentMinimum } = context
  const legs = (back: bigint, fee: BaseUnits) =>
    withoutEmpty([makeLeg('refund', address, makeBaseUnits(back)), makeLeg('network_fee', terms.feePayer, fee)])
  const others = subtract(total, amount)
  const hasOthers = otherWallets.length > 0
  // Dust does not stay next to a rent reserve: it would have to follow with it.
  const kept = hasOthers || others === 0n ? keptBy(transfers) : ZERO
  // What stays until the last of the other wallets goes.
  const atLast = others - totalOf(otherWallets.slice(1)) + kept
  const isDisturbed = rounds.length >= ROUNDS_TO_EMPTY
  const back = amount - terms.networkFee - rentMinimum
  if (atLast < rentMinimum && (isDisturbed || hasOthers) && back >= rentMinimum) return legs(back, terms.networkFee)
  if (others + kept >= rentMinimum) return legs(amount - terms.networkFee, terms.networkFee)
  if (hasOthers || reserveGoesFirst(position)) return null
  const due = subtractToZero(terms.networkFee, others)
  return legs(amount - due, add(due, others))
}
