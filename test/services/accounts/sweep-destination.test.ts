import { getProgramDerivedAddress } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import type { AccountState, Address } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { createJudgeSweepDestination } from '#services/accounts/sweep-destination.ts'

const SYSTEM = makeAddress('11111111111111111111111111111111')
const TOKEN = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const TOKEN_2022 = makeAddress('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')
const LOADER = makeAddress('BPFLoaderUpgradeab1e11111111111111111111111')
const SQUADS = makeAddress('SQDS4ep65T869zMMBKyuUq6aD6EgTu8psMjkvj52pCf')
const WALLET = makeAddress('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')
const FEE_PAYER = makeAddress('7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi')
const DEPOSIT_ADDRESS = makeAddress('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T')

const judge = (read: () => Promise<AccountState | null>) =>
  createJudgeSweepDestination(
    {
      live: { feePayer: FEE_PAYER, chain: { readAccounts: async () => ({ slot: 1n, states: [await read()] }) } },
      test: null,
    },
    { isIssued: async (address) => address === DEPOSIT_ADDRESS },
  )
const ownedBy = (ownerProgram: Address) =>
  judge(async () => ({ lamports: makeLamports(1n), ownerProgram, token: null }))
const notThere = judge(async () => null)
const refused = expect.objectContaining({
  code: 'invalid_address',
  context: expect.objectContaining({ field: 'sweepDestination' }),
})

describe('a sweep destination', () => {
  it('may be a wallet, whether or not it was ever used', async () => {
    await ownedBy(SYSTEM)('live', WALLET)
    await notThere('live', WALLET)
  })

  it('may be a vault, which no key signs for', async () => {
    const [vault] = await getProgramDerivedAddress({ programAddress: SQUADS, seeds: ['vault'] })
    await ownedBy(SYSTEM)('live', vault)
    await ownedBy(SQUADS)('live', vault)
  })

  it.each([
    SYSTEM,
    TOKEN,
    TOKEN_2022,
    makeAddress('So11111111111111111111111111111111111111112'),
    makeAddress('SysvarS1otHashes111111111111111111111111111'),
    makeAddress('AddressLookupTab1e1111111111111111111111111'),
  ])('is not %s, on any network', async (address) => {
    await expect(notThere('live', address)).rejects.toEqual(refused)
    await expect(notThere('test', address)).rejects.toEqual(refused)
  })

  it.each([
    ['a token account or a mint', TOKEN],
    ['a Token-2022 account or mint', TOKEN_2022],
    ['a program', LOADER],
    ['an account of the chain itself', makeAddress('Sysvar1111111111111111111111111111111111111')],
  ])('is not what the chain says is %s', async (_what, owner) => {
    await expect(ownedBy(owner)('live', WALLET)).rejects.toEqual(refused)
  })

  it('is not a fee payer of the service, on either network', async () => {
    await expect(notThere('live', FEE_PAYER)).rejects.toEqual(refused)
    await expect(notThere('test', FEE_PAYER)).rejects.toEqual(refused)
  })

  it('is not a deposit address of the service, on either network: a sweep there would go to and fro', async () => {
    const payment = { code: 'invalid_address', context: { rule: expect.stringContaining('is a deposit address') } }
    await expect(ownedBy(SYSTEM)('live', DEPOSIT_ADDRESS)).rejects.toMatchObject(payment)
    await expect(notThere('test', DEPOSIT_ADDRESS)).rejects.toMatchObject(payment)
  })

  it('is taken on its word while the chain is away, and not when something else is wrong', async () => {
    await judge(() => Promise.reject(new ServiceError('chain_unavailable')))('live', WALLET)
    for (const defect of [new Error('a defect'), new ServiceError('invalid_address')])
      await expect(judge(() => Promise.reject(defect))('live', WALLET)).rejects.toBe(defect)
  })
})
