import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { formatWebhookSecret, signWebhook } from '#services/events/signature.ts'

const secrets = fc.uint8Array({ minLength: 24, maxLength: 64 })
const bodies = fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text }))

describe('the standardwebhooks package, which we did not write,', () => {
  test('signs as we do, whatever the secret, the id, the body and the second', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(secrets, fc.uuid(), bodies, dates, (secret, id, body, at) => {
        const oracle = new Webhook(formatWebhookSecret(secret))
        expect(signWebhook({ id, body }, [secret], at)['webhook-signature']).toBe(oracle.sign(id, at, body))
      }),
    )
  })

  test('verifies what we send, with either secret of a rotation and with no other', () => {
    const [current, previous, foreign] = [randomBytes(32), randomBytes(32), randomBytes(32)]
    const body = '{"hello":"wörld"}'
    const headers = signWebhook({ id: 'a', body }, [current, previous], new Date())
    for (const secret of [current, previous]) {
      expect(new Webhook(formatWebhookSecret(secret)).verify(body, headers)).toEqual({ hello: 'wörld' })
    }
    expect(() => new Webhook(formatWebhookSecret(foreign)).verify(body, headers)).toThrow('No matching signature')
  })

  test.each([
    ['the body', (message: Message) => ({ ...message, body: `${message.body} ` })],
    ['the id', (message: Message) => ({ ...message, headers: { ...message.headers, 'webhook-id': 'b' } })],
    [
      'the timestamp',
      (message: Message) => ({ ...message, headers: { ...message.headers, 'webhook-timestamp': soon() } }),
    ],
  ])('refuses a message when %s was changed on the way', (_, tamper) => {
    const secret = randomBytes(32)
    const body = '{}'
    const { headers, body: arrived } = tamper({
      body,
      headers: { ...signWebhook({ id: 'a', body }, [secret], new Date()) },
    })
    expect(() => new Webhook(formatWebhookSecret(secret)).verify(arrived, headers)).toThrow('No matching signature')
  })
})

type Message = { readonly body: string; readonly headers: Record<string, string> }
const soon = () => String(Math.floor(Date.now() / 1_000) + 60)

test('a secret is written with its prefix in plain base64', () => {
  expect(formatWebhookSecret(Uint8Array.from([0xfb, 0xff, 0xfe, 0]))).toBe('whsec_+//+AA==')
})
