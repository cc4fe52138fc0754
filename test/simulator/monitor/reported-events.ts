// Checks all shown data of intents: the events that are stored with each change, and the webhooks that deliver them.

import { SOL } from '#core/chain/types.ts'
import type { IntentChange } from '#core/payments/change.ts'
import { intentEventData } from '#core/payments/payload.ts'
import type { Deposit, PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentEventType } from '#core/payments/transitions.ts'
import type { WebhookRequest } from '#ports/events.ts'
import { NETWORK_FEE, type Stage } from '../stage.ts'
import { type Check, checkerOf, type Figures, type Terms } from './figures.ts'
import { type Findings, textOf } from './findings.ts'
import type { Memory } from './memory.ts'
import { type Reported, readReported } from './reported.ts'
import { checkReported } from './reported-figures.ts'
import { lamportsWorth } from './spend.ts'

// Checks that each event shows something new. Dust costs a stranger hardly anything, so only the first of it has an event.
// docs/contract.md, "Dust"; docs/limits.md, "Records and load".

const NEEDLESS_RULE = 'an event shows something new'

/** In lamports. A refund has two signatures and repays the network fee, so this is too small to return at any priority fee. */
const SMALL = 10_000n + NETWORK_FEE

/** A token may have no price at the moment, and then no amount of it is known to be small. */
const isSmall = ({ asset, amount }: Deposit): boolean => asset === SOL && amount <= SMALL

/** What these events are about. */
const SUBJECTS: Readonly<Partial<Record<IntentEventType, (intent: PaymentIntent) => unknown>>> = {
  'intent.settlement_updated': ({ settlement, received }) => [settlement, received],
  'intent.token_refund_updated': ({ tokenRefunds }) => tokenRefunds,
}

const keyOf = ({ signature, account, asset }: Deposit): string => `${signature} ${account} ${asset}`

const isLate = ({ use }: Deposit): boolean => use === 'late'

function watchNeedlessEvents(findings: Findings, memory: Memory) {
  /** By payment: its late payments, as they were written last. */
  const known = memory.map<string, ReadonlyMap<string, Deposit>>()

  const checkLate = ({ before, deposits, events }: IntentChange): void => {
    const earlier = new Map(known.get(before.id))
    if (events.some(({ type }) => type === 'intent.late_payment')) {
      const hasSmall = [...earlier.values()].some(isSmall)
      const fresh = deposits.filter((deposit) => isLate(deposit) && !earlier.has(keyOf(deposit)))
      findings.check(
        NEEDLESS_RULE,
        fresh.some((deposit) => !isSmall(deposit) || !hasSmall),
        () => `intent ${before.derivationIndex}: a late payment of ${fresh.map(({ amount }) => amount).join(', ')}`,
      )
    }
    for (const deposit of deposits) {
      if (isLate(deposit)) earlier.set(keyOf(deposit), deposit)
      else earlier.delete(keyOf(deposit))
    }
    known.set(before.id, earlier)
  }

  const checkSubjects = ({ before, events }: IntentChange): void => {
    let last = before
    for (const { type, intent } of events) {
      const subjectOf = SUBJECTS[type]
      if (subjectOf !== undefined) {
        const [was, is] = [textOf(subjectOf(last)), textOf(subjectOf(intent))]
        findings.check(NEEDLESS_RULE, was !== is, () => `intent ${intent.derivationIndex}: ${type} shows ${is} again`)
      }
      last = intent
    }
  }

  return {
    onApplied(change: IntentChange): void {
      checkLate(change)
      checkSubjects(change)
    },
  }
}

// Checks that what is new is in an event. The smallest payments are left out: only the first of them has one.
// docs/webhooks.md, "Refunds, late payments and held money".

const NEW_RULE = 'what is new has an event'

/** In lamports: worth more than the return of a payment ever costs. */
const LARGE = 60_000n

function watchMissingEvents(stage: Pick<Stage, 'mints'>, findings: Findings, memory: Memory) {
  /** By payment: the deposits that are known. */
  const known = memory.map<string, Set<string>>()

  const isLarge = ({ asset, amount }: Deposit): boolean => lamportsWorth(stage, asset, amount) > LARGE

  return {
    onApplied({ before, after, deposits, events }: IntentChange): void {
      const earlier = known.get(before.id) ?? new Set()
      known.set(before.id, earlier)
      // More of a wrong token has no event while the token has no price, which an instance may not have.
      const fresh = deposits.filter((deposit) => {
        const { signature, asset, use } = deposit
        const isKnown = earlier.has(`${signature} ${asset}`) || (use === 'wrong_asset' && earlier.has(asset))
        return isLarge(deposit) && use !== 'unaccepted' && !isKnown
      })
      for (const { signature, asset } of deposits) earlier.add(`${signature} ${asset}`).add(asset)
      const check = (holds: boolean, what: () => string): void =>
        findings.check(NEW_RULE, holds, () => `intent ${before.derivationIndex} (${after.status}): ${what()}`)
      check(fresh.length === 0 || events.length > 0, () =>
        fresh.map(({ use, amount }) => `${use} ${amount}`).join(', '),
      )
      // The amounts of a settlement are those of the newest event.
      const shown: PaymentIntent = events.at(-1)?.intent ?? before
      const [is, was] = [after.settlement, shown.settlement].map(textOf)
      check(is === was, () => `the settlement is ${is}, and ${was} is in an event`)
    },
  }
}

export type ReportedEvents = ReturnType<typeof watchReportedEvents>

export function watchReportedEvents(figures: Figures, memory: Memory) {
  const { findings } = figures
  const needless = watchNeedlessEvents(findings, memory)
  const missing = watchMissingEvents(figures.stage, findings, memory)
  const terms = new Map<string, Terms>()
  /** The stored events, also those that the database has forgotten: they may be on their way. */
  const written = new Set<string>()
  /** The latest state of each intent. */
  const newest = memory.map<string, Reported>()
  const textOfEvent = (type: unknown, data: object): string => `${type} ${JSON.stringify(data)}`

  const checkIntent = (intent: PaymentIntent, when: string): Reported => {
    const data: unknown = JSON.parse(JSON.stringify(intentEventData(intent)))
    const reported = readReported(data)
    const agreed = terms.get(reported.id)
    findings.check(
      'the terms of a payment do not change',
      agreed !== undefined,
      () => `${reported.id} was never created`,
    )
    if (agreed !== undefined) checkReported(figures, reported, agreed, when)
    return reported
  }

  const noteEvent = (type: string, intent: PaymentIntent): void => {
    written.add(textOfEvent(type, intentEventData(intent)))
  }

  /** A selection and its amount change only by a new selection. */
  const checkChoice = (change: IntentChange): void => {
    let last = change.before.selection
    for (const { type, intent } of [...change.events, { type: null, intent: change.after }]) {
      const { selection } = intent
      const isSame = selection?.asset === last?.asset && selection?.expected === last?.expected
      findings.check(
        'the terms of a payment do not change',
        isSame || type === 'intent.token_selected',
        () => `intent ${intent.derivationIndex}: ${last?.expected} became ${selection?.expected} with ${type}`,
      )
      last = selection
    }
  }

  /** The API answers the current state. A status has no version. */
  const checkAnswer = (reported: Reported, check: Check): void => {
    const last = newest.get(reported.id)
    if (last === undefined) return
    const written = new Map(Object.entries(last))
    for (const [name, value] of Object.entries(reported)) {
      if (name === 'version') continue
      const [is, was] = [textOf(value), textOf(written.get(name))]
      check('an answer shows the newest state', is === was, () => `${name} is ${is}, and was written as ${was}`)
    }
  }

  return {
    terms,
    onCreated(intent: PaymentIntent): void {
      terms.set(intent.id, {
        accountId: intent.accountId,
        address: intent.address,
        priceUsdCents: intent.priceUsdCents,
        feeBps: intent.marketplaceFeeBps,
        toleranceBps: intent.underpaymentToleranceBps,
        createdAt: intent.createdAt.getTime(),
        expiresAt: intent.expiresAt.getTime(),
      })
      noteEvent('intent.created', intent)
      newest.set(intent.id, checkIntent(intent, 'when created'))
    },

    onApplied(change: IntentChange): void {
      checkChoice(change)
      needless.onApplied(change)
      missing.onApplied(change)
      for (const { type, intent } of change.events) {
        noteEvent(type, intent)
        const reported = checkIntent(intent, type)
        const check = checkerOf(figures, reported, type)
        check('shown data belongs to its payment', reported.id === change.before.id, () => reported.id)
      }
      newest.set(change.after.id, checkIntent(change.after, 'as stored'))
    },

    checkAnswer,

    /** Checks an answer of the API while the payment is under way, unless the payment changes meanwhile. */
    async checkLook(intentId: string, look: () => Promise<Reported | null>): Promise<void> {
      const before = newest.get(intentId)
      const reported = await look()
      if (reported === null || before === undefined || newest.get(intentId) !== before) return
      // A buyer does not see the tolerance.
      const { toleranceBps } = before
      checkAnswer({ ...reported, toleranceBps }, checkerOf(figures, reported, 'as answered'))
    },

    /** Checks an event on its way to a receiver. */
    onSent({ body }: Pick<WebhookRequest, 'body'>): void {
      const envelope = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
      const { type, data, account } = envelope
      if (!String(type).startsWith('intent.')) return
      const agreed = terms.get(String(data.id))
      findings.check(
        'a delivered event is the stored event',
        written.has(textOfEvent(type, data)) && agreed?.accountId === account.id,
        () => `${type} of ${data.id} in version ${data.version}, ${data.status}`,
      )
    },
  }
}
