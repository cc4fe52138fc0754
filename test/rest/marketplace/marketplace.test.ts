import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SELLER_WALLET } from '../../support/example-seller.ts'
import { type SellerEdge, startSellerEdge, UNPAYABLE } from '../../support/seller-edge.ts'
import { withKey } from '../../support/services.ts'

let edge: SellerEdge

describe('the audit trail', () => {
  let sellerId: string
  beforeAll(async () => {
    edge = await startSellerEdge()
    const key = withKey(edge.keys.own)
    sellerId = (await edge.post('/marketplace/sellers', { name: 'Blue Shop', label: 'Blue' }, key)).body.id
    await edge.post('/marketplace/sellers', { name: 'Other' }, key)
    const path = `/marketplace/sellers/${sellerId}`
    await edge.send('PATCH', path, { name: 'Red', sweep_destination: SELLER_WALLET, marketplace_fee_bps: 0 }, key)
    await edge.send('PATCH', '/marketplace', { default_fee_bps: 100 }, key)
    await edge.ask('DELETE', path, key)
  })
  afterAll(() => edge.close())

  const list = async (query = '', key = edge.keys.own) => {
    const { status, body } = await edge.get(`/marketplace/audit${query}`, withKey(key))
    return { status, body, actions: body.audit?.map(({ action }: { action: string }) => action) }
  }

  const ALL = [
    'seller.archived',
    'marketplace.updated',
    'seller.fee_changed',
    'seller.payout_changed',
    'seller.updated',
    'seller.created',
    'seller.created',
    'marketplace.updated',
    'marketplace.updated',
  ]

  it('lists every change, the newest first, with its actor and each value before and after', async () => {
    const { body, actions } = await list()
    expect([actions, body.next_cursor]).toEqual([ALL, null])
    expect(body.audit[3]).toEqual({
      id: expect.any(String),
      action: 'seller.payout_changed',
      actor: {
        kind: 'api_key',
        credential: `sk_live_…${edge.keys.own.slice(-4)}`,
        ip: expect.stringMatching(/127\.0\.0\.1$/),
      },
      seller_id: sellerId,
      changes: { sweep_destination: [null, SELLER_WALLET] },
      created_at: expect.any(String),
    })
    expect(body.audit[1]).toMatchObject({ seller_id: null, changes: { default_fee_bps: [0, 100] } })
    expect(body.audit[8]).toMatchObject({ actor: { kind: 'operator', credential: null } })
    expect(JSON.stringify(body)).not.toContain(edge.keys.own)
  })

  it('is filtered by seller and by action', async () => {
    expect((await list(`?seller_id=${sellerId}`)).actions).toEqual(ALL.slice(0, 6).filter((name) => name !== ALL[1]))
    expect((await list('?action=seller.created')).actions).toEqual(['seller.created', 'seller.created'])
    expect((await list(`?action=seller.created&seller_id=${sellerId}`)).actions).toEqual(['seller.created'])
    expect((await list('?action=settlement.leg_waived')).actions).toEqual([])
  })

  it('is walked by its cursor without a gap or a repeat', async () => {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body, actions } = await list(`?limit=4${cursor && `&cursor=${cursor}`}`)
      seen.push(...actions)
      cursor = body.next_cursor
    }
    expect(seen).toEqual(ALL)
  })

  it('shows another marketplace its own entries only', async () => {
    expect((await list('', edge.keys.other)).actions).toEqual(['marketplace.updated', 'marketplace.updated'])
  })

  it.each(['action=seller.deleted', 'action=toString', 'limit=0', 'cursor=x'])('answers 400 to ?%s', async (query) => {
    const { status, body } = await list(`?${query}`)
    expect([status, body]).toEqual([400, { error: expect.stringContaining(query.split('=')[0] ?? '') }])
  })
})

describe('the terms', () => {
  beforeAll(async () => {
    edge = await startSellerEdge()
  })
  afterAll(() => edge.close())

  const patch = (body: unknown) => edge.send('PATCH', '/marketplace', body, withKey(edge.keys.own))
  const terms = async () => (await edge.get('/marketplace', withKey(edge.keys.own))).body

  it('shows the terms with the counts of sellers, and changes what is sent', async () => {
    const fresh = {
      status: 'active',
      default_fee_bps: 0,
      fee_wallet: null,
      seller_limit: null,
      sellers_count: 0,
      sellers_total: 0,
    }
    expect(await terms()).toEqual(fresh)
    const changed = await patch({ default_fee_bps: 5_000, fee_wallet: SELLER_WALLET })
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...fresh, default_fee_bps: 5_000, fee_wallet: SELLER_WALLET },
    ])
    expect((await patch({ fee_wallet: '' })).body).toEqual({ ...fresh, default_fee_bps: 5_000 })

    const { id } = (await edge.post('/marketplace/sellers', { name: 'A' }, withKey(edge.keys.own))).body
    await edge.post('/marketplace/sellers', { name: 'B' }, withKey(edge.keys.own))
    await edge.ask('DELETE', `/marketplace/sellers/${id}`, withKey(edge.keys.own))
    expect(await terms()).toMatchObject({ sellers_count: 1, sellers_total: 2 })
  })

  it.each([
    ['has nothing to update', {}],
    ['has nothing to update', { seller_limit: 5 }],
    ['default_fee_bps', { default_fee_bps: 5_001 }],
    ['default_fee_bps', { default_fee_bps: -1 }],
    ['default_fee_bps', { default_fee_bps: '5' }],
    ['default_fee_bps', { default_fee_bps: null }],
    ['fee_wallet', { fee_wallet: 'not-an-address' }],
    ['fee_wallet', { fee_wallet: UNPAYABLE, default_fee_bps: 7 }],
  ])('answers 400 that names %s to %j, and changes nothing', async (named, body) => {
    const before = await terms()
    const answer = await patch(body)
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining(named) }])
    expect(await terms()).toEqual(before)
  })
})
