// Checks each pull when it lands, by the transactions of the chain and what people agreed on. docs/billing.md, "What always
// holds", 1 to 4.
import type { Address, Signature } from '#core/chain/types.ts'
import type { BillingStage } from '../../billing/billing-stage.ts'
import { timeOf } from '../../chain/chain.ts'
import type { Landed } from '../../chain/landed.ts'
import { holdingPlace } from '../../chain/wallets.ts'
import type { Ground } from '../../world.ts'
import type { Findings } from '../findings.ts'
import { beginOf, type Known, type TierTerms } from './agreements.ts'

const HOUR_MS = 3_600_000
export const DUNNING_MS = 7 * 24 * HOUR_MS
export const FIRST_CHARGE_MS = 23 * HOUR_MS
/** Providers and machines are behind, and an attempt is checked some time before it is stored. */
const SLACK_MS = HOUR_MS
/** The newest block of a provider is at most this old. An instance with a wrong clock has no other time. */
const LAG_MS = 3 * 60_000

export type Moment = { readonly order: number; readonly time: number }

export type Pull = {
  readonly signature: Signature
  readonly subscriptionId: string
  readonly period: number
  readonly amount: bigint
  readonly fee: bigint
  /** The time of its block, in whole seconds, as nodes report it. */
  readonly time: number
}

export type Pulls = ReturnType<typeof watchPulls>

export function watchPulls(
  { chain, faults }: Pick<Ground, 'chain' | 'faults'>,
  { mint, delegate }: BillingStage,
  findings: Findings,
  {
    known,
    keyOf,
    storedAt,
  }: {
    readonly known: ReadonlyMap<string, Known>
    /** Returns the key of the transfer of a signed transaction. */
    readonly keyOf: (signature: Signature) => string | null
    /** When the bytes of a transaction were stored: from then on it may have been sent. */
    readonly storedAt: ReadonlyMap<Signature, Moment>
  },
) {
  const pulls = new Map<Signature, Pull>()

  /** The pulls that are on the chain now. */
  const landed = (subscriptionId: string): readonly Pull[] =>
    [...pulls.values()].flatMap((pull) => {
      const one = pull.subscriptionId === subscriptionId ? chain.landed(pull.signature) : null
      return one === null || one.error !== null ? [] : [{ ...pull, time: secondOf(one) }]
    })

  const moved = ({ effects }: Landed, owner: Address): bigint => {
    const account = holdingPlace(owner, mint)
    return effects.find((one) => one.account === account && one.asset === mint.mint)?.delta ?? 0n
  }

  /** When the first pull of a subscription landed. */
  const anchorOf = (subscriptionId: string): number | null =>
    landed(subscriptionId).find(({ period }) => period === 0)?.time ?? null

  const termsOf = ({ charged, terms }: Known, period: number): TierTerms => charged.get(period) ?? terms

  /** The subscription and the period that a signed transaction is for; null when it is for none. */
  const chargeOf = (signature: Signature): { readonly own: Known; readonly period: number } | null => {
    const [, subscriptionId = '', period = ''] = keyOf(signature)?.split(':') ?? []
    const own = known.get(subscriptionId)
    return own === undefined ? null : { own, period: Number(period) }
  }

  const readPull = (one: Landed): Pull | null => {
    const charge = chargeOf(one.signature)
    if (charge === null) return null
    const { own, period } = charge
    const { platformWallet } = termsOf(own, period)
    return {
      signature: one.signature,
      subscriptionId: own.id,
      period,
      amount: -moved(one, own.wallet),
      fee: platformWallet === null ? 0n : moved(one, platformWallet),
      time: secondOf(one),
    }
  }

  const checkAmounts = (pull: Pull, own: Known, one: Landed): void => {
    const { unit, feeBps, payoutOwner } = termsOf(own, pull.period)
    const what = () => `${pull.signature} took ${pull.amount} for period ${pull.period} of ${own.id}, agreed on ${unit}`
    findings.check('a pull is the agreed amount', pull.amount === unit, what)
    const all = landed(own.id)
    const same = all.filter(({ period }) => period === pull.period)
    findings.check('a period is pulled once', same.length === 1, () => `${what()}: ${same.length} times`)
    const total = all.reduce((sum, { amount }) => sum + amount, 0n)
    findings.check('pulls stay within the authorization', total <= own.granted, () => `${what()}, ${total} in all`)
    const fee = (unit * BigInt(feeBps)) / 10_000n
    const net = moved(one, payoutOwner)
    findings.check(
      'payout and fee arrive where the tier says',
      pull.fee === fee && net === unit - fee,
      () => `${what()}: ${net} to the business and ${pull.fee} to the platform, whose fee is ${fee}`,
    )
  }

  /** Returns when the time of a charge is over; null without a limit. */
  const limitOf = (pull: Pull, own: Known, end: number, { time }: Moment): number | null => {
    if (pull.period === 0) return own.createdAt + FIRST_CHARGE_MS
    const { pastDueSince } = own
    const isPastDue = own.status === 'past_due' && pastDueSince !== null && pastDueSince < time - SLACK_MS
    return isPastDue ? Math.min(Math.max(end, pastDueSince), pastDueSince + DUNNING_MS) : null
  }

  /** Also after a time in which the service was down. */
  const checkInTime = (pull: Pull, own: Known, end: number): void => {
    const stored = storedAt.get(pull.signature)
    if (stored === undefined || faults.counts['clock off by a day'] > 0) return
    const limit = limitOf(pull, own, end, stored)
    findings.check(
      'nothing is pulled once its time is over',
      limit === null || stored.time <= limit + SLACK_MS,
      () =>
        `${pull.signature} for period ${pull.period} of ${own.id} was signed at ${new Date(stored.time).toISOString()}, and its time was over at ${new Date(limit ?? 0).toISOString()}`,
    )
  }

  const checkTime = (pull: Pull, own: Known): void => {
    const { trialEnd } = own
    findings.check(
      'nothing is pulled before a trial ends',
      trialEnd === null || (pull.period > 0 && pull.time >= trialEnd),
      () => `${pull.signature} for period ${pull.period} of ${own.id}, whose trial ends at ${trialEnd}`,
    )
    if (pull.period === 0) {
      checkInTime(pull, own, Number.POSITIVE_INFINITY)
      return
    }
    const first = anchorOf(own.id)
    const start = beginOf(own, first, pull.period) ?? Number.POSITIVE_INFINITY
    const what = () =>
      `${pull.signature} for period ${pull.period} of ${own.id} at ${new Date(pull.time).toISOString()}`
    findings.check(
      'nothing is pulled before its period begins',
      pull.time >= start,
      () => `${what()}, which begins at ${Number.isFinite(start) ? new Date(start).toISOString() : 'no time yet'}`,
    )
    const end = beginOf(own, first, pull.period + 1) ?? start
    checkStopped(pull, own, end, what)
    checkInTime(pull, own, end)
  }

  const checkStopped = (pull: Pull, own: Known, end: number, what: () => string): void => {
    const rule = 'nothing is pulled for a time in which billing was stopped'
    const stored = storedAt.get(pull.signature)
    if (stored === undefined) return
    for (const { from, until } of own.stops) {
      const isDuring = stored.order > from.order && (until === null || stored.order < until.order)
      findings.check(rule, !isDuring, () => `${what()}: it was signed while billing was stopped`)
      const isForBefore = until !== null && stored.order > until.order && end + LAG_MS <= until.time
      findings.check(rule, !isForBefore, () => `${what()}: the period had ended when billing was resumed`)
    }
  }

  return {
    landed,
    anchorOf,
    subscriptionOf: (signature: Signature): Known | null => chargeOf(signature)?.own ?? null,
    onLanded(one: Landed): void {
      if (one.error !== null || !one.keys.slice(0, one.signers).includes(delegate)) return
      const pull = readPull(one)
      findings.check('a pull is the agreed amount', pull !== null, () => `${one.signature} is for no subscription`)
      const own = pull === null ? undefined : known.get(pull.subscriptionId)
      if (pull === null || own === undefined) return
      pulls.set(one.signature, pull)
      checkAmounts(pull, own, one)
      checkTime(pull, own)
    },
    isFinal: (signature: Signature): boolean => {
      const one = chain.landed(signature)
      return one !== null && one.slot <= chain.finalized
    },
  }
}

const secondOf = ({ slot }: Landed): number => Math.floor(timeOf(slot).getTime() / 1_000) * 1_000
