// Checks what events of subscriptions and charges show, when they are stored and when they are sent: by the chain, by what
// people agreed on, and by the tables of docs/billing.md.
import type { BillingEvent } from '#core/billing/machine/change.ts'
import { chargeEventData, subscriptionEventData } from '#core/billing/payload.ts'
import type { WebhookRequest } from '#ports/events.ts'
import type { BillingStage } from '../../billing/billing-stage.ts'
import { holdingPlace } from '../../chain/wallets.ts'
import type { Findings } from '../findings.ts'
import { beginOf, type Known, priceOf, type TierTerms } from './agreements.ts'
import type { Pulls } from './pulls.ts'

type ShownSubscription = ReturnType<typeof subscriptionEventData>
type ShownCharge = ReturnType<typeof chargeEventData>

/** The recovery of each failure. docs/billing.md, "Charges". */
const RECOVERY: Readonly<Record<string, string>> = {
  insufficient_funds: 'retry',
  account_frozen: 'retry',
  chain_unavailable: 'retry',
  delegate_revoked: 'reapprove',
  delegate_replaced: 'reapprove',
  allowance_insufficient: 'reapprove',
  account_closed: 'reapprove',
  destination_unavailable: 'none',
  platform_error: 'none',
}
/** Statuses in which nothing is charged without an act of a person, and those that a person can manage. */
const STOPPED: ReadonlySet<string> = new Set(['paused', 'revoked', 'exhausted', 'canceled', 'failed'])
const MANAGEABLE: ReadonlySet<string> = new Set([
  'trialing',
  'active',
  'renewal_required',
  'past_due',
  'paused',
  'revoked',
  'exhausted',
])

const isAmount = (value: unknown): boolean => typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value)
const isTime = (value: string | null, time: number | null): boolean =>
  value === null ? time === null : time !== null && Date.parse(value) === time

export function watchReportedBilling(
  { mint }: BillingStage,
  findings: Findings,
  {
    tiers,
    pulls,
  }: {
    readonly tiers: ReadonlyMap<string, TierTerms>
    readonly pulls: Pulls
  },
) {
  /** The stored events, also those that the database has forgotten: they may be on their way. */
  const written = new Set<string>()
  const textOfEvent = (accountId: unknown, type: unknown, data: unknown): string =>
    `${accountId} ${type} ${JSON.stringify(data)}`

  const check = (holds: boolean, data: object, what: string): void =>
    findings.check('an event of a subscription agrees with the chain', holds, () => `${what}: ${JSON.stringify(data)}`)

  const checkSubscription = (own: Known, data: ShownSubscription): void => {
    const { unit_amount, authorized_amount, spent_amount, remaining_amount } = data
    check([unit_amount, authorized_amount, spent_amount, remaining_amount].every(isAmount), data, 'amounts are digits')
    check(BigInt(spent_amount) + BigInt(remaining_amount) === BigInt(authorized_amount), data, 'its slice adds up')
    const terms = tiers.get(data.tier_id)
    check(terms !== undefined && BigInt(unit_amount) === terms.unit, data, 'it has the price of its tier')
    const { discount } = data
    check((discount === null) === (own.coupon === null), data, 'it has the discount of its coupon')
    const isPriced =
      discount === null || terms === undefined || BigInt(discount.amount) === priceOf(terms, own.coupon, 0)
    check(isPriced, data, 'it has the price of its coupon')
    check(data.subscriber_wallet === own.wallet && data.mint === mint.mint, data, 'it has its wallet and token')
    check(data.manageable === MANAGEABLE.has(data.status), data, 'it can be managed in its status')
    const isStopped = STOPPED.has(data.status) || data.cancel_at_period_end
    check(!isStopped || data.billing_stopped, data, 'billing is stopped in its status')
    check(data.billing_stopped === (data.next_charge_at === null), data, 'stopped billing has no next charge')
    check((data.ended_at !== null) === ['canceled', 'failed'].includes(data.status), data, 'it has ended in its status')
    check(isTime(data.trial_ends_at, own.trialEnd), data, 'its trial ends at the agreed time')
    const first = pulls.anchorOf(own.id)
    if (data.current_period_start === null) return
    const [begin, end] = [beginOf(own, first, data.period_index), beginOf(own, first, data.period_index + 1)]
    check(isTime(data.current_period_start, begin), data, 'its period begins by the calendar')
    check(isTime(data.current_period_end, end), data, 'its period ends by the calendar')
  }

  const checkCharge = (own: Known, type: string, data: ShownCharge): void => {
    const { amount, fee_amount, net_amount } = data
    check([amount, fee_amount, net_amount].every(isAmount), data, 'amounts are digits')
    const terms = own.charged.get(data.period_index)
    check(terms !== undefined, data, 'it was planned')
    if (terms !== undefined) checkTerms(terms, data)
    const recovery = data.failure_code === null ? null : RECOVERY[data.failure_code]
    check(data.recovery_action === recovery, data, 'its failure has the documented recovery')
    check((type === 'charge.failed') === (data.failure_code !== null), data, 'a failure has a code')
    if (type === 'charge.succeeded') checkSuccess(own, data)
    else check(data.settled_at === null, data, 'it is not settled')
  }

  const checkTerms = (terms: TierTerms, data: ShownCharge): void => {
    const { amount, fee_amount, net_amount } = data
    const fee = (terms.unit * BigInt(terms.feeBps)) / 10_000n
    check(BigInt(amount) === terms.unit && BigInt(fee_amount) === fee, data, 'it has the price and fee of its tier')
    check(BigInt(net_amount) === terms.unit - fee, data, 'payout and fee add up')
    const { platformWallet } = terms
    check(data.destination_ata === holdingPlace(terms.payoutOwner, mint), data, 'it pays the account of its tier')
    check(
      data.fee_destination === null ||
        (platformWallet !== null && data.fee_destination === holdingPlace(platformWallet, mint)),
      data,
      'its fee goes to the platform',
    )
  }

  const checkSuccess = (own: Known, data: ShownCharge): void => {
    const pull = pulls.landed(own.id).find(({ signature }) => signature === data.signature)
    check(
      pull !== undefined && pulls.isFinal(pull.signature) && pull.period === data.period_index,
      data,
      'its transaction is final',
    )
    check(
      pull?.amount === BigInt(data.amount) && pull.fee === BigInt(data.fee_amount),
      data,
      'its transaction moved its amounts',
    )
    check(isTime(data.settled_at, pull?.time ?? null), data, 'it was settled in the block of its transaction')
  }

  return {
    onApplied(own: Known, events: readonly BillingEvent[]): void {
      for (const event of events) {
        const data =
          'charge' in event
            ? chargeEventData(event.charge, 'solana:localnet')
            : subscriptionEventData(event.subscription)
        // As a receiver reads it.
        const shown: unknown = JSON.parse(JSON.stringify(data))
        written.add(textOfEvent(own.terms.accountId, event.type, shown))
        if ('charge' in event) checkCharge(own, event.type, shown as ShownCharge)
        else checkSubscription(own, shown as ShownSubscription)
      }
    },

    /** Checks an event on its way to a receiver. */
    onSent({ body }: Pick<WebhookRequest, 'body'>): void {
      const { type, data, account } = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
      if (!/^(charge|subscription)\./.test(String(type))) return
      findings.check(
        'a delivered event is the stored event',
        written.has(textOfEvent(account.id, type, data)),
        () => `${type} of ${data.id} in version ${data.version}, ${data.status}`,
      )
    },
  }
}
