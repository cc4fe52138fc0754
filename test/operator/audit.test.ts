// The audit as the operator runs it: it sums all pages, shows differences, and has an exit code for scripts.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/engine.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { type Asset, type Network, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { runOperator, type Terminal } from '#operator/program.ts'
import { createProgress } from '#operator/shell.ts'
import { createAuditServices } from '#services/audit/audit.ts'
import type { AuditPage } from '#services/audit/audit-services.ts'
import type { Services } from '#services/services.ts'
import { NO_BILLING } from '../support/audited.ts'
import { openTestDatabase } from '../support/database.ts'
import { MINT } from '../support/example-intent.ts'
import { addressNo, FEE_PAYER, NOW, SOL_TOKEN, signatureNo, USDC } from '../support/payment.ts'
import { OPERATOR_TOKEN, startTestService, type TestService } from '../support/services.ts'
import { addAccount } from '../support/webhook-rows.ts'

/** The operation of an audit. */
type AuditServices = Pick<Services['audit'], 'scope' | 'page'>
type Audited = AuditPage['addresses'][number]

const LAMPORTS = 1_000_000_000n
const noRent = makeLamports(0n)

/** An address without a difference that contains `held` of each of its assets. */
const sound = (intentIndex: number, held: bigint, assets: readonly Asset[] = [SOL, MINT]): Audited => ({
  intentIndex,
  address: addressNo(intentIndex),
  derivedAddress: addressNo(intentIndex),
  tokenAccountLamports: noRent,
  balances: assets.map((asset) => ({
    account: addressNo(intentIndex),
    asset,
    ledger: held,
    chain: held,
    inFlight: 0n,
    unbooked: 0n,
    difference: 0n,
  })),
  flows: assets.map((asset) => ({
    asset,
    received: held + 30n,
    settled: 20n,
    returned: 10n,
    remaining: held,
    difference: 0n,
  })),
})

/** Pages of two addresses of one network. */
function auditOf(addresses: readonly Audited[], served: readonly Network[] = ['live']): AuditServices {
  return {
    scope: async (network) =>
      served.includes(network)
        ? { addresses: addresses.length, feePayer: FEE_PAYER, feePayerLamports: makeLamports(LAMPORTS) }
        : null,
    async page(_network, { afterIndex }) {
      const left = addresses.filter(({ intentIndex }) => intentIndex > afterIndex)
      const page = left.slice(0, 2)
      return {
        addresses: page,
        feePayer: { spent: BigInt(page.length) * 5_000n, repaid: 1n, rent: 10n },
        nextIndex: left.length > 2 ? (page.at(-1)?.intentIndex ?? null) : null,
      }
    },
  }
}

let audit: AuditServices
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    services: {
      audit: { scope: (network) => audit.scope(network), page: (network, page) => audit.page(network, page) },
      statsAudit: { page: async () => ({ accounts: 0, differences: [], next: null }) },
      billingAudit: NO_BILLING,
      tokens: { list: async () => [SOL_TOKEN, USDC] },
    },
  })
})
afterAll(() => service.close())

async function run(args: readonly string[], given: AuditServices, terminal: Partial<Terminal> = {}) {
  audit = given
  const out: string[] = []
  const err: string[] = []
  const code = await runOperator(
    ['--url', service.url, 'audit', ...args],
    { OPERATOR_TOKEN },
    { out: (line) => out.push(line), err: (line) => err.push(line), ...terminal },
  )
  return { code, out: out.join('\n'), err }
}

const clean = [sound(3, 0n), sound(5, 1_500_000n), sound(9, 2n ** 62n), sound(10, 0n, [SOL])]

describe('an audit without a difference', () => {
  it('exits with 0 and prints one JSON object with the exact sums of all pages', async () => {
    const { code, out } = await run(['--json'], auditOf(clean))
    expect(code).toBe(0)
    const held = (2n ** 62n + 1_500_000n).toString()
    expect(out).toContain(`"ledger":${held},"chain":${held},"in_flight":0,"unbooked":0,"difference":0`)
    expect(JSON.parse(out)).toMatchObject({
      clean: true,
      networks: [
        {
          network: 'live',
          addresses: 4,
          assets: [
            { asset: 'SOL', addresses: 4, settled: 80, returned: 40 },
            { asset: MINT, addresses: 3, settled: 60, returned: 30 },
          ],
          fee_payer: { address: FEE_PAYER, spent: 20_000, repaid: 2, rent_returned: 20, funded: 1_000_019_978 },
        },
      ],
      differences: [],
    })
  })

  it('is a table for people, each asset in its own units, and says that nothing differs', async () => {
    const { out } = await run([], auditOf([sound(5, 1_500_000n)]))
    const [headers, lamports, tokens] = out.split('\n')
    expect(headers).toMatch(/^network +asset +addresses +ledger +chain +in flight +not booked +difference$/)
    expect(lamports).toMatch(/^live +SOL +1 +0\.0015 +0\.0015 +0 +0 +0$/)
    expect(tokens).toMatch(/^live +USDC +1 +1\.5 +1\.5 +0 +0 +0$/)
    expect(out).toContain(
      'holds 1 SOL: it was funded with 1.000004989 SOL, and spent 0.000005 SOL on fees and rent. ' +
        'Transfers in SOL repaid 0.000000001 SOL, and closed token accounts returned 0.00000001 SOL.',
    )
    expect(out).toContain('Every lamport and every token is accounted for.')
  })

  it('covers both networks where both are served, or the named network', async () => {
    const both = auditOf(clean, ['live', 'test'])
    const networks = async (...args: string[]) =>
      JSON.parse((await run([...args, '--json'], both)).out).networks.map(
        ({ network }: { network: Network }) => network,
      )
    expect(await networks()).toEqual(['live', 'test'])
    expect(await networks('--network', 'test')).toEqual(['test'])
  })
})

describe('a difference', () => {
  const [first, second] = [sound(5, 7n, [SOL]), sound(6, 7n, [MINT])]
  const balance = (audited: Audited, difference: bigint): Audited => ({
    ...audited,
    balances: audited.balances.map((one) => ({ ...one, chain: one.chain + difference, difference })),
  })

  it.each([
    [
      'more on the chain',
      balance(first, 9n),
      'balance',
      9,
      /a payment that was not booked.*audit again after a minute/,
    ],
    [
      'less on the chain',
      balance(first, -9n),
      'balance',
      -9,
      /send nothing from there any more.*When many differ at once, stop/,
    ],
    [
      'a flow',
      { ...first, flows: [{ ...sound(5, 7n, [SOL]).flows[0], difference: 4n }] } as Audited,
      'flow',
      4,
      /deposits and transfers of payment 5/,
    ],
    ['an address', { ...first, address: 'altered' }, 'address', null, /The seed gives .* from a backup/],
  ])('in %s exits with 1, and says where it is and what to do', async (_case, bent, kind, difference, next) => {
    const { code, out, err } = await run(['--json'], auditOf([sound(2, 1n), bent]))
    const message = 'one address differs: the books are not what the chain says'
    expect([code, JSON.parse(err.at(-1) ?? '')]).toEqual([1, { error: { code: 'differences_found', message } }])
    const answer = JSON.parse(out)
    expect(answer.clean).toBe(false)
    expect(answer.differences).toMatchObject([{ network: 'live', intent_index: 5, kind, difference }])
    expect(answer.differences[0].next).toMatch(next)
  })

  it('is not cancelled out by an opposite difference', async () => {
    const { code, out } = await run(
      [],
      auditOf([balance(first, 9n), balance(second, -9n), balance(sound(8, 0n, [SOL]), -9n)]),
    )
    expect(code).toBe(1)
    expect(out).toMatch(/^ {2}- live payment 5, \S+, 0\.000000009 SOL\. The chain holds more/m)
    expect(out).toMatch(/^ {2}- live payment 6, \S+, -0\.000009 USDC\. The chain holds less/m)
    expect(out).not.toContain('is accounted for')
  })
})

describe('a token in an account that is not watched, and that is not in the books', () => {
  const first = sound(5, 7n, [MINT])
  const account = addressNo(77)
  const other = { account, asset: MINT, ledger: 0n, chain: 40n, inFlight: 0n, unbooked: 40n, difference: 0n }
  const given = auditOf([{ ...first, balances: [...first.balances, other] }])

  it('is listed separately, and the exit code is 0', async () => {
    const { code, out } = await run(['--json'], given)
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      clean: true,
      networks: [{ assets: [{ asset: MINT, ledger: 7, chain: 47, unbooked: 40, difference: 0 }] }],
      differences: [],
      unbooked: [{ network: 'live', intent_index: 5, account, asset: MINT, amount: 40 }],
    })
  })

  it('has its account and amount in the text for people', async () => {
    const { out } = await run([], given)
    expect(out).toMatch(/^live +USDC +2 +0\.000007 +0\.000047 +0 +0\.00004 +0$/m)
    expect(out).toContain(`  - live payment 5, ${account}, 0.00004 USDC`)
    expect(out).toContain('Every lamport and every token is accounted for.')
  })
})

describe('what cannot be audited', () => {
  it('exits with 3 when the chain is unreachable, without a result', async () => {
    const away = () => Promise.reject(new ServiceError('chain_unavailable'))
    expect(await run(['--json'], { ...auditOf(clean), page: away })).toMatchObject({ code: 3, out: '' })
  })

  it('exits with 1 when the network is not served', async () => {
    const { code, out, err } = await run(['--network', 'test'], auditOf(clean))
    expect([code, out, err]).toEqual([1, '', ['this deployment does not serve that network']])
  })
})

describe('while it runs', () => {
  it('a terminal shows a bar that disappears at the end', async () => {
    const drawn: string[] = []
    await run(['--json'], auditOf(clean), { redraw: (text) => drawn.push(text) })
    expect(drawn).toEqual([
      `\r\x1b[KAuditing the live network [${'#'.repeat(15)}${'-'.repeat(15)}] 50%  2 of 4`,
      `\r\x1b[KAuditing the live network [${'#'.repeat(30)}] 100%  4 of 4`,
      '\r\x1b[K',
    ])
  })

  it('without a terminal it is a line with the percentage, separate from the result', async () => {
    const { err } = await run(['--json'], auditOf(clean))
    expect(err).toEqual(['Auditing the live network: 50%, 2 of 4', 'Auditing the live network: 100%, 4 of 4'])
  })

  it('at most one line for every ten percent', () => {
    const lines: string[] = []
    const progress = createProgress('Walking', null, (line) => lines.push(line))
    for (let at = 0; at <= 1_000; at += 1) progress.at(at, 1_000)
    expect(lines).toHaveLength(11)
  })
})

describe('over a real database', () => {
  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())

  it('a planted entry changes the exit code from 0 to 1', async () => {
    const keys = createDepositKeys(new Uint8Array(64).fill(3))
    const chain = {
      readAccounts: async (accounts: readonly unknown[]) => ({ slot: 900n, states: accounts.map(() => null) }),
      tokenAccounts: async () => [],
    }
    const given = createAuditServices({
      audit: createAuditStore(db),
      halts: createHaltStore(db),
      wallClock: { now: () => NOW },
      keys,
      directory: { tokens: async () => new Map([[SOL, SOL_TOKEN]]) },
      networks: { live: { chain, feePayer: FEE_PAYER }, test: null },
    })
    const accountId = await addAccount(db)
    const [account] = await db.query<{ index: number }>('SELECT derivation_index AS index FROM accounts')
    const address = keys.addressOf({ network: 'live', branch: 'deposit', account: account?.index ?? 0, intent: 40 })
    await db.query(
      `INSERT INTO payment_intents (id, network, account_id, caller_account_id, derivation_index, address,
         client_secret_hash, price_usd_cents, accepted_assets, payee_label, expires_at)
       VALUES (gen_random_uuid(), 'live', $1, $1, 40, $2, $3, 2500, '{SOL}', 'Corner Shop', now())`,
      [accountId, address, randomBytes(32)],
    )
    expect(await run([], given)).toMatchObject({ code: 0 })
    await db.query(
      `INSERT INTO ledger_entries (network, address, account, asset, delta, signature, slot, kind)
       VALUES ('live', $1, $1, 'SOL', 12345, $2, 5, 'deposit')`,
      [address, signatureNo(1)],
    )
    const { code, out } = await run([], given)
    expect(code).toBe(1)
    expect(out).toContain(`live payment 40, ${address}, -0.000012345 SOL.`)
  })
})
