// Approves, revocations and pulls against a real Solana runtime, and the failure codes of pulls that fail on the chain.
import { type Address, generateKeyPairSigner, type Instruction, type KeyPairSigner, signBytes } from '@solana/kit'
import {
  getApproveCheckedInstruction,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getFreezeAccountInstruction,
  getRevokeInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChain } from '#adapters/solana/chain.ts'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { type ApprovePlan, acceptOwnerSigned, type RevokePlan, type SponsoredPlan } from '#core/billing/approval.ts'
import type { FailureCode } from '#core/billing/charge.ts'
import { failureOfTransaction } from '#core/billing/charge-preflight.ts'
import { allowanceOf } from '#core/billing/delegation-state.ts'
import type { Authority, ServiceKey } from '#core/chain/keys.ts'
import type { Lifetime, ObservedTransaction, Signature } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { LegsPlan, TransactionPlan } from '#core/transfers/plan.ts'
import { readAllowances } from '#services/billing/read-allowances.ts'
import { bytesOf, keys, serviceKey, signer } from '../../support/approves.ts'
import {
  regulatedDollar,
  SOL,
  startTestChain,
  stopTestChain,
  type TestChain,
  type TestMint,
} from '../../support/chain.ts'
import { mustSign } from '../../support/signing.ts'
import { until } from '../../support/until.ts'

const authority = (branch: ServiceKey): Authority => ({ address: serviceKey(branch), key: { network: 'live', branch } })
const DELEGATE = authority('delegate')

let tools: TestChain
let chain: ReturnType<typeof createChain>

beforeAll(async () => {
  tools = await startTestChain()
  const clock = { now: () => new Date() }
  chain = createChain({ network: 'live', rpcUrls: [tools.rpcUrl], depositKeys: keys, clock, lifetimeCacheMs: 50 })
  await tools.fund(serviceKey('fee_payer'), 10n * SOL)
})
afterAll(() => stopTestChain(tools))

async function final(signature: Signature): Promise<ObservedTransaction> {
  let observed: ObservedTransaction | null = null
  await until(async () => {
    const [status] = await chain.signatureStatuses([signature])
    if (status?.final) observed = await chain.transaction(signature)
    return observed !== null
  }, 25_000)
  if (observed === null) throw new Error('it is final')
  return observed
}

async function land(plan: TransactionPlan): Promise<ObservedTransaction> {
  const { message } = await chain.compile(plan)
  const { wire, signature } = await mustSign(signer, plan, message)
  await chain.broadcast(wire)
  return final(signature)
}

const placeOf = (owner: Address, { mint, tokenProgram }: TestMint) => associatedTokenAddress(owner, mint, tokenProgram)

/** A wallet without SOL that approves through the sponsor, as a subscriber does. */
const approve = (owner: KeyPairSigner, mint: TestMint, total: bigint): Promise<void> =>
  sponsored(owner, mint, { kind: 'approve', total: makeBaseUnits(total) })

async function sponsored(
  owner: KeyPairSigner,
  mint: TestMint,
  wanted: Pick<ApprovePlan, 'kind' | 'total'> | Pick<RevokePlan, 'kind'>,
): Promise<void> {
  const plan: SponsoredPlan = {
    ...wanted,
    network: 'live',
    owner: owner.address,
    token: { mint: mint.mint, tokenProgram: mint.tokenProgram, decimals: mint.decimals },
    lifetime: await chain.lifetime(),
  }
  const { message } = chain.compileSponsored(plan)
  const paid = await signer.sponsor(plan, message)
  if ('refused' in paid) throw new Error(paid.refused)
  const signature = await signBytes(owner.keyPair.privateKey, message)
  const signed = Uint8Array.of(...paid.wire.subarray(0, 65), ...signature, ...message)
  const stored = { message, owner: owner.address, feePayerSignature: bytesOf(paid.signature) }
  const accepted = acceptOwnerSigned(stored, signed, verifyWalletSignature)
  if ('refused' in accepted) throw new Error(accepted.refused)
  await chain.broadcast(accepted.wire)
  const observed = await final(paid.signature)
  expect(observed.error).toBeNull()
  expect(observed.signers).toEqual([serviceKey('fee_payer'), owner.address])
}

async function subscriber(mint: TestMint, tokens: bigint, allowance: bigint): Promise<KeyPairSigner> {
  const owner = await generateKeyPairSigner()
  await tools.fundToken(mint, owner.address, tokens)
  if (allowance > 0n) await approve(owner, mint, allowance)
  return owner
}

const allowances = (owner: Address, mint: TestMint) =>
  readAllowances(chain, [{ wallet: owner, mint: mint.mint, tokenAccount: placeOf(owner, mint) }])

let pulls = 1
const pullOf = (source: Address, mint: TestMint, lifetime: Lifetime, merchant: Address, platform: Address) =>
  ({
    kind: 'legs',
    network: 'live',
    source,
    authority: DELEGATE,
    lifetime,
    asset: mint.mint,
    token: { mint: mint.mint, tokenProgram: mint.tokenProgram, decimals: mint.decimals },
    legs: [
      { role: 'payout', destination: merchant, amount: makeBaseUnits(97n), feeBps: null },
      { role: 'platform', destination: platform, amount: makeBaseUnits(3n), feeBps: 300 },
    ],
    memo: `charge:00000000-0000-4000-8000-000000000001:${pulls++}`,
  }) satisfies LegsPlan
const freshWallet = async (): Promise<Address> => (await generateKeyPairSigner()).address

describe.each([
  ['the classic program', { tokenProgram: TOKEN_PROGRAM_ADDRESS }],
  ['Token-2022', { tokenProgram: TOKEN_2022_PROGRAM_ADDRESS }],
  ['a mint like PYUSD', { tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, extensions: regulatedDollar }],
])('with %s', (_, options) => {
  test('a sponsored approve sets the allowance of a wallet without SOL, and pulls use it up to the last unit', async () => {
    const mint = await tools.createMint(options)
    const owner = await subscriber(mint, 250n, 200n)
    expect(await tools.solOf(owner.address)).toBe(0n)
    const [before] = await allowances(owner.address, mint)
    expect(before?.state).toEqual({
      is: 'open',
      balance: 250n,
      frozen: false,
      delegate: DELEGATE.address,
      delegated: 200n,
    })

    const [merchant, platform, lifetime] = [await freshWallet(), await freshWallet(), await chain.lifetime()]
    // The first pull creates both token accounts.
    const first = await land(pullOf(owner.address, mint, lifetime, merchant, platform))
    expect(first.error).toBeNull()
    expect(await tools.tokensOf(merchant, mint)).toBe(97n)
    expect(await tools.tokensOf(platform, mint)).toBe(3n)
    expect(first.memos[0]).toMatch(/^charge:00000000-0000-4000-8000-000000000001:\d+$/)
    expect((await land(pullOf(owner.address, mint, lifetime, merchant, platform))).error).toBeNull()
    expect(await tools.tokensOf(merchant, mint)).toBe(194n)

    // The chain removes a delegate whose allowance is spent.
    const [after] = await allowances(owner.address, mint)
    expect(after?.state).toMatchObject({ is: 'open', balance: 50n, delegate: null, delegated: 0n })
    expect(after === undefined ? 1n : allowanceOf(after.state, DELEGATE.address)).toBe(0n)
  })
})

test('an approve replaces the allowance before it, and a sponsored revocation removes the delegate', async () => {
  const mint = await tools.createMint({ tokenProgram: TOKEN_2022_PROGRAM_ADDRESS })
  const owner = await subscriber(mint, 100n, 40n)
  await approve(owner, mint, 75n)
  const [reading] = await allowances(owner.address, mint)
  expect(reading?.state).toMatchObject({ delegated: 75n })
  await sponsored(owner, mint, { kind: 'revoke' })
  const [revoked] = await allowances(owner.address, mint)
  expect(revoked?.state).toEqual({ is: 'open', balance: 100n, frozen: false, delegate: null, delegated: 0n })
})

type Spoil = (owner: KeyPairSigner, mint: TestMint, merchant: Address) => Promise<readonly Instruction[]>
const account = (owner: KeyPairSigner, mint: TestMint) => placeOf(owner.address, mint)
const FAILURES: readonly (readonly [FailureCode, what: string, Spoil])[] = [
  [
    'insufficient_funds',
    'the balance is spent',
    async (owner, mint) => [
      getTransferCheckedInstruction({
        source: account(owner, mint),
        mint: mint.mint,
        destination: await tools.fundToken(mint, mint.authority.address, 1n),
        authority: owner,
        amount: 150n,
        decimals: mint.decimals,
      }),
    ],
  ],
  [
    'allowance_insufficient',
    'the allowance is lowered',
    async (owner, mint) => [
      getApproveCheckedInstruction({
        source: account(owner, mint),
        mint: mint.mint,
        delegate: DELEGATE.address,
        owner,
        amount: 99n,
        decimals: mint.decimals,
      }),
    ],
  ],
  [
    'delegate_revoked',
    'the allowance is revoked',
    async (owner, mint) => [getRevokeInstruction({ source: account(owner, mint), owner })],
  ],
  [
    'delegate_replaced',
    'another delegate is approved',
    async (owner, mint) => [
      getApproveCheckedInstruction({
        source: account(owner, mint),
        mint: mint.mint,
        delegate: await freshWallet(),
        owner,
        amount: 500n,
        decimals: mint.decimals,
      }),
    ],
  ],
  [
    'account_frozen',
    'the issuer freezes the account',
    async (owner, mint) => [
      getFreezeAccountInstruction({ account: account(owner, mint), mint: mint.mint, owner: mint.authority }),
    ],
  ],
  [
    'account_closed',
    'the account is emptied and closed',
    async (owner, mint) => [
      getBurnCheckedInstruction({
        account: account(owner, mint),
        mint: mint.mint,
        authority: owner,
        amount: 200n,
        decimals: mint.decimals,
      }),
      getCloseAccountInstruction({ account: account(owner, mint), destination: owner.address, owner }),
    ],
  ],
  [
    'destination_unavailable',
    'the issuer freezes the payout account',
    async (_owner, mint, merchant) => [
      getFreezeAccountInstruction({ account: placeOf(merchant, mint), mint: mint.mint, owner: mint.authority }),
    ],
  ],
]

test.concurrent.each(FAILURES)('a pull that fails on the chain is %s after %s', async (code, _, spoil) => {
  const mint = await tools.createMint()
  const [owner, merchant, platform] = [await subscriber(mint, 200n, 500n), await freshWallet(), await freshWallet()]
  await tools.fundToken(mint, merchant, 1n)
  const plan = pullOf(owner.address, mint, await chain.lifetime(), merchant, platform)
  // The message is compiled while the pull could still succeed.
  const { message } = await chain.compile(plan)
  await tools.finalized(await tools.send(mint.authority, await spoil(owner, mint, merchant)))
  const { wire, signature } = await mustSign(signer, plan, message)
  await chain.broadcast(wire)
  const { error } = await final(signature)
  if (error === null) throw new Error('it fails')

  const places = [owner.address, merchant, platform].map((wallet) => placeOf(wallet, mint))
  const { states } = await chain.readAccounts(places)
  const [source = null, payout = null, fee = null] = states
  const receivers = new Map([
    [merchant, payout],
    [platform, fee],
  ])
  expect(failureOfTransaction(error, plan, { source, receivers }), error).toBe(code)
  // By the error alone, a failure is never one that ends the subscription.
  expect(['insufficient_funds', 'account_frozen', 'chain_unavailable'], error).toContain(
    failureOfTransaction(error, plan, null),
  )
  expect(await tools.tokensOf(merchant, mint)).toBe(1n)
})
