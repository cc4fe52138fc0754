import { describe, expect, it } from 'vitest'
import { type ErrorCode, ServiceError } from '#core/errors.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import type { IntentServices, SweepResult } from '#services/payments/intent-services.ts'
import { MERCHANT, pendingIntent } from '../../support/example-intent.ts'
import { signatureNo } from '../../support/payment.ts'
import { CLIENT_SECRET, startTestService, withKey } from '../../support/services.ts'

describe('cancel', () => {
  const cancelled: PaymentIntent = { ...pendingIntent, status: 'cancelled', version: 2 }

  /** The two endpoints do the same, for the business and for the buyer. */
  const endpoints = [
    {
      path: '/cancel',
      body: { index: 42 },
      headers: withKey(),
      intents: (cancel: () => Promise<PaymentIntent>) => ({ cancelByIndex: cancel }),
    },
    {
      path: '/intents/cancel',
      body: { client_secret: CLIENT_SECRET },
      headers: {},
      intents: (cancel: () => Promise<PaymentIntent>) => ({ cancelByClientSecret: cancel }),
    },
  ]

  describe.each(endpoints)('POST $path', ({ path, body, headers, intents }) => {
    const cancel = async (decide: () => Promise<PaymentIntent>, sent: object = body) => {
      const service = await startTestService({ services: { intents: intents(decide) } })
      const answer = await service.post(path, sent, headers)
      await service.close()
      return answer
    }

    it('answers the status after the cancel', async () => {
      const { status, body: answer } = await cancel(async () => cancelled)
      expect(status).toBe(200)
      expect(answer).toMatchObject({ derivation_index: 42, status: 'cancelled', action: 'cancelled' })
      expect(answer).not.toHaveProperty('payment_uri')
    })

    it.each([
      ['payment_already_received', 409],
      ['payment_arriving', 409],
      ['intent_not_found', 404],
      ['invalid_client_secret', 401],
    ] satisfies [ErrorCode, number][])('answers %s with %d', async (code, expected) => {
      const { status, body: answer } = await cancel(() => Promise.reject(new ServiceError(code)))
      expect([status, Object.keys(answer)]).toEqual([expected, ['error']])
    })

    it('refuses a body without its field with 400', async () => {
      expect((await cancel(async () => cancelled, {})).status).toBe(400)
    })
  })
})

describe('sweep', () => {
  const swept: SweepResult = {
    signature: signatureNo(1),
    // Larger than a double can represent exactly.
    amount: makeBaseUnits(18_446_744_073_709_551_615n),
    platformFee: makeBaseUnits(0n),
    from: pendingIntent.address,
    to: MERCHANT,
  }

  const sweepWith = async (sweep: IntentServices['sweep'], body: object = { index: 42 }) => {
    const service = await startTestService({ services: { intents: { sweep } } })
    const answer = await service.post('/sweep', body, withKey())
    await service.close()
    return answer
  }

  describe('POST /sweep', () => {
    it('answers exactly the fields of the spec, with exact amounts', async () => {
      const { status, body, text } = await sweepWith(async () => swept)
      expect(status).toBe(200)
      expect(Object.keys(body)).toEqual(['signature', 'lamports_swept', 'platform_fee_lamports', 'from', 'to'])
      expect(text).toContain('"lamports_swept":18446744073709551615')
      expect(body).toMatchObject({
        signature: swept.signature,
        platform_fee_lamports: 0,
        from: swept.from,
        to: MERCHANT,
      })
    })

    it.each([
      ['reserved_index', 400],
      ['nothing_to_sweep', 400],
      ['intent_not_found', 404],
      ['sweep_destination_missing', 409],
      ['refund_in_progress', 409],
      ['transfer_unconfirmed', 502],
      ['chain_unavailable', 502],
    ] satisfies [ErrorCode, number][])('answers %s with %d', async (code, expected) => {
      const { status, body } = await sweepWith(() => Promise.reject(new ServiceError(code)))
      expect([status, Object.keys(body)]).toEqual([expected, ['error']])
    })

    it('stops waiting for the sweep when its client leaves', async () => {
      const asked = Promise.withResolvers<AbortSignal>()
      const sweep: IntentServices['sweep'] = (_caller, _index, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new ServiceError('transfer_unconfirmed')), { once: true })
          if (signal !== undefined) asked.resolve(signal)
        })
      const service = await startTestService({ services: { intents: { sweep } } })
      const client = new AbortController()
      const left = fetch(`${service.url}/sweep`, {
        method: 'POST',
        headers: { ...withKey(), 'content-type': 'application/json' },
        body: '{"index":42}',
        signal: client.signal,
      })
      const signal = await asked.promise
      expect(signal.aborted).toBe(false)
      client.abort()
      await expect(left).rejects.toThrow()
      await expect.poll(() => signal.aborted).toBe(true)
      await service.close()
    })

    it.each([2 ** 31, Number.MAX_SAFE_INTEGER])(
      'answers 404 to the index %d, which no intent can have',
      async (index) => {
        const asked: number[] = []
        const sweep = async (_caller: unknown, sought: number): Promise<SweepResult> => {
          asked.push(sought)
          throw new ServiceError('intent_not_found')
        }
        expect((await sweepWith(sweep, { index })).status).toBe(404)
        // Not the reserved index, which has an answer of its own.
        expect(asked).toEqual([-1])
      },
    )

    it.each([[{}], [{ index: '42' }], [{ index: 1.5 }], [{ index: -1 }], [{ index: null }]])(
      'refuses %j with 400',
      async (body) => {
        expect((await sweepWith(() => Promise.resolve(swept), body)).status).toBe(400)
      },
    )
  })
})
