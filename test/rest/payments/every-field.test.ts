// A field of a payment is shown by webhooks, by REST and by GraphQL, or it is named here as one that is not.
import { readFileSync } from 'node:fs'
import { type FieldNode, isInterfaceType, Kind, parse } from 'graphql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { intentEventData } from '#core/payments/payload.ts'
import { FIELD_NAMES, INTENT_FIELDS } from '#core/payments/payment-intent.ts'
import { schema } from '#graphql/schema.ts'
import { fullIntent } from '../../support/example-intent.ts'
import { CLIENT_SECRET, startTestService, type TestService, withKey } from '../../support/services.ts'

let service: TestService
beforeAll(async () => {
  const answer = async () => fullIntent
  service = await startTestService({ services: { intents: { findByIndex: answer, checkoutStatus: answer } } })
})
afterAll(() => service.close())

/** Every key at any depth, as a path. */
const pathsOf = (value: unknown, path = ''): string[] =>
  typeof value !== 'object' || value === null
    ? [path]
    : Object.entries(value).flatMap(([key, part]) => pathsOf(part, Array.isArray(value) ? path : `${path}.${key}`))

it('a status has every field of an event but the version, and for the buyer without the metadata and the tolerance', async () => {
  const { version: _, ...data } = intentEventData(fullIntent)
  const { metadata: _metadata, underpayment_tolerance_bps: _tolerance, ...buyers } = data
  for (const [path, shown] of [
    ['/status?index=42', data],
    [`/intents/status?client_secret=${CLIENT_SECRET}`, buyers],
  ] as const) {
    const { status, body } = await service.get(path, withKey())
    expect(status).toBe(200)
    expect([...new Set(pathsOf(body))].toSorted()).toEqual([...new Set(pathsOf(shown))].toSorted())
  }
})

it('an event has every field of a payment but those that are for the service alone', () => {
  const hidden = FIELD_NAMES.filter((name) => INTENT_FIELDS[name].shown === 'never')
  expect(hidden).toEqual(['network', 'accountId', 'callerAccountId', 'acceptedAssets', 'statusReason', 'payeeLabel'])
})

it('REST asks for every field of the interface Payment but those that only GraphQL shows', () => {
  const { definitions } = parse(
    readFileSync(new URL('../../../src/rest/payments/payment.graphql', import.meta.url), 'utf8'),
  )
  const asked = definitions.flatMap((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION && definition.typeCondition.name.value.startsWith('Payment')
      ? definition.selectionSet.selections.filter((node): node is FieldNode => node.kind === Kind.FIELD)
      : [],
  )
  const payment = schema.getType('Payment')
  const fields = isInterfaceType(payment) ? Object.keys(payment.getFields()) : []
  const names = new Set(asked.map(({ name }) => name.value))
  expect(fields.filter((name) => !names.has(name)).toSorted()).toEqual([
    'acceptedAssets',
    'asset',
    'isCovered',
    'network',
    'receipt',
    'version',
  ])
})
