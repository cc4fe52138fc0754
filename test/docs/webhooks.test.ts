// What docs/webhooks.md shows is what the service does: its example, its schedule, and its code.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderEnvelope } from '#core/events/envelope.ts'
import { RETRY_DELAYS_MS } from '#core/events/retry-schedule.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { formatWebhookSecret, signWebhook } from '#services/events/signature.ts'
import { printed } from '../support/rest-page.ts'
import { swept } from './example-payment.ts'

const docs = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')

/** What follows a mark: the inside of a code block, or a table. */
function marked(mark: string): string {
  const [, rest] = docs.split(`<!-- ${mark} -->\n`)
  if (rest === undefined) throw new Error(`docs/webhooks.md has no mark ${mark}`)
  return rest.startsWith('```') ? (rest.split(/^```.*\n/m)[1] ?? '') : (rest.split('\n\n')[0] ?? '')
}

test('the example is what the service sends', () => {
  const envelope = renderEnvelope(
    {
      id: '0d9a4a3e-5b63-4c8c-8d43-5f7c1f0a9b11',
      type: 'intent.swept',
      subjectKind: 'payment',
      network: 'live',
      createdAt: swept.updatedAt,
      data: JSON.parse(JSON.stringify(intentToJson(swept))),
      account: { id: swept.accountId, name: 'Corner Shop', isSeller: false, externalId: null },
    },
    EVENT_SUBJECTS,
    'solana:mainnet',
  )
  const example = marked('example')
  expect(example).toBe(printed(envelope, example))
})

test('the table of attempts is the schedule', () => {
  const words = (ms: number) => {
    const [hours, minutes, seconds] = [ms / 3_600_000, ms / 60_000, ms / 1_000]
    return hours >= 1 ? `${hours} h` : minutes >= 1 ? `${minutes} min` : `${seconds} s`
  }
  const rows = RETRY_DELAYS_MS.map((wait, at) => `| ${at + 2} | ${words(wait)} |`)
  expect(marked('schedule').split('\n')).toEqual([
    '| attempt | wait after the previous attempt |',
    '|---|---|',
    '| 1 | none |',
    ...rows,
  ])
})

test.each(EVENT_SUBJECTS.types)('%s is explained', (type) => {
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
