// Refunds that a business makes from its own wallet: who gets how much, what the chain says of it, and how each ends.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { isWallet } from '#core/chain/curve.ts'
import { bytesOfAddress } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { REFUND_LIFE_MS } from '#core/refunds/refund.ts'
import { addSubscription, addTier } from '../support/billing-rows.ts'
import { openTestDatabase } from '../support/database.ts'
import { addressNo, NOW, units } from '../support/payment.ts'
import {
  CLOSING_MS,
  createRefundWorld,
  RENT_OF_BYTE,
  type RefundWorld,
  tokenAccountOf,
  USDC,
  wallet,
} from '../support/refund-world.ts'
import { addBusiness } from '../support/stores.ts'

/** Numbers of addresses that are no points of the curve. */
const keyless = Array.from({ length: 50 }, (_, at) => 300_000 + at).filter((number) => !isWallet(addressNo(number)))
const WHOLE = 1_000_000_000n
/** An account of Token-2022 whose mint has no extensions has 170 bytes. */
const TOKEN_ACCOUNT_RENT = (128 + 170) * RENT_OF_BYTE
const TOKENS = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const SYSTEM = makeAddress('11111111111111111111111111111111')

let db: Database
let world: RefundWorld
beforeAll(async () => {
  db = await openTestDatabase()
  world = await createRefundWorld(db)
})
afterEach(() => {
  world.setAway(false)
  world.setChainLag(0)
  world.setProviderLag(0)
})
afterAll(async () => {
  await world.close()
  await db.close()
})

/** Creates a refund of a new payment, or of a given one. */
async function refund(body: object = {}, payment?: { readonly id: string; readonly buyer: string }) {
  const of = payment ?? (await world.settled())
  const { status, body: made } = await world.create({ payment: of.id, ...body })
  expect([status, made.error]).toEqual([200, undefined])
  return { ...made, buyer: of.buyer }
}

const shown = async (id: string) => {
  world.pass(4_000)
  await world.get(`/refunds/${id}`)
  await world.lookDue()
  const { status, body } = await world.get(`/refunds/${id}`)
  expect(status).toBe(200)
  expect(world.errors).toEqual([])
  return body
}

const eventsOf = async (id: string): Promise<readonly string[]> => {
  const rows = await db.query<{ type: string }>(
    'SELECT type FROM events WHERE subject_id = $1::uuid ORDER BY sequence',
    [id],
  )
  return rows.map(({ type }) => type)
}

/** A wallet pays for a refund, by default as it is asked to. */
const pay = (
  made: { reference_key: string; recipient: string },
  amount: bigint,
  from = world.payout,
  names?: string[],
) => world.land(names ?? [made.reference_key], [{ from, to: makeAddress(made.recipient), amount }])

describe('POST /refunds', () => {
  it('answers with what is to be paid: everything, to the wallet that paid, by a link with a key of its own', async () => {
    const payment = await world.settled()
    const made = await refund({ reason: 'Sent back', reference: 'return-1' }, payment)
    expect(made).toMatchObject({
      payment_id: payment.id,
      charge_id: null,
      status: 'open',
      amount: Number(WHOLE),
      paid_amount: 0,
      paid_by: [],
      mint: null,
      payer: world.payout,
      recipient: payment.buyer,
      reason: 'Sent back',
      reference: 'return-1',
      part: 'payee',
      part_of: null,
      marketplace_part: null,
    })
    expect(made.payment_uri).toBe(
      `solana:${payment.buyer}?amount=1&reference=${made.reference_key}&label=Corner%20Shop&message=Refund%20return-1`,
    )
    expect(await eventsOf(made.id)).toEqual(['refund.created'])
  })

  it('gives back a part in US cents at the locked rate, and the whole price gives what settled', async () => {
    const payment = await world.settled({ amount: 1_000_000_001n })
    expect((await refund({ amount_usd_cents: 1_000 }, payment)).amount).toBe(400_000_000)
    expect((await refund({ amount_usd_cents: 2_500 })).amount).toBe(Number(WHOLE))
    const short = await world.settled({ legs: [['merchant', 990_000_000n]] })
    expect((await refund({ amount_usd_cents: 2_500 }, short)).amount).toBe(990_000_000)
  })

  it('takes the digits of an amount that no JSON number holds exactly', async () => {
    const amount = 18_446_744_073_709_551_615n
    const payment = await world.settled({ amount })
    const { text } = await world.create({ payment: payment.id, amount: String(amount) })
    expect(text).toContain(`"amount":${amount}`)
  })

  it('repeats the stored refund for a reference, also with other fields', async () => {
    const payment = await world.settled()
    const first = await refund({ reference: 'once', amount: 5 }, payment)
    const again = await world.create({ payment: payment.id, reference: 'once', amount: 7 })
    expect(again.body).toMatchObject({ id: first.id, amount: 5 })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await eventsOf(first.id)).toEqual(['refund.created'])
  })

  it('creates one refund of 100 creates with a reference at the same moment, and answers all with it', async () => {
    const payment = await world.settled()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => world.create({ payment: payment.id, reference: 'at-once' })),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(answers[0]?.status).toBe(200)
  })

  it('gives back to an address that no key can sign for only when its account shows that it can be paid', async () => {
    const payment = await world.settled()
    const create = async (to: string) => {
      const { status, headers } = await world.create({ payment: payment.id, amount: 1_000_000, to })
      return [status, headers.get('error-code')]
    }
    const [never, tokens, vault] = [0, 1, 2].map((at) => addressNo(keyless[at] ?? 0))
    if (never === undefined || tokens === undefined || vault === undefined) throw new Error('an address is missing')
    world.states.set(tokens, { ...funded(1), ownerProgram: TOKENS })
    world.states.set(vault, funded(1))
    expect(await create(never)).toEqual([400, 'invalid_address'])
    expect(await create(tokens)).toEqual([400, 'invalid_address'])
    expect(await create(vault)).toEqual([200, null])
    world.setAway(true)
    expect(await create(await wallet())).toEqual([502, 'chain_unavailable'])
  })

  it('never gives back more than what settled, and counts nothing of a canceled refund', async () => {
    const payment = await world.settled({
      legs: [
        ['merchant', 900n],
        ['network_fee', 100n],
        ['refund', 50n],
      ],
      amount: 1_050n,
    })
    const first = await refund({ amount: 600 }, payment)
    const more = await world.create({ payment: payment.id, amount: 401 })
    expect([more.status, more.body.error]).toEqual([409, 'at most 400 base units can still be refunded'])
    expect((await world.cancel(first.id)).body.status).toBe('canceled')
    await world.passEnd(0)
    await world.lookDue()
    expect((await refund({}, payment)).amount).toBe(1_000)
    const { body } = await world.get(`/payments/${payment.id}`)
    expect(body.refundable_amount).toBe(0)
    expect(body.business_refunds.map(({ status }: { status: string }) => status)).toEqual(['open', 'canceled'])
  })

  it('stores at most what settled of 100 creates at the same moment', async () => {
    const payment = await world.settled({ amount: 1_000n })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => world.create({ payment: payment.id, amount: 60 })),
    )
    const codes = Map.groupBy(answers, ({ headers }) => headers.get('error-code'))
    expect(codes.get(null)).toHaveLength(16)
    expect(codes.get('refund_too_large')).toHaveLength(84)
  })

  it('refuses the 21st that waits to be paid', async () => {
    const payment = await world.settled()
    for (let at = 0; at < 20; at += 1) await refund({ amount: 1 }, payment)
    const { status, headers } = await world.create({ payment: payment.id, amount: 1 })
    expect([status, headers.get('error-code')]).toEqual([409, 'too_many_refunds'])
  })

  it.each([
    ['neither', {}, 400],
    ['both', { payment: 'a', charge: 'b' }, 400],
    ['no such payment', { payment: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a99' }, 404],
    ['no id', { payment: 'x' }, 404],
    ['no such charge', { charge: '6f1c1f6e-7f3b-4a58-9a0e-2f6c0f3f9a99' }, 404],
  ])('refuses %s', async (_what, body, expected) => {
    expect((await world.create(body)).status).toBe(expected)
  })

  it('refuses a payment that has not settled', async () => {
    const payment = await world.settled({ legs: [] })
    const { status, headers } = await world.create({ payment: payment.id })
    expect([status, headers.get('error-code')]).toEqual([409, 'nothing_settled'])
  })

  it.each([
    [{ amount: 0 }, 400],
    [{ amount: 1.5 }, 400],
    [{ amount: -1 }, 400],
    [{ amount: '01' }, 400],
    [{ amount: 5, amount_usd_cents: 5 }, 400],
    [{ amount_usd_cents: 2_501 }, 409],
    [{ to: 'nobody' }, 400],
    [{ to: SYSTEM }, 400],
    [{ reverse_fee: true }, 400],
  ])('refuses %j', async (body, expected) => {
    const payment = await world.settled()
    expect((await world.create({ payment: payment.id, ...body })).status).toBe(expected)
  })

  it('refuses an amount in US cents that is less than a base unit', async () => {
    const payment = await world.settled({ amount: 3n })
    const { status, headers } = await world.create({ payment: payment.id, amount_usd_cents: 1 })
    expect([status, headers.get('error-code')]).toEqual([400, 'refund_too_small'])
  })

  it('refuses a sender that is a custodian or not certain, unless it says where to', async () => {
    const custodian = await wallet()
    world.custodians.set(custodian, 'Exchange')
    const ambiguous = [{ address: await wallet(), amount: units(WHOLE), obstacle: 'ambiguous' }] as const
    for (const senders of [[{ address: custodian, amount: units(WHOLE) }], ambiguous, []]) {
      const payment = await world.settled({ senders })
      const { status, headers } = await world.create({ payment: payment.id })
      expect([status, headers.get('error-code')]).toEqual([409, 'refund_recipient_unknown'])
      const to = await wallet()
      expect((await refund({ to }, payment)).recipient).toBe(to)
    }
    const own = await world.settled()
    expect((await world.create({ payment: own.id, to: world.payout })).status).toBe(400)
  })

  it('gives each of several senders at most what it paid, the largest first', async () => {
    const [small, large] = [await wallet(), await wallet()]
    const senders = [
      { address: small, amount: units(300n) },
      { address: large, amount: units(700n) },
    ]
    const payment = await world.settled({ senders, amount: 1_000n })
    const { status, headers } = await world.create({ payment: payment.id, amount: 701 })
    expect([status, headers.get('error-code')]).toEqual([409, 'refund_above_sender'])
    expect(await refund({}, payment)).toMatchObject({ recipient: large, amount: 700 })
    expect(await refund({}, payment)).toMatchObject({ recipient: small, amount: 300 })
    expect((await world.create({ payment: payment.id })).headers.get('error-code')).toBe('refund_too_large')
  })
})

const funded = (amount: number | bigint) => ({ lamports: makeLamports(amount), ownerProgram: SYSTEM, token: null })

describe('the transaction of a refund', () => {
  it('is made when one is read, names the key, and pays for a missing token account of the recipient', async () => {
    const payment = await world.settled({ asset: USDC.asset, amount: 5_000_000n })
    world.states.set(world.payout, funded(10_000_000))
    world.states.set(tokenAccountOf(world.payout), {
      ...funded(2_000_000),
      token: {
        mint: USDC.mint,
        owner: world.payout,
        amount: units(6_000_000n),
        frozen: false,
        withheld: units(0n),
        delegation: null,
        closeAuthority: null,
      },
    })
    const made = await refund({}, payment)
    expect(made).toMatchObject({ transaction_problem: null, account_rent_lamports: TOKEN_ACCOUNT_RENT })
    const { body } = await world.get(`/refunds/${made.id}`)
    const bytes = Buffer.from(body.transaction, 'base64')
    expect(bytes.includes(Buffer.from(bytesOfAddress(made.reference_key)))).toBe(true)
    expect(bytes.includes(Buffer.from(bytesOfAddress(world.payout)))).toBe(true)
    const { body: list } = await world.get(`/refunds?payment=${payment.id}`)
    expect(list.refunds[0]).not.toHaveProperty('transaction')
  })

  it('is null once the recipient is no wallet any more', async () => {
    const made = await refund()
    world.states.set(makeAddress(made.recipient), { ...funded(1), ownerProgram: TOKENS })
    expect((await world.get(`/refunds/${made.id}`)).body).toMatchObject({
      transaction: null,
      transaction_problem: "The recipient is a token's mint or token account, not a wallet.",
    })
  })

  it('is null once the token account of the recipient is not its own, and pays for one that holds only SOL', async () => {
    const made = await refund({}, await world.settled({ asset: USDC.asset, amount: 5_000_000n }))
    const holding = (owner: Address) => ({
      mint: USDC.mint,
      owner,
      amount: units(6_000_000n),
      frozen: false,
      withheld: units(0n),
      delegation: null,
      closeAuthority: null,
    })
    world.states.set(world.payout, funded(10_000_000))
    world.states.set(tokenAccountOf(world.payout), { ...funded(2_000_000), token: holding(world.payout) })
    const account = tokenAccountOf(makeAddress(made.recipient))
    world.states.set(account, { ...funded(2_000_000), token: holding(await wallet()) })
    const { body } = await world.get(`/refunds/${made.id}`)
    expect(body.transaction_problem).toBe('The token account of the recipient belongs to another wallet.')
    world.states.set(account, funded(2_000_000))
    expect((await world.get(`/refunds/${made.id}`)).body.account_rent_lamports).toBe(TOKEN_ACCOUNT_RENT)
    world.states.clear()
  })

  it('is null with a reason while the chain is away, and where it could not land', async () => {
    world.setAway(true)
    const made = await refund()
    expect(made).toMatchObject({ transaction: null, transaction_problem: 'The chain cannot be read now.' })
    world.setAway(false)
    world.states.set(world.payout, funded(5_000))
    const { body } = await world.get(`/refunds/${made.id}`)
    expect(body).toMatchObject({ id: made.id, transaction: null })
    expect(body.transaction_problem).toMatch('holds too little')
  })
})

describe('a transaction that names the key of a refund', () => {
  it('completes it when it pays the amount', async () => {
    const made = await refund()
    const signature = pay(made, WHOLE)
    expect(await shown(made.id)).toMatchObject({
      status: 'succeeded',
      paid_amount: Number(WHOLE),
      paid_by: [world.payout],
      signatures: [signature],
      payment_uri: null,
      transaction: null,
      problem: null,
    })
    expect(await eventsOf(made.id)).toEqual(['refund.created', 'refund.succeeded'])
  })

  it('adds up with others when it pays too little, and the link asks for the rest', async () => {
    const made = await refund({ amount: 1_000 })
    pay(made, 400n)
    const part = await shown(made.id)
    expect(part).toMatchObject({ status: 'processing', paid_amount: 400 })
    expect(part.payment_uri).toContain('amount=0.0000006&')
    pay(made, 600n)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_amount: 1_000 })
  })

  it('does not count when it pays less than a hundredth of the amount, unless it pays the last of it', async () => {
    const made = await refund({ amount: 1_000 })
    const dust = pay(made, 9n)
    const before = await shown(made.id)
    expect(before).toMatchObject({ status: 'open', paid_amount: 0 })
    expect(before.problem).toContain(`${dust} moved less than a hundredth`)
    pay(made, 995n)
    const last = pay(made, 5n)
    pay(made, 9n)
    const after = await shown(made.id)
    expect(after).toMatchObject({ status: 'succeeded', paid_amount: 1_000 })
    expect(after.signatures.at(-1)).toBe(last)
  })

  it('fails it at the end of its time when it paid too little, and what was paid stays counted', async () => {
    const payment = await world.settled({ amount: 1_000n })
    const made = await refund({}, payment)
    pay(made, 400n)
    await shown(made.id)
    await world.passEnd(REFUND_LIFE_MS)
    expect(await shown(made.id)).toMatchObject({ status: 'failed', paid_amount: 400 })
    expect(await eventsOf(made.id)).toEqual(['refund.created', 'refund.failed'])
    expect((await world.get(`/payments/${payment.id}`)).body.refundable_amount).toBe(600)
  })

  it('completes it when it pays too much, or twice', async () => {
    const made = await refund({ amount: 1_000 })
    pay(made, 1_500n)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_amount: 1_500 })
    pay(made, 1_500n)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_amount: 3_000 })
    expect(await eventsOf(made.id)).toEqual(['refund.created', 'refund.succeeded'])
  })

  it('does not count when it pays someone else, another asset or nothing, or failed, and the refund stays open', async () => {
    const made = await refund({ amount: 1_000 })
    const [stranger, recipient] = [await wallet(), makeAddress(made.recipient)]
    const problems: string[] = []
    const strange: [() => string][] = [
      [() => world.land([made.reference_key], [{ from: world.payout, to: stranger, amount: 1_000n }])],
      [
        () =>
          world.land([made.reference_key], [{ from: world.payout, to: recipient, amount: 1_000n, asset: USDC.asset }]),
      ],
      [() => world.land([made.reference_key], [{ from: world.payout, to: recipient, amount: 1_000n }], '{"Custom":1}')],
    ]
    for (const [land] of strange) {
      const signature = land()
      const { status, paid_amount, problem } = await shown(made.id)
      expect([status, paid_amount]).toEqual(['open', 0])
      problems.push(problem.replace(signature, '…'))
    }
    expect(problems).toEqual([
      'The transaction … moved nothing to the recipient.',
      'The transaction … moved another asset to the recipient.',
      'The transaction … failed on the chain.',
    ])
    pay(made, 1_000n)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', problem: null })
  })

  it('completes it from another wallet, which paid_by names', async () => {
    const made = await refund({ amount: 1_000 })
    const other = await wallet()
    pay(made, 1_000n, other)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_by: [other] })
  })

  it('is divided among the refunds that it names, and is never counted twice', async () => {
    const payment = await world.settled({ amount: 2_000n })
    const first = await refund({ amount: 400 }, payment)
    world.pass(1)
    const second = await refund({ amount: 600 }, payment)
    pay(first, 700n, world.payout, [first.reference_key, second.reference_key])
    expect(await shown(second.id)).toMatchObject({ status: 'processing', paid_amount: 300 })
    expect(await shown(first.id)).toMatchObject({ status: 'succeeded', paid_amount: 400 })
    expect(await shown(second.id)).toMatchObject({ paid_amount: 300 })
  })

  it('is found in a long history that a stranger made, of which a part is read at a time', async () => {
    const made = await refund({ amount: 1_000 })
    pay(made, 1_000n)
    const stranger = await wallet()
    for (let at = 0; at < 150; at += 1) world.land([made.reference_key], [{ from: stranger, to: stranger, amount: 0n }])
    for (let at = 0; at < 10; at += 1) await shown(made.id)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_amount: 1_000 })
  })
})

describe('a refund that is not paid', () => {
  it('expires after its time', async () => {
    const payment = await world.settled()
    const made = await refund({}, payment)
    await world.passEnd(REFUND_LIFE_MS)
    expect(await shown(made.id)).toMatchObject({ status: 'expired', paid_amount: 0 })
    expect(await eventsOf(made.id)).toEqual(['refund.created', 'refund.failed'])
    expect((await refund({}, payment)).amount).toBe(Number(WHOLE))
  })

  it('expires when its transaction does not name the key', async () => {
    const made = await refund()
    pay(made, WHOLE, world.payout, [])
    await world.passEnd(REFUND_LIFE_MS)
    expect(await shown(made.id)).toMatchObject({ status: 'expired' })
  })

  it('does not expire while the chain cannot be read', async () => {
    const made = await refund()
    await world.passEnd(REFUND_LIFE_MS)
    world.setAway(true)
    await world.lookDue()
    expect(world.errors.length).toBeGreaterThan(0)
    world.errors.length = 0
    expect((await world.get(`/refunds/${made.id}`)).body.status).toBe('open')
    world.setAway(false)
    pay(made, WHOLE)
    world.pass(20_000)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded' })
  })

  it('does not expire before the chain has gone on after its time, and was read to there', async () => {
    const made = await refund()
    world.setChainLag(30_000)
    await world.passEnd(REFUND_LIFE_MS)
    expect(await shown(made.id)).toMatchObject({ status: 'open' })
    world.setProviderLag(60_000)
    pay(made, WHOLE)
    world.pass(CLOSING_MS)
    await world.lookDue()
    expect(world.errors.length).toBeGreaterThan(0)
    world.errors.length = 0
    expect((await world.get(`/refunds/${made.id}`)).body.status).toBe('open')
    world.setProviderLag(0)
    world.pass(30_000)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded' })
  })

  it('does not expire while the chain stands still: what was signed before lands when it goes on', async () => {
    const [open, canceled] = [await refund(), await refund()]
    world.pass(REFUND_LIFE_MS - 10_000)
    await world.cancel(canceled.id)
    world.halt(6 * 3_600_000)
    for (const { id } of [open, canceled]) expect((await shown(id)).ended_at).toBeNull()
    world.halt(3_600_000)
    for (const { id } of [open, canceled]) expect((await shown(id)).ended_at).toBeNull()
    for (const one of [open, canceled]) pay(one, WHOLE)
    for (const { id } of [open, canceled]) expect(await shown(id)).toMatchObject({ status: 'succeeded' })
  })

  it('is asked back to the slot of its creation, and no further', async () => {
    world.forgetBlocks()
    const made = await refund()
    await world.passEnd(REFUND_LIFE_MS)
    expect(await shown(made.id)).toMatchObject({ status: 'expired' })
  })

  it('is read ever more rarely while it cannot be read, also when someone reads it', async () => {
    const made = await refund()
    world.setAway(true)
    const failuresAfter = async (ms: number): Promise<number> => {
      world.pass(ms)
      await world.get(`/refunds/${made.id}`)
      await world.lookDue()
      const [row] = await db.query<{ failed: number }>(
        'SELECT failed_looks AS failed FROM refunds WHERE id = $1::uuid',
        [made.id],
      )
      return row?.failed ?? 0
    }
    const pauses = [5_000, 9_000, 1_000, 19_000, 1_000, 39_000, 1_000]
    const failures: number[] = []
    for (const pause of pauses) failures.push(await failuresAfter(pause))
    expect(failures).toEqual([1, 1, 2, 2, 3, 3, 4])
    world.errors.length = 0
    world.setAway(false)
    pay(made, WHOLE)
    world.pass(80_000)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded' })
    expect(await failuresAfter(0)).toBe(0)
  })

  it('has no transaction and no link from a minute before its time is over, and still takes what lands then', async () => {
    const made = await refund()
    world.states.set(world.payout, funded(10n * WHOLE))
    world.pass(REFUND_LIFE_MS - 60_001)
    const { body: before } = await world.get(`/refunds/${made.id}`)
    expect([before.payment_uri, before.transaction]).not.toContain(null)
    world.pass(1)
    const none = { payment_uri: null, transaction: null, transaction_problem: 'The time of the refund is over.' }
    expect((await world.get(`/refunds/${made.id}`)).body).toMatchObject({ status: 'open', ...none })
    world.pass(60_000 + 25_000)
    expect(await shown(made.id)).toMatchObject({ status: 'open', ...none })
    pay(made, WHOLE)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded' })
    world.states.clear()
  })

  it('shows as a problem what lands after it has ended, for seven days, and does not count it', async () => {
    const payment = await world.settled()
    const made = await refund({}, payment)
    await world.passEnd(REFUND_LIFE_MS)
    const ended = await shown(made.id)
    const signature = pay(made, WHOLE)
    world.pass(6 * 3_600_000)
    await world.lookDue()
    const { body } = await world.get(`/refunds/${made.id}`)
    expect(body).toMatchObject({ status: 'expired', paid_amount: 0, ended_at: ended.ended_at })
    expect(body.problem).toContain(`${signature} moved ${WHOLE} base units to the recipient after the refund had ended`)
    expect((await world.get(`/payments/${payment.id}`)).body.refundable_amount).toBe(Number(WHOLE))
    world.pass(7 * 24 * 3_600_000)
    await world.lookDue()
    const calls = world.calls
    world.pass(7 * 24 * 3_600_000)
    await world.lookDue()
    expect(world.calls).toBe(calls)
  })
})

describe('POST /refunds/:id/cancel', () => {
  it('ends the offers at once, and frees the amount when nothing can land any more', async () => {
    const payment = await world.settled()
    const made = await refund({}, payment)
    const canceled = { status: 'canceled', payment_uri: null }
    expect((await world.cancel(made.id)).body).toMatchObject({ ...canceled, ended_at: null })
    expect((await world.cancel(made.id)).body).toMatchObject(canceled)
    expect((await world.get(`/refunds/${made.id}`)).body).toMatchObject({ ...canceled, transaction: null })
    const again = await world.create({ payment: payment.id })
    expect(again.headers.get('error-code')).toBe('refund_too_large')
    world.setChainLag(30_000)
    await world.passEnd(0)
    expect(await shown(made.id)).toMatchObject({ ...canceled, ended_at: null })
    await world.passEnd(0)
    expect((await shown(made.id)).ended_at).not.toBeNull()
    expect((await refund({}, payment)).amount).toBe(Number(WHOLE))
    expect(await eventsOf(made.id)).toEqual(['refund.created'])
  })

  it('does not lose a transaction that a wallet had signed before', async () => {
    const payment = await world.settled()
    const made = await refund({}, payment)
    await world.cancel(made.id)
    world.pass(60_000)
    pay(made, WHOLE)
    await world.passEnd(0)
    expect(await shown(made.id)).toMatchObject({ status: 'succeeded', paid_amount: Number(WHOLE) })
    expect(await eventsOf(made.id)).toEqual(['refund.created', 'refund.succeeded'])
    expect((await world.create({ payment: payment.id })).headers.get('error-code')).toBe('refund_too_large')
    expect((await world.cancel(made.id)).body.error).toBe(
      'the refund can no longer be canceled: its status is succeeded',
    )
  })

  it('keeps counted what was paid, before and after it', async () => {
    const payment = await world.settled({ amount: 1_000n })
    const made = await refund({}, payment)
    pay(made, 300n)
    expect(await shown(made.id)).toMatchObject({ status: 'processing' })
    expect((await world.cancel(made.id)).body).toMatchObject({ status: 'canceled', paid_amount: 300 })
    pay(made, 100n)
    await world.passEnd(0)
    expect(await shown(made.id)).toMatchObject({ status: 'canceled', paid_amount: 400 })
    expect((await world.get(`/payments/${payment.id}`)).body.refundable_amount).toBe(600)
  })

  it('needs no chain, and no stranger who knows the key can forbid it', async () => {
    const made = await refund({ amount: 1_000 })
    const stranger = await wallet()
    for (let at = 0; at < 25; at += 1) world.land([made.reference_key], [{ from: stranger, to: stranger, amount: 0n }])
    world.setAway(true)
    expect((await world.cancel(made.id)).body).toMatchObject({ status: 'canceled' })
    world.setAway(false)
    await world.passEnd(0)
    for (let at = 0; at < 3; at += 1) await shown(made.id)
    expect((await shown(made.id)).ended_at).not.toBeNull()
  })
})

it('a refund that is created or canceled is in the audit log once, with the key that asked', async () => {
  const payment = await world.settled()
  const made = await refund({ reference: 'audited', amount: 5 }, payment)
  await world.create({ payment: payment.id, reference: 'audited' })
  await world.cancel(made.id)
  await world.cancel(made.id)
  const entries = await db.query<{ action: string; actor: string; changes: object }>(
    `SELECT action, actor_kind AS actor, changes FROM audit_log WHERE changes #>> '{refund_id,1}' = $1 ORDER BY position`,
    [made.id],
  )
  expect(entries).toEqual([
    {
      action: 'refund.created',
      actor: 'api_key',
      changes: {
        refund_id: [null, made.id],
        payment_id: [payment.id, payment.id],
        amount: [null, '5'],
        asset: [null, 'SOL'],
        recipient: [null, payment.buyer],
      },
    },
    {
      action: 'refund.canceled',
      actor: 'api_key',
      changes: { refund_id: [made.id, made.id], status: ['open', 'canceled'] },
    },
  ])
})

describe('a refund of a charge', () => {
  it('goes to the subscriber, in US cents at a dollar for a token, and is at most the charge with its fee', async () => {
    const tier = await addTier(db, world.tenant)
    const subscriber = await wallet()
    const { charge, subscription } = await addSubscription(db, tier, NOW.getTime(), {}, { wallet: subscriber })
    const { status, body } = await world.create({ charge: charge.id, amount_usd_cents: 40 })
    expect([status, body.amount, body.mint, body.recipient]).toEqual([200, 400_000, tier.mint, subscriber])
    expect(body).toMatchObject({ payment_id: null, charge_id: charge.id, payer: world.payout })
    expect(body.subscription_id).toBe(subscription.id)
    const { body: rest } = await world.create({ charge: charge.id })
    expect(rest.amount).toBe(600_000)
    expect((await world.create({ charge: charge.id })).headers.get('error-code')).toBe('refund_too_large')
    const { body: list } = await world.get(`/refunds?charge=${charge.id}`)
    expect(list.refunds).toHaveLength(2)
  })

  it('is refused while the charge has not succeeded, and of a charge of another business', async () => {
    const open = await addSubscription(db, await addTier(db, world.tenant), NOW.getTime(), { status: 'incomplete' })
    const unpaid = await world.create({ charge: open.charge.id })
    expect([unpaid.status, unpaid.headers.get('error-code')]).toEqual([409, 'nothing_settled'])
    const other = await addSubscription(db, await addTier(db, await addBusiness(db)), NOW.getTime())
    expect((await world.create({ charge: other.charge.id })).status).toBe(404)
  })
})

describe('a refund of a payment for a seller', () => {
  it('is paid by the seller, and the marketplace gives its exact part from its fee wallet', async () => {
    const seller = await world.addSeller()
    const legs = [
      ['seller', 900n],
      ['marketplace', 101n],
    ] as const
    const payment = await world.settled({ sellerId: seller.id, amount: 1_001n, legs })
    expect(await refund({ amount: 1 }, payment)).toMatchObject({ payer: seller.wallet, marketplace_part: null })
    const parts: number[] = []
    for (const amount of [333, 333, 334]) {
      const made = await refund({ amount, reverse_fee: true }, payment)
      expect(made).toMatchObject({ payer: seller.wallet, reverse_fee: true })
      expect(made.marketplace_part).toMatchObject({
        payer: world.feeWallet,
        part: 'marketplace',
        part_of: made.id,
        recipient: payment.buyer,
      })
      expect(made.amount + made.marketplace_part.amount).toBe(amount)
      parts.push(made.marketplace_part.amount)
    }
    expect(parts).toEqual([33, 34, 33])
    const { body } = await world.get('/refunds?status=open&limit=2')
    expect(body.refunds).toHaveLength(2)
    expect(body.next_cursor).not.toBeNull()
  })
})
