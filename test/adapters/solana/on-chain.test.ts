// The whole adapter against a real Solana runtime: compiled and signed transactions land, exact to the lamport.
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getCreateAccountInstruction, getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeAccount3Instruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { createDepositKeys } from '#adapters/solana/keys/deposit-keys.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { MEMO_PROGRAM_ADDRESS } from '#adapters/solana/transactions/instructions.ts'
import { createSigner } from '#adapters/solana/transactions/signer.ts'
import type { Lifetime, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { ClosePlan, Leg, LegsPlan } from '#core/transfers/plan.ts'
import { TOKEN_ACCOUNT_BYTES } from '#core/transfers/preflight.ts'
import {
  addressBytes,
  defaultFrozen,
  interestBearing,
  mintCloseAuthority,
  nonTransferable,
  pausable,
  permanentDelegate,
  regulatedDollar,
  SOL,
  scaledUiAmount,
  startTestChain,
  stopTestChain,
  type TestChain,
  type TestMint,
  transferFee,
  transferHook,
} from '../../support/chain.ts'
import { mustSign } from '../../support/signing.ts'
import { until } from '../../support/until.ts'

const seed = new Uint8Array(64).fill(21)
const keys = createDepositKeys(seed)
const signer = createSigner(seed)
const FEE_PAYER = keys.addressOf({ network: 'live', branch: 'fee_payer' })

let tools: TestChain
let chain: ReturnType<typeof createChain>
let buyer: KeyPairSigner

beforeAll(async () => {
  tools = await startTestChain()
  const clock = { now: () => new Date() }
  // At forty times the usual pace a blockhash lives a second and a half.
  chain = createChain({ network: 'live', rpcUrls: [tools.rpcUrl], depositKeys: keys, clock, lifetimeCacheMs: 50 })
  buyer = await tools.wallet(1000n * SOL)
  await tools.fund(FEE_PAYER, 10n * SOL)
})
afterAll(() => stopTestChain(tools))

let nextIntent = 1
/** Returns a new deposit address and its part of a plan. */
function deposit() {
  const key = { network: 'live', branch: 'deposit', account: 7, intent: nextIntent++ } as const
  const source = keys.addressOf(key)
  return { network: 'live', source, authority: { address: source, key } } as const
}
const freshWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address
const leg = (role: Leg['role'], destination: Address, amount: bigint): Leg => ({
  role,
  destination,
  amount: makeBaseUnits(amount),
  feeBps: null,
})

type Unbound = Omit<LegsPlan, 'lifetime'> | Omit<ClosePlan, 'lifetime'>

async function signed(unbound: Unbound, lifetime?: Lifetime) {
  const plan = { ...unbound, lifetime: lifetime ?? (await chain.lifetime()) }
  const { message } = await chain.compile(plan)
  return mustSign(signer, plan, message)
}

async function settle(plan: Unbound): Promise<ObservedTransaction> {
  const { wire, signature } = await signed(plan)
  await chain.broadcast(wire)
  return final(signature)
}

async function final(signature: Signature): Promise<ObservedTransaction> {
  let observed: ObservedTransaction | null = null
  await until(async () => {
    const [status] = await chain.signatureStatuses([signature])
    if (status?.final) observed = await chain.transaction(signature)
    return observed !== null
  })
  if (observed === null) throw new Error('it is final')
  return observed
}

const tokenPlan = (mint: TestMint, at: ReturnType<typeof deposit>, legs: readonly Leg[]): Unbound => ({
  kind: 'legs',
  ...at,
  asset: mint.mint,
  token: { mint: mint.mint, tokenProgram: mint.tokenProgram, decimals: mint.decimals },
  legs,
})
const closePlan = (mint: TestMint, at: ReturnType<typeof deposit>, harvestWithheld: boolean): Unbound => ({
  kind: 'close',
  ...at,
  token: { mint: mint.mint, tokenProgram: mint.tokenProgram, decimals: mint.decimals },
  harvestWithheld,
})

test.concurrent('a SOL deposit is swept to exactly zero along three legs, one of them to the fee payer', async () => {
  const at = deposit()
  const [seller, market] = [await freshWallet(), await freshWallet()]
  await tools.finalized(await tools.paySol(buyer, at.source, SOL))
  const legs = [
    leg('seller', seller, 900_000_000n),
    leg('marketplace', market, 99_995_000n),
    leg('network_fee', FEE_PAYER, 5_000n),
  ]
  const observed = await settle({ kind: 'legs', ...at, asset: 'SOL', token: null, legs })

  expect(observed.error).toBeNull()
  expect(observed.feePayer).toBe(FEE_PAYER)
  expect(observed.signers).toEqual([FEE_PAYER, at.source])
  const { states } = await chain.readAccounts([at.source, seller, market])
  expect(states.map((state) => state?.lamports ?? 0n)).toEqual([0n, 900_000_000n, 99_995_000n])
  const payer = observed.changes.find(({ account }) => account === FEE_PAYER)
  expect((payer?.after ?? 0n) - (payer?.before ?? 0n)).toBe(5_000n - observed.fee)
  expect(observed.changes.find(({ account }) => account === at.source)).toMatchObject({ before: SOL, after: 0n })
})

test.concurrent('a sweep that no longer fits the balance lands as a final error and moves nothing but the fee', async () => {
  const at = deposit()
  await tools.finalized(await tools.paySol(buyer, at.source, SOL))
  const plan: Unbound = {
    kind: 'legs',
    ...at,
    asset: 'SOL',
    token: null,
    legs: [leg('merchant', await freshWallet(), SOL + 1n)],
  }
  const observed = await settle(plan)
  expect(observed.error).toContain('InstructionError')
  expect(observed.changes.map(({ account }) => account)).toEqual([FEE_PAYER])
  expect(await tools.solOf(at.source)).toBe(SOL)
})

test.concurrent('a token deposit is swept to fresh wallets, whose accounts are made, and its own account is closed', async () => {
  const mint = await tools.createMint({ decimals: 6 })
  const at = deposit()
  await tools.fundToken(mint, buyer.address, 1_000_000n)
  await tools.finalized(await tools.payToken(buyer, at.source, mint, 1_000_000n))
  const source = await keys.tokenAccountOf(at.source, mint.mint, mint.tokenProgram)
  expect((await chain.readAccounts([source])).states[0]?.token).toEqual({
    mint: mint.mint,
    owner: at.source,
    amount: 1_000_000n,
    frozen: false,
    withheld: 0n,
    delegation: null,
    closeAuthority: null,
  })

  const [seller, market] = [await freshWallet(), await freshWallet()]
  const legs = [leg('seller', seller, 700_000n), leg('marketplace', market, 299_999n), leg('platform', FEE_PAYER, 1n)]
  const swept = await settle(tokenPlan(mint, at, legs))
  expect(swept.error).toBeNull()
  expect(await tools.tokensOf(seller, mint)).toBe(700_000n)
  expect(await tools.tokensOf(market, mint)).toBe(299_999n)
  expect(await tools.tokensOf(FEE_PAYER, mint)).toBe(1n)
  expect(swept.changes).toContainEqual({
    account: source,
    owner: at.source,
    asset: mint.mint,
    before: 1_000_000n,
    after: 0n,
  })
  const receiver = associatedTokenAddress(seller, mint.mint, mint.tokenProgram)
  expect(swept.changes).toContainEqual({
    account: receiver,
    owner: seller,
    asset: mint.mint,
    before: 0n,
    after: 700_000n,
  })

  const rent = await chain.minimumBalance(165)
  const closed = await settle(closePlan(mint, at, false))
  expect(closed.error).toBeNull()
  expect((await chain.readAccounts([source])).states[0]).toBeNull()
  const payer = closed.changes.find(({ account }) => account === FEE_PAYER)
  expect((payer?.after ?? 0n) - (payer?.before ?? 0n)).toBe(rent - closed.fee)
  expect(closed.changes.find(({ account }) => account === source)).toMatchObject({ before: rent, after: 0n })

  // The second of two sweeps to the same wallets finds their accounts there.
  await tools.fundToken(mint, at.source, 10n)
  const again = await settle(tokenPlan(mint, at, [leg('seller', seller, 10n)]))
  expect(again.error).toBeNull()
  expect(await tools.tokensOf(seller, mint)).toBe(700_010n)
})

test.concurrent('a closed account that got one unit of dust stays open, and the dust is safe', async () => {
  const mint = await tools.createMint()
  const at = deposit()
  await tools.fundToken(mint, at.source, 1n)
  const closed = await settle(closePlan(mint, at, false))
  expect(closed.error).toContain('InstructionError')
  expect(await tools.tokensOf(at.source, mint)).toBe(1n)
})

test.concurrent('the arriving amount of a transfer-fee mint is credited, and its account closes once the withheld fees are harvested', async () => {
  const mint = await tools.createMint({
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    extensions: (authority) => [transferFee(authority, 100, 1_000_000n)],
  })
  const at = deposit()
  await tools.fundToken(mint, buyer.address, 1_000_000n)
  await tools.finalized(await tools.payToken(buyer, at.source, mint, 1_000_000n))
  const source = await keys.tokenAccountOf(at.source, mint.mint, mint.tokenProgram)
  const { states } = await chain.readAccounts([source])
  expect(states[0]?.token).toMatchObject({ amount: 990_000n, withheld: 10_000n })

  const seller = await freshWallet()
  const swept = await settle(tokenPlan(mint, at, [leg('seller', seller, 990_000n)]))
  expect(swept.error).toBeNull()
  const receiver = associatedTokenAddress(seller, mint.mint, mint.tokenProgram)
  expect(swept.changes.find(({ account, asset }) => account === receiver && asset === mint.mint)?.after).toBe(980_100n)

  expect((await settle(closePlan(mint, at, false))).error).toContain('InstructionError')
  expect((await settle(closePlan(mint, at, true))).error).toBeNull()
  expect((await chain.readAccounts([source])).states[0]).toBeNull()
})

test.concurrent('a mint like PYUSD is paid with, split, refunded, and its account closes, with no more accounts than another', async () => {
  const mint = await tools.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, extensions: regulatedDollar })
  const at = deposit()
  await tools.fundToken(mint, buyer.address, 1_000_000n)
  await tools.finalized(await tools.payToken(buyer, at.source, mint, 1_000_000n))
  const source = await keys.tokenAccountOf(at.source, mint.mint, mint.tokenProgram)
  const { states } = await chain.readAccounts([source])
  expect(states[0]?.token).toMatchObject({ amount: 1_000_000n, withheld: 0n })

  const [seller, market] = [await freshWallet(), await freshWallet()]
  const legs = [
    leg('seller', seller, 700_000n),
    leg('marketplace', market, 200_000n),
    leg('refund', buyer.address, 100_000n),
  ]
  expect((await settle(tokenPlan(mint, at, legs))).error).toBeNull()
  expect(await tools.tokensOf(seller, mint)).toBe(700_000n)
  expect(await tools.tokensOf(market, mint)).toBe(200_000n)
  expect(await tools.tokensOf(buyer.address, mint)).toBe(100_000n)

  const closed = await settle(closePlan(mint, at, false))
  expect(closed.error).toBeNull()
  const payer = closed.changes.find(({ account }) => account === FEE_PAYER)
  const rent = await chain.minimumBalance(187)
  expect((payer?.after ?? 0n) - (payer?.before ?? 0n)).toBe(rent - closed.fee)
})

test.concurrent('no new token account of an allowed mint is larger than the rent that is kept for it', async () => {
  const mint = await tools.createMint({
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    extensions: (authority, address) => [...regulatedDollar(authority, address), pausable(authority)],
  })
  const account = await tools.fundToken(mint, await freshWallet(), 1n)
  const { value } = await tools.rpc.getAccountInfo(account, { encoding: 'base64' }).send()
  expect(value?.space).toBe(BigInt(TOKEN_ACCOUNT_BYTES))
})

test.concurrent('a hook that gets a program makes transfers fail, and they move nothing but the fee', async () => {
  const mint = await tools.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, extensions: regulatedDollar })
  const at = deposit()
  await tools.fundToken(mint, at.source, 50n)
  expect((await chain.readMint(mint.mint))?.active).toEqual([])
  const { authority, tokenProgram } = mint
  const holder = { address: authority.address, role: AccountRole.READONLY_SIGNER, signer: authority }
  const setHook: Instruction = {
    programAddress: tokenProgram,
    accounts: [{ address: mint.mint, role: AccountRole.WRITABLE }, holder],
    data: Uint8Array.of(36, 1, ...addressBytes(MEMO_PROGRAM_ADDRESS)),
  }
  await tools.finalized(await tools.send(authority, [setHook]))
  expect((await chain.readMint(mint.mint))?.active).toEqual(['transfer-hook'])
  const failed = await settle(tokenPlan(mint, at, [leg('seller', await freshWallet(), 50n)]))
  expect(failed.error).toContain('InstructionError')
  expect(failed.changes.map(({ account }) => account)).toEqual([FEE_PAYER])
  expect(await tools.tokensOf(at.source, mint)).toBe(50n)
})

test.concurrent('a receiver that insists on memos gets one with each transfer', async () => {
  const mint = await tools.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS })
  const at = deposit()
  await tools.fundToken(mint, at.source, 50n)
  const receiver = await tools.wallet()
  await insistOnMemos(receiver, mint)
  const observed = await settle(
    tokenPlan(mint, at, [leg('seller', receiver.address, 30n), leg('marketplace', receiver.address, 20n)]),
  )
  expect(observed.error).toBeNull()
  expect(await tools.tokensOf(receiver.address, mint)).toBe(50n)
})

/** Token-2022's instructions 29 (make room for extension 8) and 30, 0 (switch it on). */
async function insistOnMemos(owner: KeyPairSigner, { mint, tokenProgram }: TestMint): Promise<void> {
  const account = associatedTokenAddress(owner.address, mint, tokenProgram)
  const holder = { address: owner.address, role: AccountRole.READONLY_SIGNER, signer: owner }
  const payer = { ...holder, role: AccountRole.WRITABLE_SIGNER }
  const writable = { address: account, role: AccountRole.WRITABLE }
  const system = { address: SYSTEM_PROGRAM_ADDRESS, role: AccountRole.READONLY }
  const makeRoom: Instruction = {
    programAddress: tokenProgram,
    accounts: [writable, payer, system, holder],
    data: Uint8Array.of(29, 8, 0),
  }
  const switchOn: Instruction = {
    programAddress: tokenProgram,
    accounts: [writable, holder],
    data: Uint8Array.of(30, 0),
  }
  const create = await getCreateAssociatedTokenIdempotentInstructionAsync({
    payer: owner,
    owner: owner.address,
    mint,
    tokenProgram,
  })
  await tools.send(owner, [create, makeRoom, switchOn])
}

test.concurrent('a transaction whose lifetime has passed is proved expired, and sending it then has no effect', async () => {
  const at = deposit()
  const paid = await tools.paySol(buyer, at.source, SOL)
  await tools.finalized(paid)
  const plan: Unbound = {
    kind: 'legs',
    ...at,
    asset: 'SOL',
    token: null,
    legs: [leg('merchant', await freshWallet(), SOL)],
  }
  const lifetime = await chain.lifetime()
  const { wire, signature } = await signed(plan, lifetime)
  const attempt = { signature, lifetime, knownSignature: paid }
  expect(await chain.proveExpired(attempt)).toMatchObject({ expired: false, because: 'not_yet' })
  await until(async () => (await chain.proveExpired(attempt)).expired)

  await chain.broadcast(wire).catch(() => {})
  expect(await chain.signatureStatuses([signature])).toEqual([null])
  expect(await tools.solOf(at.source)).toBe(SOL)
  // Its successor is another transaction and lands.
  expect((await settle(plan)).error).toBeNull()
})

test.concurrent('a transaction that landed is never proved expired, however old', async () => {
  const at = deposit()
  await tools.finalized(await tools.paySol(buyer, at.source, SOL))
  const plan: Unbound = {
    kind: 'legs',
    ...at,
    asset: 'SOL',
    token: null,
    legs: [leg('merchant', await freshWallet(), SOL)],
  }
  const { signature } = await settle(plan)
  const lifetime = { ...(await chain.lifetime()), lastValidBlockHeight: 0n }
  const proof = await chain.proveExpired({ signature, lifetime, knownSignature: signature })
  expect(proof).toMatchObject({ expired: false, because: 'landed' })
})

test.concurrent('the same bytes sent again and again land once', async () => {
  const at = deposit()
  const merchant = await freshWallet()
  await tools.finalized(await tools.paySol(buyer, at.source, SOL))
  const plan: Unbound = { kind: 'legs', ...at, asset: 'SOL', token: null, legs: [leg('merchant', merchant, SOL)] }
  const { wire, signature } = await signed(plan)
  await Promise.all([chain.broadcast(wire), chain.broadcast(wire)])
  await final(signature)
  await chain.broadcast(wire)
  expect(await tools.solOf(merchant)).toBe(SOL)
  const { entries: history } = await chain.signatures(at.source, {})
  expect(history.filter((one) => one.signature === signature)).toHaveLength(1)
})

test.concurrent('a deposit is found in the history of its address, newest first, back to the known signature', async () => {
  const at = deposit()
  const first = await tools.paySol(buyer, at.source, SOL)
  const second = await tools.paySol(buyer, at.source, 5n)
  await tools.finalized(second)
  const { entries: all } = await chain.signatures(at.source, {})
  expect(all.map(({ signature }) => signature)).toEqual([second, first])
  const { entries: newer } = await chain.signatures(at.source, { until: first })
  expect(newer.map(({ signature }) => signature)).toEqual([second])
  const observed = await chain.transaction(first)
  expect(observed?.feePayer).toBe(buyer.address)
  expect(observed?.changes).toContainEqual({
    account: at.source,
    owner: at.source,
    asset: 'SOL',
    before: 0n,
    after: SOL,
  })
  const { time } = await chain.blockTime()
  expect(Math.abs((observed?.blockTime?.getTime() ?? 0) - time.getTime())).toBeLessThan(60_000)
})

test.concurrent('mints are read with their program, decimals and extensions', async () => {
  const classic = await tools.createMint({ decimals: 9 })
  expect(await chain.readMint(classic.mint)).toEqual({
    mint: classic.mint,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
    decimals: 9,
    extensions: [],
    active: [],
  })
  const loaded = await tools.createMint({
    decimals: 2,
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    extensions: (authority) => [
      mintCloseAuthority(authority),
      permanentDelegate(authority),
      transferFee(authority, 5, 5n),
      transferHook(authority, SYSTEM_PROGRAM_ADDRESS),
      interestBearing(authority, 5),
      pausable(authority),
      defaultFrozen(),
    ],
  })
  const facts = await chain.readMint(loaded.mint)
  expect(facts).toMatchObject({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, decimals: 2 })
  expect(facts?.active.toSorted()).toEqual(['default-account-state', 'transfer-fee-config'])
  expect(facts?.extensions.toSorted()).toEqual([
    'default-account-state',
    'interest-bearing-config',
    'mint-close-authority',
    'pausable',
    'permanent-delegate',
    'transfer-fee-config',
    'transfer-hook',
  ])
  const others = await tools.createMint({
    tokenProgram: TOKEN_2022_PROGRAM_ADDRESS,
    extensions: (authority) => [scaledUiAmount(authority, 2), nonTransferable()],
  })
  expect((await chain.readMint(others.mint))?.extensions.toSorted()).toEqual(['non-transferable', 'scaled-ui-amount'])
  expect(await chain.readMint(FEE_PAYER)).toBeNull()
  expect(await chain.readMint(await freshWallet())).toBeNull()
})

test('every token account of a wallet is found, of both programs, and not an empty one', async () => {
  const { source } = deposit()
  const [classic, extended] = await Promise.all([
    tools.createMint(),
    tools.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS }),
  ])
  await tools.fundToken(classic, buyer.address, 9n)
  const usual = await tools.fundToken(extended, source, 5n)
  const account = await generateKeyPairSigner()
  const space = 165n
  const lamports = await tools.rpc.getMinimumBalanceForRentExemption(space).send()
  const { mint, decimals } = classic
  const programAddress = TOKEN_PROGRAM_ADDRESS
  await tools.send(buyer, [
    getCreateAccountInstruction({ payer: buyer, newAccount: account, lamports, space, programAddress }),
    getInitializeAccount3Instruction({ account: account.address, mint, owner: source }),
    getTransferCheckedInstruction({
      source: associatedTokenAddress(buyer.address, mint, programAddress),
      mint,
      destination: account.address,
      authority: buyer,
      amount: 9n,
      decimals,
    }),
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: buyer, owner: source, mint }),
  ])
  await until(async () => (await chain.tokenAccounts(source)).length === 2)
  expect(new Set(await chain.tokenAccounts(source))).toEqual(
    new Set([
      { account: account.address, mint, amount: 9n },
      { account: usual, mint: extended.mint, amount: 5n },
    ]),
  )
})

test('a payment by a version 1 transaction is found, in the history and in its block, and attributed to its signer', async () => {
  const mint = await tools.createMint()
  await tools.fundToken(mint, buyer.address, 90n)
  const { source } = deposit()
  const tokenAccount = associatedTokenAddress(source, mint.mint, mint.tokenProgram)
  const { value: blockhash } = await tools.rpc.getLatestBlockhash().send()
  const sponsor = await tools.wallet()
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (empty) => setTransactionMessageFeePayerSigner(sponsor, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
    (alive) => setTransactionMessageComputeUnitLimit(200_000, alive),
  )
  const instructions = [
    getTransferSolInstruction({ source: buyer, destination: source, amount: 5_000_000n }),
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: sponsor, owner: source, mint: mint.mint }),
    getTransferCheckedInstruction({
      source: associatedTokenAddress(buyer.address, mint.mint, mint.tokenProgram),
      mint: mint.mint,
      destination: tokenAccount,
      authority: buyer,
      amount: 90n,
      decimals: mint.decimals,
    }),
    getAddMemoInstruction({ memo: 'order 7' }, { programAddress: MEMO_PROGRAM_ADDRESS }),
  ]
  const signed = await signTransactionMessageWithSigners(appendTransactionMessageInstructions(instructions, message))
  const wire = Buffer.from(getBase64EncodedWireTransaction(signed), 'base64')
  expect(wire[0]).toBe(0x81)
  await chain.broadcast(wire)
  const signature = getSignatureFromTransaction(signed)

  const observed = await final(signature)
  expect(observed).toMatchObject({
    error: null,
    feePayer: sponsor.address,
    fee: 10_000n,
    signers: [sponsor.address, buyer.address],
    accounts: expect.arrayContaining([sponsor.address, buyer.address, source, tokenAccount, mint.mint]),
    memos: ['order 7'],
  })
  const received = observed.changes.filter(({ owner }) => owner === source)
  expect(received.map(({ account, asset, before, after }) => [account, asset, after - before])).toEqual([
    [source, 'SOL', 5_000_000n],
    [tokenAccount, mint.mint, 90n],
  ])
  expect((await chain.signatures(source, {})).entries.map((entry) => entry.signature)).toEqual([signature])

  const blocks = chain.openBlocks()
  blocks.watch([source])
  const block = await blocks.finalBlock(observed.slot)
  expect(block?.notices).toEqual([{ signature, owners: [source], transaction: { ...observed, memos: [] } }])
  await blocks.close()
})
