// Checks all shown data of intents: the events that are stored with each change, and the webhooks that deliver them.
import type { IntentChange } from '#core/payments/change.ts'
import { intentEventData } from '#core/payments/payload.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { WebhookRequest } from '#ports/events.ts'
import { type Check, checkerOf, type Figures, type Terms } from './figures.ts'
import type { Memory } from './memory.ts'
import { watchMissingEvents } from './missing-events.ts'
import { watchNeedlessEvents } from './needless-events.ts'
import { type Reported, readReported } from './reported.ts'
import { checkReported } from './reported-figures.ts'
import { textOf } from './text-of.ts'

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
      checkAnswer(reported, checkerOf(figures, reported, 'as answered'))
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
