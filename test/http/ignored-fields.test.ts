import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ServiceError } from '#core/errors.ts'
import { startTestService, type TestService, withKey } from '../support/services.ts'

let service: TestService
beforeAll(async () => {
  const create = async (): Promise<never> => {
    throw new ServiceError('sweep_destination_missing')
  }
  service = await startTestService({ services: { intents: { create } } })
})
afterAll(() => service.close())

const REQUIRED = { amount_usd_cents: 1, accepted_tokens: [{ kind: 'sol' }] }
const ignoredOf = async (body: object): Promise<string | null> => {
  const answer = await service.post('/intents', { ...REQUIRED, ...body }, withKey())
  expect(answer.status).toBe(409)
  return answer.headers.get('ignored-fields')
}

describe('Ignored-Fields', () => {
  it.each<[object, string | null]>([
    [{}, null],
    [{ reference: 'a', customer: { email: null, address: { line1: null } } }, null],
    [{ metadata: { a: 1 } }, 'metadata'],
    [{ metadata: null, b: [] }, 'metadata, b'],
    [{ customer: { phone: '1', address: { line3: 'x' } } }, 'customer.phone, customer.address.line3'],
    [
      { accepted_tokens: [{ kind: 'sol' }, { kind: 'sol', mint: null, x: 1 }] },
      'accepted_tokens[1].mint, accepted_tokens[1].x',
    ],
    [{ 'a,b\r\nX: 1': 1, ü: 1, '\ud800': 1 }, 'a%2Cb%0D%0AX%3A%201, %C3%BC, %EF%BF%BD'],
  ])('names the paths of %j that the endpoint does not read: %s', async (body, named) => {
    expect(await ignoredOf(body)).toBe(named)
  })

  it('names at most 20 fields', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `f${at}`)
    const named = await ignoredOf(Object.fromEntries(names.map((name) => [name, 1])))
    expect(named).toBe([...names.slice(0, 20), '...'].join(', '))
  })

  it('has at most 1,000 characters of names', async () => {
    expect(await ignoredOf({ a: 1, ['b'.repeat(1_000)]: 1, c: 1 })).toBe('a, ...')
  })
})
