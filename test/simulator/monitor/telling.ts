// Watches everything that is told of intents: what is stored with each change, and what webhooks deliver of it.
import type { IntentChange } from '#core/payments/machine/change.ts'
import { intentEventData } from '#core/payments/payload.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { WebhookRequest } from '#ports/events.ts'
import { type Check, checkerOf, type Figures, type Terms } from './figures.ts'
import { readTold, type Told } from './told.ts'
import { checkTold } from './told-figures.ts'

const textOf = (figure: unknown): string =>
  JSON.stringify(figure, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

export type Telling = ReturnType<typeof watchTelling>

export function watchTelling(figures: Figures) {
  const { findings } = figures
  const terms = new Map<string, Terms>()
  /** What was written with each event, by intent, type and version. */
  const written = new Map<string, string>()
  /** What each intent was when it changed last. */
  const newest = new Map<string, Told>()
  const nameOf = (id: unknown, type: unknown, version: unknown): string => `${id} ${type} ${version}`

  const checkIntent = (intent: PaymentIntent, when: string): Told => {
    const data: unknown = JSON.parse(JSON.stringify(intentEventData(intent)))
    const told = readTold(data)
    const agreed = terms.get(told.id)
    findings.check('the terms of a payment do not change', agreed !== undefined, () => `${told.id} was never made`)
    if (agreed !== undefined) checkTold(figures, told, agreed, when)
    return told
  }

  const noteEvent = (type: string, intent: PaymentIntent): void => {
    written.set(nameOf(intent.id, type, intent.version), JSON.stringify(intentEventData(intent)))
  }

  /** A choice and its price change by a new choice alone. */
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

  return {
    terms,
    onCreated(intent: PaymentIntent): void {
      terms.set(intent.id, {
        accountId: intent.accountId,
        address: intent.address,
        priceUsdCents: intent.priceUsdCents,
        feeBps: intent.marketplaceFeeBps,
        expiresAt: intent.expiresAt.getTime(),
      })
      noteEvent('intent.created', intent)
      newest.set(intent.id, checkIntent(intent, 'when created'))
    },

    onApplied(change: IntentChange): void {
      checkChoice(change)
      for (const { type, intent } of change.events) {
        noteEvent(type, intent)
        const told = checkIntent(intent, type)
        const check = checkerOf(figures, told, type)
        check('what is told belongs to its payment', told.id === change.before.id, () => told.id)
      }
      newest.set(change.after.id, checkIntent(change.after, 'as stored'))
    },

    /** The API answers what stands there now. A status tells no version. */
    checkAnswer(told: Told, check: Check): void {
      const last = newest.get(told.id)
      if (last === undefined) return
      const written = new Map(Object.entries(last))
      for (const [name, value] of Object.entries(told)) {
        if (name === 'version') continue
        const [is, was] = [textOf(value), textOf(written.get(name))]
        check('an answer is what was written last', is === was, () => `${name} is ${is}, and was written as ${was}`)
      }
    },

    /** What is on its way to a receiver. */
    onSent({ body }: Pick<WebhookRequest, 'body'>): void {
      const envelope = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
      const { type, data, account } = envelope
      if (!String(type).startsWith('intent.')) return
      const agreed = terms.get(String(data.id))
      findings.check(
        'what is delivered is what was written',
        written.get(nameOf(data.id, type, data.version)) === JSON.stringify(data) && agreed?.accountId === account.id,
        () => `${type} of ${data.id} in version ${data.version}, ${data.status}`,
      )
    },
  }
}
