// The audit over both engines and a chain of a few accounts: real keys, a real ledger, planted differences.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest'
import { createAuditStore } from '#adapters/prisma/audit/audit-store.ts'
import { createHaltStore } from '#adapters/prisma/audit/halt-store.ts'
import type { Database } from '#adapters/prisma/engine/database.ts'
import { createSettingStore } from '#adapters/prisma/platform/platform-store.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { makeAddress } from '#core/chain/base58.ts'
import { isPublicKey } from '#core/chain/public-key.ts'
import { type AccountState, type Address, type Asset, SOL } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { startChange, step } from '#core/payments/change.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { runOperator } from '#operator/program.ts'
import type { BalanceReader, TokenAccountReader, TokenBalance } from '#ports/chain.ts'
import { createAuditServices } from '#services/audit/audit.ts'
import { createReconciler } from '#services/audit/reconcile.ts'
import { createDepositObserver } from '#services/detection/observe.ts'
import { decideAndApply } from '#services/payments/decide.ts'
import { isSound } from '../../support/audited.ts'
import { describeOnBothEngines, emptyTables, openTestDatabase } from '../../support/database.ts'
import { MERCHANT, MINT } from '../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  choice,
  context,
  FEE_PAYER,
  NOW,
  observedDeposit,
  SOL_TOKEN,
  signatureNo,
  UNKNOWN_MINT,
  USDC,
} from '../../support/payment.ts'
import { OPERATOR_TOKEN, startTestService } from '../../support/services.ts'
import { createWorld, PRICE, startInstance } from '../../support/settling-world.ts'
import { addBusiness, addIntent, storesOf } from '../../support/stores.ts'
import { toyKeys } from '../../support/toy-chain.ts'
import { addAccount } from '../../support/webhook-rows.ts'

describeOnBothEngines('the audit', (open) => {
  const keys = createDepositKeys(new Uint8Array(64).fill(5))
  const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
  const RENT = 2_039_280n
  const SLOT = 500n

  type Place = { account?: string; asset?: Asset }
  type Intent = { readonly id: string; readonly index: number; readonly address: Address }

  let db: Database
  let accountId: string
  let held: Map<Address, AccountState>
  /** The number of accounts of each call to the chain. */
  let calls: (readonly Address[])[]
  let numbers = 0

  /** By owner, its token accounts. */
  let owned: Map<Address, readonly TokenBalance[]>
  const chain: BalanceReader & TokenAccountReader = {
    tokenAccounts: async (owner) => owned.get(owner) ?? [],
    async readAccounts(accounts) {
      if (!accounts.every(isPublicKey)) throw new Error('a provider refuses the whole call')
      calls.push(accounts)
      return { slot: SLOT, states: accounts.map((account) => held.get(account) ?? null) }
    },
  }
  const tokens = new Map<Asset, typeof USDC>([
    [SOL, SOL_TOKEN],
    [MINT, { ...USDC, tokenProgram: TOKEN_PROGRAM }],
  ])
  const services = () =>
    createAuditServices({
      audit: createAuditStore(db),
      halts: createHaltStore(db),
      wallClock: { now: () => NOW },
      keys,
      directory: { tokens: async () => tokens },
      networks: { live: { chain, feePayer: FEE_PAYER }, test: null },
    })
  const page = (afterIndex = 0, limit = 200) => services().page('live', { afterIndex, limit })
  const only = async () => {
    const { addresses } = await page()
    const [first] = addresses
    if (first === undefined || addresses.length > 1) throw new Error('the audit has one address')
    return first
  }

  beforeAll(async () => {
    db = await open()
  })
  beforeEach(async () => {
    await emptyTables(db, 'accounts', 'ledger_entries')
    accountId = await addAccount(db)
    held = new Map()
    owned = new Map()
    calls = []
  })

  async function issue({ address, accepts = [SOL, MINT] }: { address?: string; accepts?: string[] } = {}) {
    const [row] = await db.query<{ id: string; index: number; account: number }>(
      `INSERT INTO payment_intents (id, network, account_id, caller_account_id, address, client_secret_hash,
         price_usd_cents, accepted_assets, payee_label, expires_at)
       VALUES (gen_random_uuid(), 'live', $1, $1, $2, $3, 2500, $4, 'Corner Shop', now())
       RETURNING id, derivation_index AS index, (SELECT derivation_index FROM accounts WHERE id = $1) AS account`,
      [accountId, address ?? `unset ${randomBytes(8).toString('hex')}`, randomBytes(32), accepts],
    )
    if (row === undefined) throw new Error('nothing was inserted')
    const derived = keys.addressOf({ network: 'live', branch: 'deposit', account: row.account, intent: row.index })
    if (address === undefined)
      await db.query('UPDATE payment_intents SET address = $2 WHERE id = $1', [row.id, derived])
    return { id: row.id, index: row.index, address: derived }
  }
  const tokenAccount = ({ address }: Intent) => keys.tokenAccountOf(address, MINT, TOKEN_PROGRAM)

  const signature = () => {
    numbers += 1
    return signatureNo(numbers)
  }
  const entry = (
    { id, address }: Intent,
    delta: bigint,
    {
      account = address,
      asset = SOL,
      slot = 100n,
      owner = address,
      kind = 'other',
    }: Place & { slot?: bigint; owner?: string; kind?: string } = {},
  ) =>
    db.query(
      `INSERT INTO ledger_entries (network, address, account, asset, delta, signature, slot, kind, subject_id)
       VALUES ('live', $1, $2, $3, $4, $5, $6, $8, $7)`,
      [owner, account, asset, delta, signature(), slot, id, kind],
    )
  const deposit = ({ id, address }: Intent, amount: bigint, { account = address, asset = SOL }: Place = {}) =>
    db.query(
      `INSERT INTO deposits (network, intent_id, account, asset, amount, signature, slot, senders, use)
       VALUES ('live', $1, $2, $3, $4, $5, 100, '[]', 'applied')`,
      [id, account, asset, amount, signature()],
    )
  async function transfer(
    { id, address, index }: Intent,
    legs: readonly { role: string; amount: bigint }[],
    { status = 'done', asset = SOL, attempt = 'final_ok' }: { status?: string; asset?: Asset; attempt?: string } = {},
  ) {
    const [row] = await db.query<{ id: string }>(
      `INSERT INTO transfers (key, network, subject_kind, subject_id, kind, account_id, intent_id, source, authority,
         authority_key, asset, decimals, token_program, updated_at)
       VALUES ($1, 'live', 'payment', $3, 'sweep', $2, $3, $4, $4, $5, $6, 9, $7, now()) RETURNING id`,
      [
        `sweep:${signature()}`,
        accountId,
        id,
        address,
        `deposit/1/${index}`,
        asset,
        asset === SOL ? null : TOKEN_PROGRAM,
      ],
    )
    for (const [position, leg] of legs.entries())
      await db.query(
        `INSERT INTO transfer_legs (transfer_id, position, role, destination, amount, moved_amount)
         VALUES ($1, $2, $3, $4, $5, $6)`,
        [
          row?.id ?? '',
          position,
          leg.role,
          leg.role === 'network_fee' ? FEE_PAYER : MERCHANT,
          leg.amount,
          status === 'done' ? leg.amount : null,
        ],
      )
    await db.query('UPDATE transfers SET status = $2::transfer_status WHERE id = $1', [row?.id ?? '', status])
    await db.query(
      `INSERT INTO transfer_attempts (transfer_id, number, state, source, message, wire, signature, blockhash,
         last_valid_block_height, known_signature, fence)
       VALUES ($1, 1, $2::attempt_state, $3, $4, $4, $5, 'hash', 1, 'known', 4)`,
      [row?.id ?? '', attempt, address, randomBytes(8), signature()],
    )
  }
  const holds = (account: Address, lamports: bigint, token: AccountState['token'] = null) =>
    held.set(account, { lamports: makeLamports(lamports), ownerProgram: TOKEN_PROGRAM, token })
  const holdsToken = (account: Address, owner: Address, amount: bigint) =>
    holds(account, RENT, {
      mint: MINT,
      owner,
      amount: makeBaseUnits(amount),
      frozen: false,
      withheld: makeBaseUnits(0n),
      delegation: null,
      closeAuthority: null,
    })

  it('finds no difference in a payment that is booked, settled and swept', async () => {
    const intent = await issue()
    await deposit(intent, 100n)
    await entry(intent, 100n)
    await transfer(intent, [
      { role: 'merchant', amount: 90n },
      { role: 'refund', amount: 10n },
    ])
    await entry(intent, -100n)
    const { addresses } = await page()
    expect(addresses).toMatchObject([
      {
        intentIndex: intent.index,
        address: intent.address,
        derivedAddress: intent.address,
        balances: [
          { account: intent.address, asset: SOL, ledger: 0n, chain: 0n, inFlight: 0n, difference: 0n },
          { account: await tokenAccount(intent), asset: MINT, ledger: 0n, chain: 0n, difference: 0n },
        ],
        flows: [{ asset: SOL, received: 100n, settled: 90n, returned: 10n, remaining: 0n, difference: 0n }],
      },
    ])
  })

  it('adds up what the fee payer spent and was repaid, although one transaction did both', async () => {
    const intent = await issue()
    const ofFeePayer = (delta: bigint, kind: string) =>
      entry(intent, delta, { owner: FEE_PAYER, account: FEE_PAYER, kind })
    await transfer(intent, [
      { role: 'merchant', amount: 90n },
      { role: 'network_fee', amount: 10_000n },
    ])
    await ofFeePayer(-32n, 'sweep')
    // Its balance did not change: the ledger has no entry.
    await transfer(intent, [{ role: 'network_fee', amount: 10_000n }])
    // A transfer that is not done has repaid nothing.
    await transfer(intent, [{ role: 'network_fee', amount: 10_000n }], { status: 'failed', attempt: 'final_err' })
    await ofFeePayer(-10_032n, 'fee')
    await ofFeePayer(2_029_280n, 'rent')
    expect((await page()).feePayer).toEqual({ spent: 30_064n, repaid: 20_000n, rent: 2_029_280n })
  })

  it('reads tokens in the accounts that deposits and entries name, and reports the rent separately', async () => {
    const intent = await issue({ accepts: [SOL] })
    const unusual = addressNo(77)
    await deposit(intent, 40n, { account: unusual, asset: MINT })
    await entry(intent, 40n, { account: unusual, asset: MINT })
    holdsToken(unusual, intent.address, 40n)
    const audited = await only()
    expect(isSound(audited)).toBe(true)
    expect(audited.balances).toContainEqual(expect.objectContaining({ account: unusual, asset: MINT, chain: 40n }))
    expect(audited.tokenAccountLamports).toBe(RENT)
  })

  it('finds a token in another account, as not booked: a stranger can make the address its owner', async () => {
    const intent = await issue()
    const unusual = addressNo(77)
    owned.set(intent.address, [{ account: unusual, mint: MINT, amount: makeBaseUnits(40n) }])
    holdsToken(unusual, intent.address, 40n)
    const audited = await only()
    expect(audited.balances).toContainEqual(
      expect.objectContaining({ account: unusual, asset: MINT, ledger: 0n, chain: 40n, unbooked: 40n, difference: 0n }),
    )
    expect(isSound(audited)).toBe(true)
  })

  it('leaves out a token that is not allowed, whatever its issuer does', async () => {
    const intent = await issue({ accepts: [SOL] })
    const account = addressNo(880)
    await entry(intent, 70n, { account, asset: UNKNOWN_MINT })
    const audited = await only()
    expect(audited.balances.map(({ asset }) => asset)).not.toContain(UNKNOWN_MINT)
    expect(audited.flows).toEqual([])
  })

  it('compares a token that was allowed when its deposit was stored, also when it is no longer allowed', async () => {
    const intent = await issue({ accepts: [SOL] })
    const account = await tokenAccount(intent)
    await deposit(intent, 50n, { account, asset: MINT })
    await entry(intent, 50n, { account, asset: MINT })
    tokens.set(MINT, { ...USDC, tokenProgram: TOKEN_PROGRAM, enabled: false })
    try {
      const { balances } = await only()
      expect(balances).toContainEqual(expect.objectContaining({ asset: MINT, ledger: 50n, difference: -50n }))
    } finally {
      tokens.set(MINT, { ...USDC, tokenProgram: TOKEN_PROGRAM })
    }
  })

  it.each([
    ['an entry that never happened', 5n],
    ['an entry that hides money', -5n],
  ])('finds %s', async (_case, delta) => {
    const intent = await issue()
    await deposit(intent, 100n)
    await entry(intent, 100n)
    holds(intent.address, 100n)
    expect(isSound(await only())).toBe(true)
    await entry(intent, delta)
    const audited = await only()
    expect(audited.balances[0]).toMatchObject({ ledger: 100n + delta, chain: 100n, difference: -delta })
    expect(audited.flows).toMatchObject([{ difference: -delta }])
  })

  it('finds money that was not booked, also in a token account', async () => {
    const intent = await issue()
    holdsToken(await tokenAccount(intent), intent.address, 3n)
    expect((await only()).balances[1]).toMatchObject({ asset: MINT, ledger: 0n, chain: 3n, difference: 3n })
  })

  it('finds an address that does not derive from the seed, whatever its text', async () => {
    const intent = await issue({ address: BUYER })
    expect(await only()).toMatchObject({ address: BUYER, derivedAddress: intent.address })
    await db.query(`UPDATE payment_intents SET address = 'no address at all'`)
    await entry({ ...intent, address: BUYER }, 5n, { owner: 'no address at all', account: 'nor this' })
    const audited = await only()
    expect(isSound(audited)).toBe(false)
    expect(audited.balances).toMatchObject([{ account: 'nor this', ledger: 5n, chain: 0n, difference: -5n }])
  })

  it.each(['prepared', 'signed', 'sent', 'unknown'])('counts an attempt that is %s as in flight', async (attempt) => {
    const intent = await issue()
    const account = await tokenAccount(intent)
    await deposit(intent, 50n, { account, asset: MINT })
    await entry(intent, 50n, { account, asset: MINT })
    await transfer(intent, [{ role: 'merchant', amount: 50n }], { status: 'in_progress', asset: MINT, attempt })
    holdsToken(account, intent.address, 50n)
    expect((await only()).balances[1]).toMatchObject({ inFlight: 0n, difference: 0n })
    holdsToken(account, intent.address, 0n)
    const audited = await only()
    expect(audited.balances[1]).toMatchObject({ ledger: 50n, chain: 0n, inFlight: -50n, difference: 0n })
    expect(isSound(audited)).toBe(true)
  })

  it.each(['final_err', 'dead'])('does not explain a difference by an attempt that is %s', async (attempt) => {
    const intent = await issue()
    await deposit(intent, 50n)
    await entry(intent, 50n)
    await transfer(intent, [{ role: 'merchant', amount: 50n }], { status: 'in_progress', attempt })
    expect((await only()).balances[0]).toMatchObject({ inFlight: 0n, difference: -50n })
  })

  it('does not compare entries of later slots with a chain that was read before', async () => {
    const intent = await issue()
    await deposit(intent, 20n)
    await entry(intent, 20n, { slot: SLOT + 1n })
    expect(isSound(await only())).toBe(true)
    holds(intent.address, 20n)
    expect((await only()).balances[0]).toMatchObject({ ledger: 0n, difference: 20n })
  })

  it('reads every address once, in pages, with at most 100 accounts a call and each address in a single call', async () => {
    const issued: Intent[] = []
    for (let at = 0; at < 70; at += 1) issued.push(await issue())
    const walked: number[] = []
    for (let afterIndex: number | null = 0; afterIndex !== null; ) {
      const { addresses, nextIndex } = await page(afterIndex, 60)
      walked.push(...addresses.map(({ intentIndex }) => intentIndex))
      afterIndex = nextIndex
    }
    expect(walked).toEqual(issued.map(({ index }) => index))
    expect(calls.map(({ length }) => length)).toEqual([100, 20, 20])
    for (const intent of issued) {
      const account = await tokenAccount(intent)
      expect(calls.filter((call) => call.includes(intent.address) && call.includes(account))).toHaveLength(1)
    }
    expect(await services().scope('live')).toMatchObject({ addresses: 70, feePayer: FEE_PAYER, feePayerLamports: 0n })
  })

  it('reports that a network is not served', async () => {
    expect(await services().scope('test')).toBeNull()
    await expect(services().page('test', { afterIndex: 0, limit: 1 })).rejects.toMatchObject({
      code: 'network_unavailable',
    })
  })

  it('reports released money as returned', async () => {
    const intent = await issue()
    await deposit(intent, 100n)
    await entry(intent, 100n)
    await transfer(intent, [{ role: 'release', amount: 100n }])
    await entry(intent, -100n)
    expect((await only()).flows).toMatchObject([{ received: 100n, settled: 0n, returned: 100n, difference: 0n }])
  })

  describe('an address that is halted', () => {
    const halted = async () => {
      const { id: intentId, address } = await issue()
      const halts = createHaltStore(db)
      await halts.halt({ network: 'live', address, intentId, reason: 'Less.', faults: [], haltedAt: NOW })
      return await services().halts({ network: 'live', open: true, limit: 10 })
    }

    it('is cleared by the operator, and the reason is stored', async () => {
      const [halt] = await halted()
      const cleared = await services().clearHalt(halt?.id ?? '', ' The issuer took them. ')
      expect(cleared).toMatchObject({ clearedBy: 'operator', clearedReason: 'The issuer took them.', clearedAt: NOW })
      expect(await services().halts({ network: null, open: true, limit: 10 })).toEqual([])
      expect(await services().halts({ network: null, open: false, limit: 10 })).toEqual([cleared])
    })

    it.each([
      ['without a reason', (id: string) => [id, '  '], 'invalid_request'],
      ['with a reason that is too long', (id: string) => [id, 'x'.repeat(501)], 'invalid_request'],
      ['by an id that is not valid', () => ['7', 'Because.'], 'halt_not_found'],
      ['by the id of no halt', () => [randomUUID(), 'Because.'], 'halt_not_found'],
    ] as const)('is not cleared %s', async (_case, args, code) => {
      const [halt] = await halted()
      const [id = '', reason = ''] = args(halt?.id ?? '')
      await expect(services().clearHalt(id, reason)).rejects.toMatchObject({ code })
      expect(await services().halts({ network: 'live', open: true, limit: 10 })).toHaveLength(1)
    })
  })
})

// From a difference on the chain to the decision of the operator: the real stores, the real transfers, the real
// command.
describe('halting', () => {
  /** More than the rent minimum, so that a transfer could leave it behind. */
  const STRANGE = 2_000_000n

  let db: Database
  beforeAll(async () => {
    db = await openTestDatabase()
  })
  afterAll(() => db.close())

  async function startAll() {
    const stores = storesOf(db)
    const world = createWorld({ intents: stores.work, transfers: stores.transfers })
    const { toy } = world
    const intent = await paidIntent(stores)
    // Money from before the first block of the chain's history: no transaction explains it.
    toy.fund(intent.address, PRICE + STRANGE)
    const clock = { now: world.now }
    const common = {
      audit: createAuditStore(db),
      halts: createHaltStore(db),
      keys: { ...toyKeys, addressOf: () => intent.address },
      directory: { tokens: async () => context().tokens },
      clock,
    }
    const reconcile = createReconciler({
      ...common,
      network: 'live',
      chain: toy.chain,
      feePayer: FEE_PAYER,
      settings: createSettingStore(db.prisma),
      observe: createDepositObserver({
        chainOf: () => toy.chain,
        store: stores.work,
        keys: toyKeys,
        decisionContext: async () => context({ now: world.now() }),
        lockRate: async () => choice(SOL, PRICE),
        clock,
      }),
      callsPerMinute: 1_000,
      minRoundMs: 0,
      onHalt: () => {},
      onError: (error) => {
        throw error
      },
    })
    const chain = { ...toy.chain, tokenAccounts: async () => [] }
    const networks = { live: { chain, feePayer: FEE_PAYER }, test: null }
    const audit = createAuditServices({ ...common, wallClock: common.clock, networks })
    return { stores, world, intent, reconcile, service: await startTestService({ services: { audit } }) }
  }

  /** Creates an intent that is paid in full, whose deposit is booked, and whose sweep is due. */
  async function paidIntent(stores: ReturnType<typeof storesOf>): Promise<PaymentIntent> {
    const tenant = await addBusiness(db)
    await db.query('UPDATE accounts SET sweep_destination = $1', [MERCHANT])
    const intent = await addIntent(stores, tenant)
    const { id: intentId, address: account } = intent
    await stores.work.apply(step(startChange(intent), { selection: choice(SOL, PRICE) }, NOW, null))
    const paid = observedDeposit(1, PRICE, { intentId, account, slot: 1n, signature: signatureNo(1) })
    const settling = await decideAndApply(stores.work, intentId, (facts) =>
      decideDeposits(facts, [paid], null, context()),
    )
    if (settling?.status !== 'settling') throw new Error('the sweep is not planned')
    return settling
  }

  test('money that no transaction explains halts its address until the operator clears the halt', async () => {
    const { stores, world, intent, reconcile, service } = await startAll()
    const instance = startInstance(world)
    const operator = async (...args: string[]) => {
      const out: string[] = []
      const global = ['--url', service.url, '--token', OPERATOR_TOKEN, '--json']
      await runOperator([...global, ...args], {}, { out: (line) => out.push(line), err: (line) => out.push(line) })
      return JSON.parse(out.join('\n'))
    }
    const pass = async (seconds: number, work: () => Promise<unknown>) => {
      for (let passed = 0; passed < seconds; passed += 10) {
        world.pass(50n)
        await work()
      }
    }
    try {
      await pass(310, reconcile)
      const { halts } = await operator('halt', 'list')
      expect(halts).toMatchObject([
        {
          intent_index: intent.derivationIndex,
          address: intent.address,
          faults: [{ kind: 'chain_has_more', account: intent.address, asset: SOL, amount: Number(STRANGE) }],
          cleared_at: null,
        },
      ])

      await pass(60, instance.work)
      expect(world.toy.landed()).toEqual([])
      const [waiting] = (await stores.work.facts(intent.id))?.transfers ?? []
      expect(waiting).toMatchObject({ attemptCount: 0, reason: expect.stringContaining(halts[0].reason) })

      const { halt } = await operator('halt', 'clear', halts[0].id, '--reason', 'A gift from before the first block.')
      expect(halt).toMatchObject({ cleared_by: 'operator', cleared_reason: 'A gift from before the first block.' })
      await pass(60, async () => {
        await reconcile()
        await instance.work()
      })
      expect((await stores.work.facts(intent.id))?.intent.status).toBe('swept')
      expect(world.toy.balance(intent.address)).toBe(STRANGE)
      await pass(600, reconcile)
      expect(await operator('halt', 'list')).toEqual({ halts: [] })
      expect(instance.errors).toEqual([])
    } finally {
      await service.close()
    }
  })
})
