import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHARGE_FIELDS } from '#core/billing/charge.ts'
import { SUBSCRIPTION_FIELDS } from '#core/billing/subscription.ts'
import { record } from '#core/codec.ts'
import {
  MAX_OLD_SECRETS,
  oldSecretsUntil,
  ROTATION_OVERLAP_MS,
  rotate,
  signingVersions,
  type WebhookSecretState,
} from '#core/events/endpoint.ts'
import { renderEnvelope, type StoredEvent } from '#core/events/envelope.ts'
import { judgeAttempt, RETRY_DELAYS_MS, type WebhookAnswer } from '#core/events/retry-schedule.ts'
import { API_VERSION, registerEventSubjects } from '#core/events/subjects.ts'
import { isPublicAddress, judgeWebhookUrl, MAX_WEBHOOK_URL_LENGTH } from '#core/events/url.ts'
import { intentEventData } from '#core/payments/payload.ts'
import { intentToJson } from '#core/payments/payment-intent.ts'
import { refundToJson } from '#core/refunds/refund.ts'
import { EVENT_SUBJECTS } from '#services/events/event-log.ts'
import { pendingIntent } from '../../support/example-intent.ts'
import { exampleRefund } from '../../support/example-refund.ts'
import { SubscriptionWorld } from '../../support/subscription-world.ts'

describe('an event', () => {
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
    refund: { subjectKind: 'refund', data: refundToJson(exampleRefund) },
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
})

const now = new Date('2026-11-20T12:00:00.000Z')
const answered = (statusCode: number, retryAfter: string | null = null): WebhookAnswer => ({
  kind: 'answered',
  statusCode,
  headers: retryAfter === null ? {} : { 'retry-after': retryAfter },
  body: '',
})
const unanswered: WebhookAnswer = { kind: 'unanswered', reason: 'no answer within 15 s' }
const judge = (answer: WebhookAnswer, attempt = 1, fraction = 0) => judgeAttempt(answer, { attempt, now, fraction })

function waitAfter(answer: WebhookAnswer, attempt = 1, fraction = 0): number {
  const verdict = judge(answer, attempt, fraction)
  if (verdict.status !== 'pending') throw new Error(`expected another attempt, not ${verdict.status}`)
  return verdict.nextAttemptAt.getTime() - now.getTime()
}

describe('which answers count', () => {
  test.each([200, 201, 204, 299])('%i succeeds', (code) => {
    expect(judge(answered(code))).toEqual({ status: 'succeeded', statusCode: code, error: null })
  })

  test.each([100, 199, 300, 301, 307, 400, 404, 429, 500, 503])('%i is a failure and is tried again', (code) => {
    expect(judge(answered(code))).toMatchObject({ status: 'pending', statusCode: code })
  })

  test('a redirect says that it was not followed', () => {
    expect(judge(answered(302)).error).toBe('answered 302: redirects are not followed')
  })

  test('no answer is a failure that says why', () => {
    expect(judge(unanswered)).toMatchObject({ status: 'pending', statusCode: null, error: 'no answer within 15 s' })
  })

  test('410 ends the delivery at its first attempt and disables the endpoint', () => {
    expect(judge(answered(410))).toMatchObject({ status: 'failed', disablesEndpoint: true, statusCode: 410 })
  })
})

describe('when it is tried again', () => {
  test('the waits are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
    const waits = RETRY_DELAYS_MS.map((_, at) => waitAfter(unanswered, at + 1))
    const [s, min, h] = [1_000, 60_000, 3_600_000]
    expect(waits).toEqual([5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h])
  })

  test('after the tenth attempt it is given up, and the endpoint stays enabled', () => {
    expect(judge(answered(500), 10)).toEqual({
      status: 'failed',
      disablesEndpoint: false,
      statusCode: 500,
      error: 'answered 500',
    })
    // A delivery that was sent again by hand after it had been given up gets its one attempt.
    expect(judge(answered(500), 11)).toMatchObject({ status: 'failed' })
  })

  test('jitter only ever adds, and at most a tenth', () => {
    const attempts = fc.integer({ min: 1, max: RETRY_DELAYS_MS.length })
    const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(attempts, fractions, (attempt, fraction) => {
        const base = waitAfter(unanswered, attempt, 0)
        const wait = waitAfter(unanswered, attempt, fraction)
        expect(wait).toBeGreaterThanOrEqual(base)
        expect(wait).toBeLessThanOrEqual(base * 1.1)
      }),
    )
    expect(waitAfter(unanswered, 2, 0.5)).toBe(315_000)
  })
})

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['Fri, 20 Nov 2026 12:01:30 GMT', 90_000],
  ])('%j is never undercut', (header, expected) => {
    expect(waitAfter(answered(429, header))).toBe(expected)
    expect(waitAfter(answered(503, header))).toBe(expected)
  })

  test.each(['0', '1', '-30', 'soon', '', 'Fri, 20 Nov 2026 11:00:00 GMT'])(
    '%j never shortens the schedule',
    (header) => {
      expect(waitAfter(answered(429, header))).toBe(5_000)
    },
  )

  test.each(['86401', '99999999999999999999', 'Fri, 20 Nov 2099 12:00:00 GMT'])('%j is bounded by a day', (header) => {
    expect(waitAfter(answered(429, header))).toBe(86_400_000)
  })

  test('the schedule stands where it asks for more than the receiver', () => {
    expect(waitAfter(answered(429, '60'), 4)).toBe(7_200_000)
  })
})

describe('a webhook secret', () => {
  const HOUR = 3_600_000
  const START = new Date('2026-11-20T12:00:00.000Z')
  const at = (ms: number) => new Date(START.getTime() + ms)
  const FIRST: WebhookSecretState = { version: 1, rotations: [] }

  /** The state after a rotation at each of these times. */
  const rotatedAt = (...times: readonly number[]): WebhookSecretState =>
    times.reduce((state, time) => {
      const next = rotate(state, at(time), false)
      if ('refused' in next) throw new Error('a rotation was refused')
      return next
    }, FIRST)

  test('that was never rotated signs alone', () => {
    expect(signingVersions(FIRST, START)).toEqual([1])
    expect(oldSecretsUntil(FIRST, START)).toEqual([])
  })

  test('signs next to the newer one for 24 hours after it was replaced, and not a moment longer', () => {
    expect(ROTATION_OVERLAP_MS).toBe(24 * HOUR)
    const state = rotatedAt(0)
    expect(signingVersions(state, START)).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR - 1))).toEqual([2, 1])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([2])
  })

  test('that is in production goes on for its 24 hours however often it is rotated meanwhile', () => {
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(signingVersions(state, at(2 * HOUR))).toEqual([4, 3, 2, 1])
    expect(oldSecretsUntil(state, at(2 * HOUR))).toEqual([at(26 * HOUR), at(25 * HOUR), at(24 * HOUR)])
    expect(signingVersions(state, at(24 * HOUR))).toEqual([4, 3, 2])
    expect(signingVersions(state, at(25 * HOUR))).toEqual([4, 3])
    expect(signingVersions(state, at(26 * HOUR))).toEqual([4])
  })

  test('is not rotated while three older ones sign, because that would end one early', () => {
    expect(MAX_OLD_SECRETS).toBe(3)
    const state = rotatedAt(0, HOUR, 2 * HOUR)
    expect(rotate(state, at(24 * HOUR - 1), false)).toEqual({ refused: 'too_many_rotations' })
    const next = rotatedAt(0, HOUR, 2 * HOUR, 24 * HOUR)
    expect(signingVersions(next, at(24 * HOUR))).toEqual([5, 4, 3, 2])
  })

  test('that leaked ends at once when the older ones are revoked, also while a rotation would be refused', () => {
    const state = rotate(rotatedAt(0, HOUR, 2 * HOUR), at(3 * HOUR), true)
    expect(state).toEqual({ version: 5, rotations: [] })
  })
})

describe('the URL of an endpoint', () => {
  describe('url', () => {
    test.each([
      ['https://shop.example/hooks?a=b', null],
      ['https://shop.example:8443/hooks', null],
      ['https://8.8.8.8/', null],
      ['https://[2606:4700::1111]/', null],
      ['https://1e100.net/', null],
      ['http://shop.example/', 'not_https'],
      ['ftp://shop.example/', 'not_https'],
      ['file:///etc/passwd', 'not_https'],
      ['shop.example/hooks', 'not_a_url'],
      ['', 'not_a_url'],
      ['https://user:secret@shop.example/', 'has_credentials'],
      ['https://user@shop.example/', 'has_credentials'],
      ['https://127.0.0.1/', 'private_address'],
      ['https://0x7f.1/', 'private_address'],
      ['https://2130706433/', 'private_address'],
      ['https://127.0.0.1./', 'private_address'],
      ['https://[::1]/', 'private_address'],
      ['https://[::ffff:10.0.0.1]/', 'private_address'],
      ['https://169.254.169.254/latest/meta-data', 'private_address'],
      ['https://localhost/', 'private_address'],
      ['https://LOCALHOST./', 'private_address'],
      ['https://api.localhost/', 'private_address'],
      [`https://shop.example/${'a'.repeat(MAX_WEBHOOK_URL_LENGTH)}`, 'too_long'],
      [`https://shop.example/${'ü'.repeat(1_000)}`, 'too_long'],
    ])('%s as a webhook URL: %s', (text, refusal) => {
      const judged = judgeWebhookUrl(text, { allowPrivate: false })
      expect('refused' in judged ? judged.refused : null).toBe(refusal)
    })

    test.each(['http://127.0.0.1:4010/hook', 'http://localhost/', 'https://192.168.1.4/', 'http://shop.example/'])(
      '%s is allowed where private addresses are',
      (text) => {
        expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ url: new URL(text) })
      },
    )

    test.each([
      ['http://user:secret@localhost/', 'has_credentials'],
      ['ws://localhost/', 'not_https'],
    ])('%s is refused even there: %s', (text, refused) => {
      expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ refused })
    })

    test.each([
      ['https:///shop.example/hook', 'https://shop.example/hook'],
      ['https://shop.example\\@evil.example/', 'https://shop.example/@evil.example/'],
      ['https://shop.exa\nmple/hook', 'https://shop.example/hook'],
      ['https://bücher.example./', 'https://xn--bcher-kva.example./'],
    ])('%j is called as %s', (text, href) => {
      const judged = judgeWebhookUrl(text, { allowPrivate: false })
      expect('url' in judged ? judged.url.href : judged).toBe(href)
      expect(judgeWebhookUrl(href, { allowPrivate: false })).toEqual(judged)
    })
  })

  describe('public address', () => {
    test.each([
      '127.0.0.1',
      '127.255.255.254',
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '100.100.100.200',
      '168.63.129.16',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
      '192.0.0.192',
      '192.168.1.1',
      '198.19.255.255',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '64:ff9b::7f00:1',
      '2001:0:4136:e378::',
      '2001:db8::1',
      '2002:7f00:1::',
      'localhost',
      'example.com',
      '',
      '8.8.8',
      '8.8.8.256',
      '8.8.8.8.8',
      '0x08.8.8.8',
      '08.8.8.8',
      '8.8.8.08',
      '012.0.0.1',
      '::ffff:08.8.8.8',
      '2606:4700::08.8.8.8',
      '2606:4700',
      '2606:4700::1::2',
      '1:2:3:4:5:6:7:8:9',
      '2606:4700::00001',
    ])('no webhook goes to %s', (address) => {
      expect(isPublicAddress(address)).toBe(false)
    })

    test.each([
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '168.63.129.15',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '223.255.255.255',
      '2606:4700:4700::1111',
      '2a00:1450:4001:81b::200e',
      '2001:4860:4860:0:0:0:0:8888',
      '2606:4700::1.1.1.1',
    ])('a webhook may go to %s', (address) => {
      expect(isPublicAddress(address)).toBe(true)
    })

    // The same ranges in the runtime's own block list: another parser, another way to compare.
    const special = new BlockList()
    for (const [network, length] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
    ] as const) {
      special.addSubnet(network, length, 'ipv4')
    }
    special.addAddress('168.63.129.16', 'ipv4')
    const unicast6 = new BlockList()
    unicast6.addSubnet('2000::', 3, 'ipv6')
    const special6 = new BlockList()
    for (const [network, length] of [
      ['2001::', 23],
      ['2001:db8::', 32],
      ['2002::', 16],
      ['3fff::', 20],
    ] as const) {
      special6.addSubnet(network, length, 'ipv6')
    }

    test('every IPv4 address is judged as the runtime judges it', () => {
      // Half of the samples lie close to the borders of a range.
      const byte = fc.oneof(
        fc.nat(255),
        fc.constantFrom(0, 1, 15, 16, 31, 32, 63, 64, 127, 128, 168, 169, 172, 192, 254, 255),
      )
      fc.assert(
        fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
          const address = bytes.join('.')
          expect(isPublicAddress(address)).toBe(!special.check(address, 'ipv4'))
        }),
        { numRuns: 2_000 },
      )
    })

    test('every IPv6 address, however it is written, is judged as the runtime judges it', () => {
      const group = fc.oneof(
        fc.nat(0xffff),
        fc.constantFrom(0, 1, 0x2000, 0x2001, 0x2002, 0x0db8, 0x01ff, 0x0200, 0x3fff, 0x0fff, 0x1000, 0xfe80),
      )
      const written = fc
        .tuple(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), fc.nat(8))
        .map(([groups, from, length]) => {
          const hex = groups.map((value) => value.toString(16))
          return length === 0 ? hex.join(':') : `${hex.slice(0, from).join(':')}::${hex.slice(from + length).join(':')}`
        })
      fc.assert(
        fc.property(written, (address) => {
          expect(isIP(address)).toBe(6)
          const expected = unicast6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
          expect(isPublicAddress(address)).toBe(expected)
        }),
        { numRuns: 2_000 },
      )
    })

    test('nothing that the runtime calls no address is public', () => {
      const unit = fc.constantFrom(...'0123456789abcdef:.%')
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
          if (isIP(text) === 0) expect(isPublicAddress(text)).toBe(false)
        }),
        { numRuns: 2_000 },
      )
    })

    test('four numbers that the runtime calls no address are not public', () => {
      const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 4 })
      fc.assert(
        fc.property(fc.array(digits, { minLength: 4, maxLength: 4 }), (numbers) => {
          const text = numbers.join('.')
          if (isIP(text) === 0) expect(isPublicAddress(text)).toBe(false)
        }),
        { numRuns: 2_000 },
      )
    })
  })
})
