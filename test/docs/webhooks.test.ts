// What docs/webhooks.md shows is what the service does: its example, its schedule, and its code.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAddress, makeSignature } from '#core/chain/base58.ts'
import { renderEnvelope } from '#core/events/envelope.ts'
import { MAX_DELIVERY_ATTEMPTS, RETRY_DELAYS_MS } from '#core/events/retry-schedule.ts'
import { makeBaseUnits, makeUsdCents } from '#core/money/amounts.ts'
import { intentToJson } from '#core/payments/codec.ts'
import { WEBHOOK_EVENT_TYPES } from '#core/payments/event-types.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { SHOWN_WHOLE } from '#core/payments/returns/newest.ts'
import { formatWebhookSecret, signWebhook } from '#services/events/signature.ts'

const docs = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')

/** What follows a mark: the inside of a code block, or a table. */
function marked(mark: string): string {
  const [, rest] = docs.split(`<!-- ${mark} -->\n`)
  if (rest === undefined) throw new Error(`docs/webhooks.md has no mark ${mark}`)
  return rest.startsWith('```') ? (rest.split(/^```.*\n/m)[1] ?? '') : (rest.split('\n\n')[0] ?? '')
}

const signature = makeSignature(
  '4JeBrmYAiTXBfLC6zMaUrMWoMEtWt9BCQACqGGpxDsqzH47e89nKy6ooxjPEdsSrL3LspE7cMp3UufN79PQZ9BNG',
)
const merchant = makeAddress('BfbvQP92h3HQ7a8h7gCnyRZPfkvUnEH9uW6VshgaFT9A')
const feePayer = makeAddress('6YAz9ksiJ6rvKMm9vMajVJdfK7RwfnhmAysQEEMB98S2')
const sol = { mint: null, asset: 'SOL', decimals: 9, feeBps: null, signature } as const

const swept: PaymentIntent = {
  id: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a11',
  network: 'live',
  accountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  callerAccountId: '0b9d7f4e-93b4-4a0a-8f0a-5f3a52b1d001',
  derivationIndex: 42,
  address: makeAddress('EB2z7jfRUeWEd2DpSp6vPFAhcMmdVSQL1EXgJUKWbbEA'),
  priceUsdCents: makeUsdCents(2500),
  acceptedAssets: ['SOL'],
  selection: { asset: 'SOL', decimals: 9, expected: makeBaseUnits(166_666_667) },
  received: makeBaseUnits(166_666_667),
  status: 'swept',
  statusReason: null,
  reference: 'order-1001',
  expiresAt: new Date('2026-11-20T12:10:00.000Z'),
  refundSender: makeAddress('AWxggjuZRmWULwxwPeM6ZZxRtdDdekVq22mFRx2QbW7U'),
  marketplaceFeeBps: null,
  payeeLabel: 'Corner Shop',
  customerDetails: { email: 'ada@example.com' },
  settlement: {
    asset: 'SOL',
    decimals: 9,
    destinationAmount: makeBaseUnits(166_661_667),
    platformFeeAmount: makeBaseUnits(0),
    pendingAmount: makeBaseUnits(0),
    signatures: [signature],
    legs: [
      { ...sol, role: 'merchant', destination: merchant, amount: makeBaseUnits(166_661_667) },
      { ...sol, role: 'network_fee', destination: feePayer, amount: makeBaseUnits(5_000) },
    ],
  },
  refunds: [],
  tokenRefunds: [],
  latePayments: [],
  held: [],
  listTotals: SHOWN_WHOLE,
  version: 5,
  createdAt: new Date('2026-11-20T12:00:00.000Z'),
  updatedAt: new Date('2026-11-20T12:01:24.310Z'),
}

test('the example is what the service sends', () => {
  const envelope = renderEnvelope({
    id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
    type: 'intent.swept',
    network: 'live',
    createdAt: swept.updatedAt,
    data: JSON.parse(JSON.stringify(intentToJson(swept))),
    account: { id: swept.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
  })
  expect(marked('example')).toBe(`${JSON.stringify(envelope, null, 2)}\n`)
})

test('the table of attempts is the schedule', () => {
  const words = (ms: number) => {
    const [hours, minutes, seconds] = [ms / 3_600_000, ms / 60_000, ms / 1_000]
    return hours >= 1 ? `${hours} h` : minutes >= 1 ? `${minutes} min` : `${seconds} s`
  }
  const rows = RETRY_DELAYS_MS.map((wait, at) => `| ${at + 2} | ${words(wait)} |`)
  expect(rows).toHaveLength(MAX_DELIVERY_ATTEMPTS - 1)
  expect(marked('schedule').split('\n')).toEqual([
    '| attempt | after the one before |',
    '|---|---|',
    '| 1 | at once |',
    ...rows,
  ])
})

test.each(WEBHOOK_EVENT_TYPES)('%s is explained', (type) => {
  expect(docs).toContain(`\`${type}\``)
})

describe('the verification by hand', () => {
  let directory = ''
  let verify: (secret: string, headers: object, body: string) => unknown

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'webhook-docs-'))
    const file = join(directory, 'verify.mjs')
    writeFileSync(file, marked('by hand'))
    verify = (await import(pathToFileURL(file).href)).verify
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  const [current, previous, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  const body = '{"id":"a","name":"Käse"}'
  const sent = (at = new Date()) => signWebhook({ id: 'a', body }, [current, previous], at)

  test('accepts what the service signs, with either secret of a rotation', () => {
    for (const secret of [current, previous]) {
      expect(verify(formatWebhookSecret(secret), sent(), body)).toEqual({ id: 'a', name: 'Käse' })
    }
  })

  test('refuses another secret, another body, another id and an old message', () => {
    const secret = formatWebhookSecret(current)
    expect(verify(formatWebhookSecret(foreign), sent(), body)).toBeNull()
    expect(verify(secret, sent(), body.replace('a', 'b'))).toBeNull()
    expect(verify(secret, { ...sent(), 'webhook-id': 'b' }, body)).toBeNull()
    expect(verify(secret, sent(new Date(Date.now() - 301_000)), body)).toBeNull()
    expect(verify(secret, { ...sent(), 'webhook-signature': 'v1a,AAAA v1,' }, body)).toBeNull()
  })
})
