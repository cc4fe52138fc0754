// The compiler writes the planned transaction. The signer reads it again independently and refuses everything else.

import { verify } from 'node:crypto'
import {
  AccountRole,
  type Address,
  address,
  blockhash,
  createNoopSigner,
  decompileTransactionMessage,
  getAddressDecoder,
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getAssignInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getApproveInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { createCompiler } from '#adapters/solana/transactions/compiler.ts'
import { MEMO_PROGRAM_ADDRESS } from '#adapters/solana/transactions/instructions.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import { type AccountState, type Lifetime, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { makeBaseUnits, makeLamports } from '#core/money/amounts.ts'
import { LEG_ROLES } from '#core/payments/transfers.ts'
import {
  type ClosePlan,
  highestFeeOf,
  type Leg,
  type LegsPlan,
  SOL_LEG_UNITS,
  type TransactionPlan,
} from '#core/transfers/plan.ts'

import { forgeMessage, mustSign, type Rewrite } from '../../../support/signing.ts'

const refused = (why: string) => ({ refused: expect.stringContaining(why) })

const seed = new Uint8Array(64).fill(11)
const depositKeys = createDepositKeys(seed)
const signer = createSigner(seed)
const FEE_PAYER = depositKeys.addressOf({ network: 'live', branch: 'fee_payer' })

const decoder = getAddressDecoder()
const anAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes): Address => decoder.decode(bytes))
const aLifetime: fc.Arbitrary<Lifetime> = anAddress.map(
  (text) => ({ blockhash: blockhash(text), lastValidBlockHeight: 5n }) as const,
)

const aLeg: fc.Arbitrary<Leg> = fc.record({
  role: fc.constantFrom(...LEG_ROLES),
  destination: fc.oneof({ weight: 5, arbitrary: anAddress }, fc.constant(FEE_PAYER)),
  amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(makeBaseUnits),
  feeBps: fc.constant(null),
})
const aSource = fc
  .tuple(fc.record({ account: fc.integer({ min: 1, max: 9 }), intent: fc.integer({ min: 1, max: 9 }) }), aLifetime)
  .map(([at, lifetime]) => {
    const key = { network: 'live', branch: 'deposit', ...at } as const
    const source = depositKeys.addressOf(key)
    return { network: 'live', source, authority: { address: source, key }, lifetime } as const
  })
const delegateKey = { network: 'live', branch: 'delegate' } as const
const DELEGATE = { address: depositKeys.addressOf(delegateKey), key: delegateKey }
/** Another wallet, which lets the service's delegate move its tokens: only with the memo that names the pull. */
const aDelegatedSource = fc
  .tuple(anAddress, aLifetime, fc.stringMatching(/^charge:[0-9a-f-]{36}:[0-9]{1,4}$/))
  .map(([source, lifetime, memo]) => ({ network: 'live', source, authority: DELEGATE, lifetime, memo }) as const)
const aToken = fc.record({
  mint: anAddress,
  tokenProgram: fc.constantFrom<Address>(TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS),
  decimals: fc.integer({ min: 0, max: 255 }),
})
const legs = fc.array(aLeg, { minLength: 1, maxLength: 5 })
const aPlan: fc.Arbitrary<TransactionPlan> = fc.oneof(
  fc
    .tuple(aSource, legs)
    .map(([source, some]) => ({ kind: 'legs', ...source, asset: 'SOL', token: null, legs: some }) as const),
  fc
    .tuple(fc.oneof(aSource, aDelegatedSource), aToken, legs)
    .map(([source, token, some]) => ({ kind: 'legs', ...source, asset: token.mint, token, legs: some }) as const),
  fc
    .tuple(aSource, aToken, fc.boolean())
    .map(([source, token, harvestWithheld]) => ({ kind: 'close', ...source, token, harvestWithheld }) as const),
)

/** A chain on which `exists` decides which of the requested token accounts exist, by their position in the request. */
const compilerOn = (exists: (place: number) => boolean, plan?: TransactionPlan, computeUnitPrice = 10_000n) =>
  createCompiler({
    network: 'live',
    depositKeys,
    computeUnitPrice,
    accounts: {
      readAccounts: async (accounts) => {
        const wallets = plan?.kind === 'legs' ? [...new Set(plan.legs.map(({ destination }) => destination))] : []
        const states = accounts.map((_, place) => (exists(place) ? held(wallets[place]) : null))
        return { slot: 1n, states }
      },
    },
  })
const held = (owner: Address = FEE_PAYER): AccountState => ({
  lamports: makeLamports(2_039_280n),
  ownerProgram: TOKEN_PROGRAM_ADDRESS,
  token: {
    mint: FEE_PAYER,
    owner,
    amount: makeBaseUnits(0n),
    frozen: false,
    withheld: makeBaseUnits(0n),
    delegation: null,
    closeAuthority: null,
  },
})

test('every plan is compiled to bytes that fit, that are the same every time, and that the signer signs', async () => {
  await fc.assert(
    fc.asyncProperty(aPlan, fc.infiniteStream(fc.boolean()), async (plan, there) => {
      const known = [...there.take(10)]
      const compiler = compilerOn((place) => known[place] ?? false, plan)
      const { message } = await compiler.compile(plan)
      expect((await compiler.compile(plan)).message).toEqual(message)

      const { wire, signature } = await mustSign(signer, plan, message)
      expect(wire.length).toBeLessThanOrEqual(1232)
      expect(await signer.sign(plan, message)).toEqual({ wire, signature })
      const { messageBytes, signatures } = getTransactionDecoder().decode(wire)
      expect(Uint8Array.from(messageBytes)).toEqual(message)
      expect(Object.keys(signatures)[0]).toBe(FEE_PAYER)
      expect(new Set(Object.keys(signatures))).toEqual(new Set([FEE_PAYER, plan.authority.address]))
      for (const [signed, bytes] of Object.entries(signatures)) expect(isSigned(signed, message, bytes)).toBe(true)
    }),
    { numRuns: 60 },
  )
}, 60_000)

test('a transaction to accounts that exist takes no more than the highest fee of its legs', async () => {
  await fc.assert(
    fc.asyncProperty(aPlan, fc.bigInt({ min: 0n, max: 1_000_000_000n }), async (plan, price) => {
      fc.pre(plan.kind === 'legs' && plan.memo === undefined)
      const { fee } = await compilerOn(() => true, plan, price).compile(plan)
      expect(fee).toBeLessThanOrEqual(highestFeeOf(plan.legs.length, price))
      if (plan.token === null) expect(fee).toBe(highestFeeOf(plan.legs.length, price, SOL_LEG_UNITS))
    }),
    { numRuns: 60 },
  )
})

/** Verified by node:crypto with the address as the public key. */
function isSigned(signed: string, message: Uint8Array, bytes: Uint8Array | null): boolean {
  const x = Buffer.from(getAddressEncoder().encode(address(signed))).toString('base64url')
  const key = { kty: 'OKP', crv: 'Ed25519', x }
  return bytes !== null && verify(null, message, { key, format: 'jwk' }, bytes)
}

test('no byte of a message can be changed except those of its compute budget', async () => {
  const flip = fc.record({ at: fc.nat(), to: fc.integer({ min: 1, max: 255 }) })
  await fc.assert(
    fc.asyncProperty(aPlan, fc.array(flip, { minLength: 20, maxLength: 20 }), async (plan, flips) => {
      const { message } = await compilerOn((place) => place % 2 === 0, plan).compile(plan)
      const free = freeBytes(message)
      for (const { at, to } of flips) {
        const place = at % message.length
        if (free.has(place)) continue
        const changed = Uint8Array.from(message)
        changed[place] = (changed[place] ?? 0) ^ to
        await expect(signer.sign(plan, changed), `byte ${place} of ${message.length}`).resolves.toHaveProperty(
          'refused',
        )
      }
      await expect(signer.sign(plan, Uint8Array.of(...message, 0))).resolves.toHaveProperty('refused')
      await expect(signer.sign(plan, message.subarray(0, -1))).resolves.toHaveProperty('refused')
    }),
    { numRuns: 25 },
  )
}, 60_000)

test('with any priority price, the total priority fee stays within the limit of the signer', async () => {
  const aPrice = fc.bigInt({ min: 0n, max: 1_000_000_000n })
  await fc.assert(
    fc.asyncProperty(aPlan, aPrice, async (plan, price) => {
      const { message } = await compilerOn(() => false, plan, price).compile(plan)
      await mustSign(signer, plan, message)
    }),
    { numRuns: 60 },
  )
})

/** The values of the two compute-budget instructions, which come first. */
function freeBytes(message: Uint8Array): ReadonlySet<number> {
  const accounts = message[4] ?? 0
  const hash = 5 + accounts * 32
  const limit = hash + 32 + 1 + 4
  const price = limit + 4 + 4
  const range = (from: number, length: number) => Array.from({ length }, (_, index) => from + index)
  return new Set([...range(limit, 4), ...range(price, 8)])
}

test('a message of one plan is signed for no other plan', async () => {
  await fc.assert(
    fc.asyncProperty(aPlan, aPlan, async (mine, other) => {
      const { message } = await compilerOn(() => true, other).compile(other)
      await expect(signer.sign(mine, message)).resolves.toHaveProperty('refused')
    }),
    { numRuns: 60 },
  )
})

// From here on: one plan of each kind, and forged messages in its place.
const key = { network: 'live', branch: 'deposit', account: 3, intent: 4 } as const
const SOURCE = depositKeys.addressOf(key)
const wallet = (n: number): Address => decoder.decode(new Uint8Array(32).fill(n))
const [SELLER, MARKET, STRANGER, MINT] = [wallet(1), wallet(2), wallet(3), wallet(4)]
const LIFETIME: Lifetime = { blockhash: blockhash(wallet(9)), lastValidBlockHeight: 1n }
const TOKEN_2022 = { mint: MINT, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, decimals: 6 }

const leg = (role: Leg['role'], destination: Address, amount: bigint): Leg => ({
  role,
  destination,
  amount: makeBaseUnits(amount),
  feeBps: null,
})
const LEGS = [leg('seller', SELLER, 900n), leg('marketplace', MARKET, 100n)]
const from = { network: 'live', source: SOURCE, authority: { address: SOURCE, key }, lifetime: LIFETIME } as const
const SOL_PLAN: LegsPlan = { kind: 'legs', ...from, asset: 'SOL', token: null, legs: LEGS }
const TOKEN_PLAN: LegsPlan = { kind: 'legs', ...from, asset: MINT, token: TOKEN_2022, legs: LEGS }
const OTHER_ACCOUNT = wallet(41)
const OTHER_PLAN: LegsPlan = { ...TOKEN_PLAN, sourceAccount: OTHER_ACCOUNT }
const PAYER = { address: FEE_PAYER, key: { network: 'live', branch: 'fee_payer' } } as const
const PULL: LegsPlan = { ...TOKEN_PLAN, source: wallet(31), authority: DELEGATE, memo: 'charge' }
const CLOSE_PLAN: ClosePlan = { kind: 'close', ...from, token: TOKEN_2022, harvestWithheld: false }
const CLOSE_OTHER: ClosePlan = { ...CLOSE_PLAN, sourceAccount: OTHER_ACCOUNT }

const compiled = async (plan: TransactionPlan, exists = true) =>
  (await compilerOn(() => exists, plan).compile(plan)).message

const ataOf = (owner: Address) => associatedTokenAddress(owner, MINT, TOKEN_2022_PROGRAM_ADDRESS)

/** A message with the rewritten instructions of a plan, and any fee payer. */
const forged = async (plan: TransactionPlan, rewrite: Rewrite, feePayer = FEE_PAYER): Promise<Uint8Array> =>
  forgeMessage(await compiled(plan), rewrite, { feePayer })

const transferOf = (plan: LegsPlan, destination: Address, amount: bigint, source = ataOf(SOURCE)): Instruction =>
  plan.token === null
    ? getTransferSolInstruction({ source: createNoopSigner(SOURCE), destination, amount })
    : getTransferCheckedInstruction(
        {
          source,
          mint: MINT,
          destination: ataOf(destination),
          authority: createNoopSigner(SOURCE),
          amount,
          decimals: 6,
        },
        { programAddress: TOKEN_2022_PROGRAM_ADDRESS },
      )
const memo = (text: string): Instruction =>
  getAddMemoInstruction({ memo: text }, { programAddress: MEMO_PROGRAM_ADDRESS })
const createFor = (owner: Address, ata = ataOf(owner)): Instruction =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(FEE_PAYER),
    ata,
    owner,
    mint: MINT,
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
  })
const price = (microLamports: bigint): Instruction => getSetComputeUnitPriceInstruction({ microLamports })
const limit = (units: number): Instruction => getSetComputeUnitLimitInstruction({ units })

type Forgery = readonly [what: string, plan: TransactionPlan, rewrite: Rewrite]
const FORGERIES: readonly Forgery[] = [
  ['one lamport more', SOL_PLAN, (all) => all.with(2, transferOf(SOL_PLAN, SELLER, 901n))],
  ['another wallet', SOL_PLAN, (all) => all.with(2, transferOf(SOL_PLAN, STRANGER, 900n))],
  ['a leg left out', SOL_PLAN, (all) => all.slice(0, -1)],
  ['a leg paid twice', SOL_PLAN, (all) => [...all, transferOf(SOL_PLAN, MARKET, 100n)]],
  ['one lamport for a stranger', SOL_PLAN, (all) => [...all, transferOf(SOL_PLAN, STRANGER, 1n)]],
  ['legs in a different order', SOL_PLAN, (all) => [...all.slice(0, 2), ...all.slice(2).toReversed()]],
  ['an unknown program', SOL_PLAN, (all) => [...all, { programAddress: STRANGER, data: Uint8Array.of(1) }]],
  ['a memo that was not planned', SOL_PLAN, (all) => [...all, memo('hello')]],
  [
    'lamports out of the fee payer',
    SOL_PLAN,
    (all) => [
      ...all,
      getTransferSolInstruction({ source: createNoopSigner(FEE_PAYER), destination: STRANGER, amount: 1n }),
    ],
  ],
  [
    'the source given to another program',
    SOL_PLAN,
    (all) => [...all, getAssignInstruction({ account: createNoopSigner(SOURCE), programAddress: STRANGER })],
  ],
  ['no compute budget', SOL_PLAN, (all) => all.slice(2)],
  ['a priority fee above the limit', SOL_PLAN, (all) => all.with(0, limit(1_000_000)).with(1, price(1_000_001n))],
  ['two compute budgets', SOL_PLAN, (all) => [all[0] ?? limit(1), all[0] ?? limit(1), ...all.slice(1)]],
  ['one unit more', TOKEN_PLAN, (all) => all.with(3, transferOf(TOKEN_PLAN, SELLER, 901n))],
  ["another wallet's token account", TOKEN_PLAN, (all) => all.with(3, transferOf(TOKEN_PLAN, STRANGER, 900n))],
  ['the memo of another leg', TOKEN_PLAN, (all) => all.with(2, memo('refund'))],
  ['no memo', TOKEN_PLAN, (all) => all.toSpliced(2, 1)],
  ['a token account made for a stranger', TOKEN_PLAN, (all) => all.toSpliced(2, 0, createFor(STRANGER))],
  ['a token account made twice', TOKEN_PLAN, (all) => all.toSpliced(2, 0, createFor(SELLER), createFor(SELLER))],
  [
    'a token account made under the wrong address',
    TOKEN_PLAN,
    (all) => all.toSpliced(2, 0, createFor(SELLER, ataOf(STRANGER))),
  ],
  [
    'an allowance for a stranger',
    TOKEN_PLAN,
    (all) => [
      ...all,
      getApproveInstruction(
        { source: ataOf(SOURCE), delegate: STRANGER, owner: createNoopSigner(SOURCE), amount: 1n },
        { programAddress: TOKEN_2022_PROGRAM_ADDRESS },
      ),
    ],
  ],
  ['the account also closed', TOKEN_PLAN, (all) => [...all, closeTo(FEE_PAYER)]],
  [
    'from the associated account in place of the other',
    OTHER_PLAN,
    (all) => all.with(3, transferOf(OTHER_PLAN, SELLER, 900n)),
  ],
  [
    'from another account in place of the associated one',
    TOKEN_PLAN,
    (all) => all.with(3, transferOf(TOKEN_PLAN, SELLER, 900n, OTHER_ACCOUNT)),
  ],
  ['the associated account closed in place of the other', CLOSE_OTHER, (all) => all.with(2, closeTo(FEE_PAYER))],
  ['its rent to a stranger', CLOSE_PLAN, (all) => all.with(2, closeTo(STRANGER))],
  ['fees harvested without a plan', CLOSE_PLAN, (all) => all.toSpliced(2, 0, harvest())],
]
const closeTo = (destination: Address): Instruction =>
  getCloseAccountInstruction(
    { account: ataOf(SOURCE), destination, owner: createNoopSigner(SOURCE) },
    { programAddress: TOKEN_2022_PROGRAM_ADDRESS },
  )
const harvest = (): Instruction => ({
  programAddress: TOKEN_2022_PROGRAM_ADDRESS,
  accounts: [
    { address: MINT, role: AccountRole.WRITABLE },
    { address: ataOf(SOURCE), role: AccountRole.WRITABLE },
  ],
  data: Uint8Array.of(26, 4),
})

test.each(FORGERIES)('not signed: %s', async (_, plan, rewrite) => {
  // The same message without a forgery is signed, so the refusal is due to the forgery.
  await mustSign(signer, plan, await forged(plan, (all) => all))
  expect(await signer.sign(plan, await forged(plan, rewrite))).toMatchObject(refused('The signer refuses'))
})

test('not signed: another fee payer', async () => {
  const message = await forged(SOL_PLAN, (all) => all, STRANGER)
  expect(await signer.sign(SOL_PLAN, message)).toMatchObject(refused('another fee payer'))
  const itself = await forged(SOL_PLAN, (all) => all, SOURCE)
  expect(await signer.sign(SOL_PLAN, itself)).toMatchObject(refused('another fee payer'))
})

test('not signed: a read-only account made writable, an unused account, another program, another signer, a lookup table', async () => {
  const message = await compiled(TOKEN_PLAN)
  const decoded = getCompiledTransactionMessageDecoder().decode(message)
  if (decoded.version !== 0) throw new Error('version 0 was compiled')
  const encode = (over: object) =>
    Uint8Array.from(getCompiledTransactionMessageEncoder().encode({ ...decoded, ...over }))
  expect(encode({})).toEqual(message)
  const { numReadonlyNonSignerAccounts } = decoded.header
  const wider = { ...decoded.header, numReadonlyNonSignerAccounts: numReadonlyNonSignerAccounts - 1 }
  expect(await signer.sign(TOKEN_PLAN, encode({ header: wider }))).toMatchObject(refused('as writable account'))
  const more = { ...decoded.header, numReadonlyNonSignerAccounts: numReadonlyNonSignerAccounts + 1 }
  const unused = { staticAccounts: [...decoded.staticAccounts, STRANGER], header: more }
  expect(await signer.sign(TOKEN_PLAN, encode(unused))).toMatchObject(refused('as account'))
  const [budget, ...others] = decoded.instructions
  const last = others.at(-1)
  if (budget === undefined || last === undefined) throw new Error('there are several')
  const misled = [budget, ...others.slice(0, -1), { ...last, programAddressIndex: budget.programAddressIndex }]
  expect(await signer.sign(TOKEN_PLAN, encode({ instructions: misled }))).toMatchObject(refused('is not the plan’s'))
  const third = { ...decoded.header, numSignerAccounts: 3 }
  expect(await signer.sign(TOKEN_PLAN, encode({ header: third }))).toMatchObject(refused('as signer'))
  const table = { lookupTableAddress: STRANGER, readonlyIndexes: [0], writableIndexes: [] }
  expect(await signer.sign(TOKEN_PLAN, encode({ addressTableLookups: [table] }))).toMatchObject(refused('lookup table'))
})

const testKey = { ...key, network: 'test' } as const
const onTest = { address: depositKeys.addressOf(testKey), key: testKey }
const WRAPPED_SOL = { mint: address(WRAPPED_SOL_MINT), tokenProgram: TOKEN_PROGRAM_ADDRESS, decimals: 9 }
type BadPlan = readonly [what: string, bad: TransactionPlan, good: TransactionPlan]
const BAD_PLANS: readonly BadPlan[] = [
  ['a source that its key does not open', { ...SOL_PLAN, authority: { address: STRANGER, key } }, SOL_PLAN],
  ['SOL of another wallet than the signer', { ...SOL_PLAN, source: STRANGER }, SOL_PLAN],
  ['a key of the other network', { ...SOL_PLAN, authority: onTest, source: onTest.address }, SOL_PLAN],
  ['the other network', { ...SOL_PLAN, network: 'test' }, SOL_PLAN],
  ['no legs', { ...SOL_PLAN, legs: [] }, SOL_PLAN],
  ['a leg with the amount 0', { ...SOL_PLAN, legs: [leg('seller', SELLER, 0n)] }, SOL_PLAN],
  ['a leg to its own source', { ...SOL_PLAN, legs: [leg('seller', SOURCE, 5n)] }, SOL_PLAN],
  ['an asset that is not its token', { ...TOKEN_PLAN, asset: STRANGER }, TOKEN_PLAN],
  ['SOL with a token', { ...TOKEN_PLAN, asset: 'SOL' }, TOKEN_PLAN],
  ['a pull without a memo', { ...TOKEN_PLAN, source: PULL.source, authority: DELEGATE }, PULL],
  ['a pull by the fee payer', { ...PULL, authority: PAYER }, PULL],
  ['a pull of SOL', { ...PULL, asset: 'SOL', token: null }, PULL],
  ['money of the fee payer itself', { ...SOL_PLAN, source: FEE_PAYER, authority: PAYER }, SOL_PLAN],
  ['tokens of the delegate itself', { ...TOKEN_PLAN, source: DELEGATE.address, authority: DELEGATE }, TOKEN_PLAN],
  ['an unknown token program', { ...TOKEN_PLAN, token: { ...TOKEN_2022, tokenProgram: STRANGER } }, TOKEN_PLAN],
  ['the closing of wrapped SOL, which pays it out', { ...CLOSE_PLAN, token: WRAPPED_SOL }, CLOSE_PLAN],
]

test.each(BAD_PLANS)('a plan with %s is not signed, whatever the message', async (_, bad, good) => {
  expect(await signer.sign(bad, await compiled(good))).toMatchObject(refused('The signer refuses'))
  const own = await compiled(bad).catch(() => null)
  if (own !== null) expect(await signer.sign(bad, own)).toMatchObject(refused('The signer refuses'))
})

test('a message is signed only with the lifetime of its plan', async () => {
  const other = { ...LIFETIME, blockhash: blockhash(STRANGER) }
  const message = await compiled(SOL_PLAN)
  expect(await signer.sign({ ...SOL_PLAN, lifetime: other }, message)).toMatchObject(refused('another lifetime'))
})

test('a pull is signed only with the memo of its plan', async () => {
  const message = await compiled(PULL)
  expect(await signer.sign(PULL, message)).toHaveProperty('signature')
  expect(await signer.sign({ ...PULL, memo: 'another' }, message)).toHaveProperty('refused')
})

test('the account of wrapped SOL is not closed, even by a message that matches its plan', async () => {
  const account = associatedTokenAddress(SOURCE, WRAPPED_SOL.mint, TOKEN_PROGRAM_ADDRESS)
  const close = getCloseAccountInstruction({ account, destination: FEE_PAYER, owner: createNoopSigner(SOURCE) })
  const message = await forged(CLOSE_PLAN, (all) => all.with(2, close))
  expect(await signer.sign({ ...CLOSE_PLAN, token: WRAPPED_SOL }, message)).toMatchObject(
    refused('pays its content out'),
  )
})

test.each<readonly [string, TransactionPlan]>([
  ['the other network', { ...SOL_PLAN, network: 'test' }],
  ['no legs', { ...SOL_PLAN, legs: [] }],
  ['an asset that is not its token', { ...TOKEN_PLAN, asset: STRANGER }],
  ['SOL with a token', { ...TOKEN_PLAN, asset: 'SOL' }],
  ['the closing of wrapped SOL', { ...CLOSE_PLAN, token: WRAPPED_SOL }],
  [
    'more legs than a transaction can contain',
    { ...SOL_PLAN, legs: Array.from({ length: 30 }, (_, n) => leg('seller', wallet(n + 20), 1n)) },
  ],
])('a plan with %s is not compiled', async (_, plan) => {
  await expect(compiled(plan)).rejects.toThrow('cannot compile')
})

const programsOf = async (plan: TransactionPlan, exists: boolean) => {
  const decoded = getCompiledTransactionMessageDecoder().decode(await compiled(plan, exists))
  return [...decompileTransactionMessage(decoded).instructions].map(({ programAddress }) => NAMES.get(programAddress))
}
const NAMES = new Map<string, string>([
  ['ComputeBudget111111111111111111111111111111', 'budget'],
  ['11111111111111111111111111111111', 'system'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'ata'],
  [TOKEN_PROGRAM_ADDRESS, 'token'],
  [TOKEN_2022_PROGRAM_ADDRESS, 'token-2022'],
  [MEMO_PROGRAM_ADDRESS, 'memo'],
])

test('missing token accounts of receivers are created, once each, before anything moves', async () => {
  const both = { ...TOKEN_PLAN, legs: [...LEGS, leg('refund', SELLER, 7n)] }
  expect(await programsOf(both, false)).toEqual([
    'budget',
    'budget',
    'ata',
    'ata',
    'memo',
    'token-2022',
    'memo',
    'token-2022',
    'memo',
    'token-2022',
  ])
  expect(await programsOf(TOKEN_PLAN, true)).toEqual(['budget', 'budget', 'memo', 'token-2022', 'memo', 'token-2022'])
})

test('the classic program gets no memos, and closing harvests only as planned', async () => {
  const token = { ...TOKEN_2022, tokenProgram: TOKEN_PROGRAM_ADDRESS }
  expect(await programsOf({ ...TOKEN_PLAN, token }, true)).toEqual(['budget', 'budget', 'token', 'token'])
  expect(await programsOf(CLOSE_PLAN, true)).toEqual(['budget', 'budget', 'token-2022'])
  expect(await programsOf({ ...CLOSE_PLAN, harvestWithheld: true }, true)).toEqual([
    'budget',
    'budget',
    'token-2022',
    'token-2022',
  ])
})

test('a receiver whose token account belongs to another wallet is refused before anything is signed', async () => {
  const compiler = compilerOn(() => true, { ...TOKEN_PLAN, legs: [leg('seller', STRANGER, 1n)] })
  await expect(compiler.compile(TOKEN_PLAN)).rejects.toMatchObject({
    code: 'destination_not_usable',
    context: { destination: SELLER },
  })
})
