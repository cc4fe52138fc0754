// The creation of a nonce account of the pool: the signer signs it for its own address, authority and rent only.
import {
  type Address,
  blockhash,
  createAddressWithSeed,
  createNoopSigner,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit'
import {
  getAllocateWithSeedInstruction,
  getAuthorizeNonceAccountInstruction,
  getInitializeNonceAccountInstruction,
  getTransferSolInstruction,
  getWithdrawNonceAccountInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system'
import { expect, test } from 'vitest'
import { seededAddress } from '#adapters/solana/keys/seeded-address.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { NoncePlan } from '#core/transfers/plan.ts'
import { addressOf, compiler, FEE_PAYER, serviceKey, signer } from '../../../support/approves.ts'
import { forgeMessage, type Rewrite } from '../../../support/forged-message.ts'

const STRANGER = addressOf(3)
const AUTHORITY = serviceKey('nonce_authority')
const SEED = '0123456789abcdef0123456789abcdef'
const ACCOUNT = seededAddress(AUTHORITY, SEED)
const PLAN: NoncePlan = {
  kind: 'nonce',
  network: 'live',
  source: ACCOUNT,
  authority: { address: AUTHORITY, key: { network: 'live', branch: 'nonce_authority' } },
  lifetime: { kind: 'blockhash', blockhash: blockhash(addressOf(9)), lastValidBlockHeight: 500n },
  seed: SEED,
  rent: makeBaseUnits(1_447_680n),
}
const refused = { refused: expect.stringContaining('The signer refuses') }

test('the address of a nonce account is the system program’s, for the authority and the seed', async () => {
  const programAddress = SYSTEM_PROGRAM_ADDRESS
  for (const seed of ['', 'a', SEED])
    expect(seededAddress(AUTHORITY, seed)).toBe(
      await createAddressWithSeed({ baseAddress: AUTHORITY, seed, programAddress }),
    )
  expect(() => seededAddress(AUTHORITY, `${SEED}x`)).toThrow(RangeError)
})

test('fee payer and nonce authority alone sign it', async () => {
  const { message, fee } = await compiler.compile(PLAN)
  const signing = await signer.sign(PLAN, message)
  if ('refused' in signing) throw new Error(signing.refused)
  const { signatures } = getTransactionDecoder().decode(signing.wire)
  expect(Object.keys(signatures)).toEqual([FEE_PAYER, AUTHORITY])
  expect(fee).toBeGreaterThanOrEqual(10_000n)
})

const give = (destination: Address, amount: bigint, from = FEE_PAYER) =>
  getTransferSolInstruction({ source: createNoopSigner(from), destination, amount })
const allocate = (patch: { space?: number; seed?: string; programAddress?: Address }) =>
  getAllocateWithSeedInstruction({
    newAccount: ACCOUNT,
    baseAccount: createNoopSigner(AUTHORITY),
    base: AUTHORITY,
    seed: SEED,
    space: 80,
    programAddress: SYSTEM_PROGRAM_ADDRESS,
    ...patch,
  })
const initialize = (nonceAuthority: Address) =>
  getInitializeNonceAccountInstruction({ nonceAccount: ACCOUNT, nonceAuthority })
const withdraw = getWithdrawNonceAccountInstruction({
  nonceAccount: ACCOUNT,
  recipientAccount: STRANGER,
  nonceAuthority: createNoopSigner(AUTHORITY),
  withdrawAmount: 1n,
})
const reauthorize = getAuthorizeNonceAccountInstruction({
  nonceAccount: ACCOUNT,
  nonceAuthority: createNoopSigner(AUTHORITY),
  newNonceAuthority: STRANGER,
})
const added =
  (instruction: Instruction): Rewrite =>
  (all) => [...all, instruction]

const FORGERIES: readonly (readonly [what: string, rewrite: Rewrite])[] = [
  ['one lamport more', (all) => all.with(2, give(ACCOUNT, PLAN.rent + 1n))],
  ['the rent to a stranger', (all) => all.with(2, give(STRANGER, PLAN.rent))],
  ['the rent from the nonce authority', (all) => all.with(2, give(ACCOUNT, PLAN.rent, AUTHORITY))],
  ['no rent', (all) => all.toSpliced(2, 1)],
  ['a larger account', (all) => all.with(3, allocate({ space: 8_000 }))],
  ['another seed', (all) => all.with(3, allocate({ seed: 'another' }))],
  ['an account of another program', (all) => all.with(3, allocate({ programAddress: STRANGER }))],
  ['a stranger as the authority', (all) => all.with(4, initialize(STRANGER))],
  ['the fee payer as the authority', (all) => all.with(4, initialize(FEE_PAYER))],
  ['an account that is not initialized', (all) => all.toSpliced(4, 1)],
  ['lamports for a stranger', added(give(STRANGER, 1n))],
  ['a withdrawal', added(withdraw)],
  ['another authority afterwards', added(reauthorize)],
]

test.each(FORGERIES)('not signed: %s', async (_, rewrite) => {
  const { message } = await compiler.compile(PLAN)
  expect(forgeMessage(message, (all) => all)).toEqual(message)
  expect(await signer.sign(PLAN, forgeMessage(message, rewrite))).toMatchObject(refused)
})

test('not signed: a plan at another address than its own, or with another key as the authority', async () => {
  const { message } = await compiler.compile(PLAN)
  expect(await signer.sign({ ...PLAN, source: STRANGER }, message)).toMatchObject(refused)
  expect(await signer.sign({ ...PLAN, seed: 'another' }, message)).toMatchObject(refused)
  await expect(compiler.compile({ ...PLAN, source: STRANGER })).rejects.toThrow('cannot compile')
  const delegate = { address: serviceKey('delegate'), key: { network: 'live', branch: 'delegate' } } as const
  const foreign = { ...PLAN, authority: delegate, source: seededAddress(delegate.address, SEED) }
  expect(await signer.sign(foreign, (await compiler.compile(foreign)).message)).toMatchObject(refused)
})
