import { expect, test } from 'vitest'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'
import { renderEnvelope, type StoredEvent } from '#core/events/envelope.ts'
import { API_VERSION, registerEventSubjects } from '#core/events/subjects.ts'
import { intentEventData } from '#core/payments/payload.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { SubscriptionWorld } from '../../support/subscription-world.ts'

const event: StoredEvent = {
  id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
  type: 'intent.created',
  subjectKind: 'payment',
  network: 'live',
  createdAt: new Date('2026-11-20T12:00:00.250Z'),
  data: intentToJson(pendingIntent),
  account: { id: pendingIntent.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
}

const render = (one: StoredEvent) => renderEnvelope(one, EVENT_SUBJECTS, 'solana:mainnet')

test('an envelope says what happened, when, to whom, and carries the rendered snapshot', () => {
  expect(render(event)).toEqual({
    id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
    type: 'intent.created',
    timestamp: '2026-11-20T12:00:00.250Z',
    api_version: API_VERSION,
    livemode: true,
    account: { id: pendingIntent.accountId, name: 'Corner Shop', is_seller: false, external_id: null },
    data: intentEventData(pendingIntent),
  })
})

test('a test account is not livemode', () => {
  expect(render({ ...event, network: 'test' }).livemode).toBe(false)
})

test("a seller's event says so, with the name that the marketplace gave it", () => {
  const account = { id: 'a', name: 'Potter', isSeller: true, externalId: 'seller-7' }
  expect(render({ ...event, account }).account).toEqual({
    id: 'a',
    name: 'Potter',
    is_seller: true,
    external_id: 'seller-7',
  })
})

/** A snapshot of each other subject, by the first word of its types. */
const BILLED = SubscriptionWorld.active()
const ABOUT: Readonly<Record<string, { readonly subjectKind: string; readonly data: unknown }>> = {
  webhook: { subjectKind: 'account', data: {} },
  business: {
    subjectKind: 'payout',
    data: {
      before: null,
      after: pendingIntent.address,
      effectiveAt: null,
      actor: { kind: 'operator', credential: null, ip: '192.0.2.1' },
    },
  },
  subscription: { subjectKind: 'subscription', data: record(SUBSCRIPTION_FIELDS).write(BILLED.subscription) },
  charge: { subjectKind: 'charge', data: record(CHARGE_FIELDS).write(BILLED.latest) },
}

test.each(EVENT_SUBJECTS.types)('%s can be rendered', (type) => {
  const [subjectKind = ''] = type.split('.')
  const about = ABOUT[subjectKind] ?? {}
  expect(render({ ...event, type, ...about })).toMatchObject({ type, data: expect.any(Object) })
})

test.each([
  ['an unknown type', { ...event, type: 'moon.landed' }],
  ['a type of another subject', { ...event, subjectKind: 'account' }],
  ['an unknown subject', { ...event, subjectKind: 'moon' }],
  ['a snapshot of another shape', { ...event, data: { hello: 'world' } }],
])('%s is refused rather than guessed', (_, broken) => {
  expect(() => render(broken)).toThrow(RangeError)
})

test('two subjects cannot have one name, nor one type', () => {
  const moon = { kind: 'moon', types: ['moon.landed'], render: () => ({}) }
  expect(registerEventSubjects([moon]).types).toEqual(['moon.landed'])
  expect(() => registerEventSubjects([moon, { ...moon, types: ['moon.left'] }])).toThrow('one name')
  expect(() => registerEventSubjects([moon, { ...moon, kind: 'sun' }])).toThrow('one name')
})
