import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../../support/seller-edge.ts'
import { withKey } from '../../../support/services.ts'

let edge: SellerEdge
let path: string
beforeAll(async () => {
  edge = await startSellerEdge()
  const { body } = await edge.post('/marketplace/sellers', { name: 'Blue Shop' }, withKey(edge.keys.own))
  path = `/marketplace/sellers/${body.id}`
})
afterAll(() => edge.close())

const BAD_FIELDS: readonly (readonly [field: string, value: unknown])[] = [
  ['name', 7],
  ['name', ' '],
  ['name', 'a'.repeat(201)],
  ['label', 'two\nlines'],
  ['label', 'a'.repeat(201)],
  ['description', 7],
  ['description', 'a'.repeat(501)],
  ['metadata', []],
  ['metadata', 'x'],
  ['metadata', { deep: { a: { b: { c: { d: { e: { f: { g: {} } } } } } } } }],
  ['metadata', { nul: 'a\u0000b' }],
  ['metadata', Object.fromEntries(Array.from({ length: 51 }, (_, at) => [at, 1]))],
  ['metadata', { long: 'a'.repeat(17_000) }],
  ['sweep_destination', 'not-an-address'],
  ['sweep_destination', UNPAYABLE],
  ['sweep_destination', 7],
  ['marketplace_fee_bps', 5_001],
  ['marketplace_fee_bps', -1],
  ['marketplace_fee_bps', 1.5],
  ['marketplace_fee_bps', '100'],
]

describe.each(BAD_FIELDS)('the %s %j', (field, value) => {
  it('is refused in a create, and the message names the field', async () => {
    const body = { name: 'Shop', [field]: value }
    const answer = await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body)).toEqual(['error'])
    expect(answer.body.error).toContain(field)
  })

  it('is refused in an edit, and changes nothing', async () => {
    const before = await edge.get(path, withKey(edge.keys.own))
    const answer = await edge.send('PATCH', path, { label: 'New', [field]: value }, withKey(edge.keys.own))
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
    expect((await edge.get(path, withKey(edge.keys.own))).body).toEqual(before.body)
  })
})

it.each([{}, { name: null }, { external_id: 'x' }])('refuses a create without a name: %j', async (body) => {
  expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
})

it.each(['', ' ', 'a'.repeat(256), 'a\nb', 7])('refuses the external id %j', async (external_id) => {
  const { status, body } = await edge.post(
    '/marketplace/sellers',
    { name: 'Shop', external_id },
    withKey(edge.keys.own),
  )
  expect([status, body.error]).toEqual([400, expect.stringContaining('external_id')])
})

it.each([{}, { unknown: 1 }, { name: null }])('refuses an edit that has nothing to update: %j', async (body) => {
  expect((await edge.send('PATCH', path, body, withKey(edge.keys.own))).status).toBe(400)
})

it('a number that cannot be read exactly is refused in metadata', async () => {
  const body = '{"name": "Shop", "metadata": {"big": 12345678901234567890}}'
  expect((await edge.post('/marketplace/sellers', body, withKey(edge.keys.own))).status).toBe(400)
})

it.each([
  ['limit', 'limit=0'],
  ['limit', 'limit=101'],
  ['limit', 'limit=1.5'],
  ['limit', 'limit=5&limit=6'],
  ['cursor', 'cursor='],
  ['cursor', 'cursor=made-up'],
  ['include_archived', 'include_archived=yes'],
  ['search', `search=${'a'.repeat(501)}`],
])('the list refuses the %s of ?%s', async (field, query) => {
  const { status, body } = await edge.get(`/marketplace/sellers?${query}`, withKey(edge.keys.own))
  expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
})

it('a cursor serves its caller and its filters only', async () => {
  await edge.post('/marketplace/sellers', { name: 'Second' }, withKey(edge.keys.own))
  const { next_cursor } = (await edge.get('/marketplace/sellers?limit=1', withKey(edge.keys.own))).body
  const ask = (query: string, key: string) =>
    edge.get(`/marketplace/sellers?cursor=${next_cursor}${query}`, withKey(key))
  expect((await ask('', edge.keys.own)).status).toBe(200)
  expect((await ask('', edge.keys.other)).status).toBe(400)
  expect((await ask('&search=shop', edge.keys.own)).status).toBe(400)
  expect((await ask('&include_archived=true', edge.keys.own)).status).toBe(400)
  expect((await edge.get(`/marketplace/audit?cursor=${next_cursor}`, withKey(edge.keys.own))).status).toBe(400)
})
