// Checks what wallets agree to: each approve that the fee payer signs, each signed text, and each new authorization.
// docs/billing.md, "Authorization", "Wallet proofs" and "Changes of terms".
import type { BillingChange } from '#core/billing/machine/change.ts'
import type { Address, Signature } from '#core/chain/types.ts'
import type { GivenConsent } from '#ports/billing.ts'
import type { ApprovalStore } from '#ports/checkouts.ts'
import type { Signer } from '#ports/transactions.ts'
import type { BillingStage } from '../../billing/billing-stage.ts'
import { timeOf } from '../../chain/chain.ts'
import type { Landed } from '../../chain/landed.ts'
import { delegationIn } from '../../chain/raw.ts'
import { holdingPlace } from '../../chain/wallets.ts'
import { replaced, type WorldPorts } from '../../ports.ts'
import { virtualNow } from '../../virtual-time.ts'
import type { Ground } from '../../world.ts'
import type { watchChanges } from '../changes.ts'
import type { Findings } from '../findings.ts'
import type { Memory } from '../memory.ts'
import { OUTSTANDING } from '../transitions.ts'
import {
  type Acts,
  beginOf,
  type CouponTerms,
  chargesIn,
  type Known,
  priceOf,
  remaining,
  sumOf,
  type TierTerms,
} from './agreements.ts'
import type { Pulls } from './pulls.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A provider may be this far behind: an act of the owner may look undone. */
export const STALE_MS = 10 * MINUTE_MS

/** By unit of an interval, for the price of a day: ten-thousandths of a day. */
const LENGTHS = { day: 10_000n, week: 70_000n, month: 304_375n, year: 3_652_500n }

type Prepare = Parameters<ApprovalStore['prepare']>

export type Consents = ReturnType<typeof watchConsents>

export function watchConsents(
  { chain, trace }: Pick<Ground, 'chain' | 'trace'>,
  stage: BillingStage,
  findings: Findings,
  memory: Memory,
  parts: {
    readonly known: ReadonlyMap<string, Known>
    readonly tiers: ReadonlyMap<string, TierTerms>
    readonly coupons: ReadonlyMap<string, CouponTerms>
    readonly pulls: Pulls
    readonly acts: { readonly account: Acts; readonly change: Acts }
    readonly clocksAgree: () => boolean
    readonly changes: Pick<ReturnType<typeof watchChanges>, 'checkLedger'>
  },
) {
  const { known, tiers, coupons, pulls, acts, clocksAgree } = parts
  /** By id: the approves and revocations that the fee payer has signed. And the messages that were stored. */
  const approves = new Map<string, Signature>()
  const messages = new Set<string>()
  /** By approve: the slice that it is for, in base units. */
  const agreed = new Map<string, bigint>()
  /** By signature: the texts that wallets have signed. */
  const texts = new Map<
    string,
    { readonly subscriptionId: string; readonly total: bigint; readonly trialDays: number }
  >()
  const usedTexts = memory.set<string>()
  /** The wallets and fees of the sponsored transactions that landed. */
  const sponsored = new Map<Signature, { readonly wallet: Address; readonly fee: bigint }>()
  const walletOf = new Map<Signature, Address>()
  /** The transactions whose rows the database has forgotten. */
  const forgotten = new Set<Signature>()

  const claimOf = (own: Known): bigint => (OUTSTANDING.has(own.status) ? remaining(own) : own.submitted)

  const ofWallet = (wallet: Address): readonly Known[] => [...known.values()].filter((one) => one.wallet === wallet)

  /** What the subscriptions of a wallet may still take. */
  const outstanding = (wallet: Address): bigint => ofWallet(wallet).reduce((sum, one) => sum + claimOf(one), 0n)

  /** What they may take without being resumed first. A paused one stays paused without cover, until a charge revokes it. */
  const charging = (wallet: Address): bigint =>
    ofWallet(wallet).reduce((sum, one) => (one.status === 'paused' ? sum : sum + claimOf(one)), 0n)

  /** What was pulled of a wallet, and is not booked yet. */
  const unbooked = (wallet: Address): bigint =>
    ofWallet(wallet).reduce(
      (sum, one) => sum + pulls.landed(one.id).reduce((all, pull) => all + pull.amount, -one.booked),
      0n,
    )

  const allowanceOf = (wallet: Address): bigint => {
    const { delegate, amount } = delegationIn(chain.accountAt(holdingPlace(wallet, stage.mint), chain.tip))
    return delegate === stage.delegate ? amount : 0n
  }

  /** Whether the allowance is enough for everything outstanding now. */
  const isCovered = (wallet: Address): boolean => allowanceOf(wallet) + unbooked(wallet) >= outstanding(wallet)

  /** Whether the allowance is enough for a subscription and for each older one of its wallet, which is covered first. */
  const isCoveredAfterOlder = (own: Known): boolean => {
    const older = ofWallet(own.wallet).filter((one) => one.createdAt < own.createdAt - MINUTE_MS)
    const needed = older.reduce((sum, one) => sum + claimOf(one) - one.submitted, claimOf(own))
    return allowanceOf(own.wallet) + unbooked(own.wallet) >= needed
  }

  /** Whether the owner or the issuer has acted on the account of a wallet since its last sponsored transaction that had an effect. */
  const isTouched = (wallet: Address): boolean => {
    const last = [...sponsored].flatMap(([signature, one]) => {
      const landed = one.wallet === wallet ? chain.landed(signature) : null
      return landed === null || landed.error !== null ? [] : [timeOf(landed.slot).getTime()]
    })
    return acts.account.since(wallet, Math.max(0, ...last) - STALE_MS)
  }

  /** Only the owner of a wallet makes its allowance too small: by an act since the last sponsored transaction. */
  const checkCovered = (wallet: Address): void => {
    findings.check(
      'the allowance covers what is outstanding',
      isCovered(wallet) || isTouched(wallet),
      () => `${wallet}: ${outstanding(wallet)} outstanding, ${unbooked(wallet)} not booked yet`,
    )
  }

  /** Returns the slice that new terms give, in base units. A change keeps the number of the periods that are left. */
  const sliceFor = (own: Known, terms: TierTerms, kind: 'change' | 'renew'): bigint => {
    const { coupon, paid } = own
    const charges = kind === 'renew' ? terms.periods : chargesIn(remaining(own), own.terms, coupon, paid)
    return sumOf(terms, coupon, paid, charges)
  }

  /** Whether new terms take more than the old: for a period, for a day, or of the allowance. */
  const raises = (own: Known, to: TierTerms, slice: bigint): boolean => {
    const from = own.terms
    const length = ({ interval, intervalCount }: TierTerms): bigint => LENGTHS[interval] * BigInt(intervalCount)
    const isMore = (of: (terms: TierTerms) => bigint): boolean =>
      of(to) > of(from) || of(to) * length(from) > of(from) * length(to)
    return isMore(({ unit }) => unit) || isMore((one) => priceOf(one, own.coupon, own.paid)) || slice > remaining(own)
  }

  /** Whether the approve is final on the chain. */
  const isLanded = (approvalId: string): boolean => {
    const signature = approves.get(approvalId)
    const landed = signature === undefined ? null : chain.landed(signature)
    return landed !== null && landed.error === null && landed.slot <= chain.finalized
  }

  /** What pulls have taken of an approve since it landed. */
  const pulledAfter = (own: Known, approvalId: string): bigint => {
    const signature = approves.get(approvalId)
    const slot = signature === undefined ? undefined : chain.landed(signature)?.slot
    if (slot === undefined) return 0n
    const after = pulls.landed(own.id).filter((pull) => (chain.landed(pull.signature)?.slot ?? 0n) > slot)
    return after.reduce((sum, { amount }) => sum + amount, 0n)
  }

  const rule = 'an authorization changes with the consent of the wallet'

  /** A change of the tier, and a renewal, begin a new slice. Only the owner of the wallet can agree to more than before. */
  const onTerms = (own: Known, { before, after }: BillingChange, consent: GivenConsent | null): void => {
    if (before === null || before.status === 'incomplete') return
    const isOtherTier = after.tierId !== before.tierId
    const isOther = isOtherTier || after.earlierAmount !== before.earlierAmount
    if (consent === null && !isOther) {
      findings.check(
        rule,
        after.authorizedAmount === before.authorizedAmount,
        () => `${own.id} has ${after.authorizedAmount} by itself, after ${before.authorizedAmount}`,
      )
      return
    }
    const terms = tiers.get(after.tierId)
    findings.check(
      'no tenant reaches a subscription of another',
      terms?.accountId === own.terms.accountId,
      () => `${own.id} is on tier ${after.tierId}`,
    )
    if (terms === undefined) return
    const slice = after.authorizedAmount
    const byApprove = consent?.by === 'approve' ? agreed.get(consent.end.approvalId) : undefined
    const pulled = consent?.by === 'approve' ? pulledAfter(own, consent.end.approvalId) : 0n
    // The pull of a charge that is submitted may have landed, and is not booked yet.
    const booked = pulled > own.submitted ? pulled - own.submitted : 0n
    const left = [pulled, booked].map((taken) => (byApprove ?? 0n) - taken)
    const expected = sliceFor(own, terms, isOtherTier ? 'change' : 'renew')
    const isExpected = [expected, ...(byApprove === undefined ? [] : left)].includes(slice)
    const isAgreed =
      consent === null
        ? isOtherTier && acts.change.since(own.id, 0) && !raises(own, terms, slice)
        : consent.by === 'proof' || isLanded(consent.end.approvalId)
    findings.check(
      rule,
      isExpected && isAgreed && (byApprove === undefined || slice <= byApprove - booked),
      () =>
        `${own.id} has a slice of ${slice} by ${consent?.by ?? 'nothing'}, after ${remaining(own)}; expected ` +
        `${expected}, approved ${byApprove}, pulled ${pulled} since`,
    )
    own.granted = own.booked + slice
    if (isOtherTier) changeTerms(own, terms, after.periodIndex)
  }

  /** Another rhythm begins its calendar at the end of the current period. */
  const changeTerms = (own: Known, terms: TierTerms, current: number): void => {
    const isSame = terms.interval === own.terms.interval && terms.intervalCount === own.terms.intervalCount
    own.terms = terms
    if (isSame) return
    const first = pulls.anchorOf(own.id)
    const [begin, anchor] = [beginOf(own, first, current), beginOf(own, first, current + 1)]
    findings.check(
      'nothing is pulled before its period begins',
      !clocksAgree() || (begin !== null && begin <= virtualNow() + MINUTE_MS),
      () => `${own.id} changes its rhythm in period ${current}, which has not begun`,
    )
    own.calendars.push({ rhythm: terms, from: current + 1, anchor })
  }

  const onPrepared = ([approval, { delegation, checkout }]: Prepare): void => {
    const { purpose } = approval
    messages.add(Buffer.from(approval.message).toString('base64'))
    const own = known.get(approval.subscriptionId)
    const claimed = outstanding(delegation.wallet)
    const expected =
      purpose.kind === 'revoke'
        ? claimed === 0n
          ? [0n]
          : []
        : slicesOf(own, approval, checkout?.after ?? null).map(
            // A change of terms replaces the slice of its subscription.
            (slice) => claimed - (checkout === null && own !== undefined ? claimOf(own) : 0n) + slice,
          )
    findings.check(
      'an approve is for everything outstanding and the new slice',
      expected.includes(approval.total),
      () => `${purpose.kind} of ${approval.total} for ${delegation.wallet}, and not ${expected.join(' or ')}`,
    )
    if ('agreed' in purpose) agreed.set(approval.id, purpose.agreed.slice)
  }

  const slicesOf = (
    own: Known | undefined,
    { purpose }: Prepare[0],
    checkout: { readonly tierId: string; readonly couponId: string | null } | null,
  ): readonly bigint[] => {
    if (purpose.kind === 'change' || purpose.kind === 'renew') {
      const terms = tiers.get(purpose.agreed.tierId)
      return own === undefined || terms === undefined ? [] : [sliceFor(own, terms, purpose.kind)]
    }
    const terms = checkout === null ? own?.terms : tiers.get(checkout.tierId)
    const coupon = checkout === null ? own?.coupon : coupons.get(checkout.couponId ?? '')
    return terms === undefined ? [] : [sumOf(terms, coupon ?? null, 0, terms.periods)]
  }

  /** A text counts once, for its subscription and its total, and only with room for all of it. */
  const onConsent = (id: string, consent: GivenConsent | null, isCheckout: boolean): void => {
    const own = known.get(id)
    if (consent?.by !== 'proof' || own === undefined) return
    const signature = Buffer.from(consent.proof.signature).toString('base64')
    const text = texts.get(signature)
    const isFresh = !usedTexts.has(signature)
    usedTexts.add(signature)
    findings.check(
      'a signed text is used once, for what it states',
      isFresh && text?.subscriptionId === id && text.total === remaining(own),
      () => `${id} of ${remaining(own)}: the text is for ${text?.subscriptionId} and ${text?.total}`,
    )
    findings.check(
      'the allowance covers what is outstanding',
      isCovered(own.wallet) || acts.account.since(own.wallet, virtualNow() - STALE_MS),
      () => `${own.wallet} has signed a text for ${id}; ${outstanding(own.wallet)} outstanding`,
    )
    if (!isCheckout) return
    findings.check(
      'a wallet has one trial of a product',
      text?.trialDays === (own.trialEnd === null ? 0 : own.terms.trialDays),
      () => `${id} until ${own.trialEnd}: the text is for ${text?.trialDays} days`,
    )
  }

  const checkBudget = ({ slot }: Landed): void => {
    if (!clocksAgree()) return
    const from = timeOf(slot).getTime() - DAY_MS + STALE_MS
    const spent = [...sponsored].reduce((sum, [signature, { fee }]) => {
      const one = chain.landed(signature)
      return one !== null && timeOf(one.slot).getTime() >= from && !forgotten.has(signature) ? sum + fee : sum
    }, 0n)
    findings.check(
      'the sponsor stays within its budget',
      spent <= stage.sponsorLamportsPerDay,
      () => `${spent} lamports in a day`,
    )
  }

  return {
    texts,
    outstanding,
    charging,
    checkCovered,
    isTouched,
    onTerms,
    onConsent,
    /** A charge takes nothing that an older subscription needs. Called when its transaction is stored, before it is sent. */
    onSigned(own: Known): void {
      if (!clocksAgree()) return
      findings.check(
        'a charge takes what its own subscription is covered by',
        isCoveredAfterOlder(own) || acts.account.since(own.wallet, virtualNow() - STALE_MS),
        () => `${own.id} of ${own.wallet}: ${outstanding(own.wallet)} outstanding, ${allowanceOf(own.wallet)} allowed`,
      )
    },
    isSponsored: (signature: Signature): boolean => walletOf.has(signature),
    /** After a failover: the database has only these approvals. */
    onForgotten(kept: ReadonlySet<string>): void {
      for (const [id, signature] of approves) if (!kept.has(id)) forgotten.add(signature)
    },
    isForgotten: (signature: Signature): boolean => forgotten.has(signature),
    /** The fee payer signs an approve only when its message is stored. */
    watchSponsor: (signer: Signer): Signer =>
      replaced(signer, {
        async sponsor(plan, message) {
          const isStored = messages.has(Buffer.from(message).toString('base64'))
          findings.check('the sponsor signs nothing but stored approves', isStored, () => `for ${plan.owner}`)
          return await signer.sponsor(plan, message)
        },
      }),

    watch({ approvals }: Pick<WorldPorts, 'approvals'>): Pick<WorldPorts, 'approvals'> {
      const wallets = new Map<string, Address>()
      return {
        approvals: replaced(approvals, {
          async prepare(...given) {
            const outcome = await approvals.prepare(...given)
            if (outcome === 'stored') onPrepared(given)
            if (outcome === 'stored') wallets.set(given[0].id, given[1].delegation.wallet)
            return outcome
          },
          async recordSponsored(id, signature) {
            const outcome = await approvals.recordSponsored(id, signature)
            const wallet = wallets.get(id)
            if (outcome === 'recorded') approves.set(id, signature)
            if (outcome === 'recorded' && wallet !== undefined) walletOf.set(signature, wallet)
            return outcome
          },
          async end(end, effect) {
            const done = await approvals.end(end, effect)
            if (done) parts.changes.checkLedger(effect.ledger)
            if (done) trace.note(`approve ${end.approvalId.slice(0, 8)} ends: ${end.state}`)
            return done
          },
        }),
      }
    },

    onLanded(landed: Landed): void {
      const { signature, fee } = landed
      const wallet = walletOf.get(signature)
      if (wallet === undefined) return
      sponsored.set(signature, { wallet, fee })
      checkBudget(landed)
      checkCovered(wallet)
    },
  }
}
