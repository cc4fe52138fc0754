// A buyer pays with a wallet that is connected to a page. The transactions are real; the chain is a stand-in.
import {
  AccountRole,
  appendTransactionMessageInstruction,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { walletTransactions } from '#adapters/solana/transactions/wallet-transactions.ts'
import { makeBlockhash } from '#core/chain/base58.ts'
import { type AccountState, type Address, type Asset, type Lifetime, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { makeLamports } from '#core/money/amounts.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { createWalletPayments } from '#services/payments/wallet-payments.ts'
import { MINT } from '../../support/example-intent.ts'
import {
  addressNo,
  choice,
  intentWith,
  NOW,
  RENT,
  SOL_TOKEN,
  TOKEN_PROGRAM,
  USDC,
  units,
} from '../../support/payment.ts'

const SECRET = 'cs_secret'
const DUE = 25_000_000n
const LIFETIME: Lifetime = {
  blockhash: makeBlockhash('1'.repeat(32)),
  lastValidBlockHeight: 1n,
}
/** Enough SOL for the fee of a payment and the rent that it asks for. */
const COSTS = 10_000_000n

let wallet: KeyPairSigner
let intent: PaymentIntent
/** What each account has, in base units. */
let has: Map<Address, bigint>
let sent: Uint8Array[]
let isChanged: boolean
let now = NOW.getTime()
/** How many calls were made to the chain for accounts. */
let readings: number
beforeEach(async () => {
  wallet = await generateKeyPairSigner()
  has = new Map()
  sent = []
  isChanged = false
  now += 60_000
  readings = 0
  select(SOL)
})

const select = (asset: Asset, patch: Partial<PaymentIntent> = {}): void => {
  intent = intentWith({ selection: choice(asset, DUE), acceptedAssets: [SOL, MINT], status: 'pending', ...patch })
}
const tokenAccount = (owner: Address): Address => associatedTokenAddress(owner, MINT, TOKEN_PROGRAM)

function stateOf(account: Address): AccountState | null {
  const amount = has.get(account)
  if (amount === undefined) return null
  const token = {
    mint: MINT,
    owner: wallet.address,
    amount: units(amount),
    frozen: false,
    withheld: units(0n),
    delegation: null,
    closeAuthority: null,
  }
  const isWallet = account === wallet.address
  return { lamports: makeLamports(isWallet ? amount : 0n), ownerProgram: TOKEN_PROGRAM, token: isWallet ? null : token }
}

const payments = createWalletPayments({
  findByClientSecret: async () => intent,
  directory: { tokens: async () => new Map([SOL_TOKEN, USDC].map((token) => [token.asset, token])) },
  keys: { tokenAccountOf: async (owner, mint, program) => associatedTokenAddress(owner, mint, program) },
  chainOf: () => ({
    async readAccounts(accounts) {
      readings += 1
      return { slot: 1n, states: accounts.map(stateOf) }
    },
    lifetime: async () => LIFETIME,
    minimumBalance: async () => RENT,
    broadcast: async (wire) => void sent.push(wire),
    signatureStatuses: async () => [],
    slotMs: () => 400,
  }),
  mintGuard: {
    async requireUsable({ asset }) {
      if (isChanged) throw new ServiceError('asset_not_usable', { asset })
    },
  },
  walletTransactions,
  clock: { now: () => new Date(now) },
})

/** Prepares a payment, changes it as a wallet might, and signs it. */
async function sign(change: (wire: Uint8Array) => Uint8Array = (wire) => wire): Promise<Uint8Array> {
  const { transaction } = await payments.preparePayment(SECRET, wallet.address)
  const decoded = getTransactionDecoder().decode(change(transaction))
  return Uint8Array.from(getTransactionEncoder().encode(await partiallySignTransaction([wallet.keyPair], decoded)))
}
/** Signs a transaction of this size that names the deposit address, with data of a program that is not read. */
async function signLarge(bytes: number): Promise<Uint8Array> {
  const ofData = async (length: number): Promise<Uint8Array> => {
    const accounts = [{ address: intent.address, role: AccountRole.WRITABLE }]
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (made) => setTransactionMessageFeePayer(wallet.address, made),
      (made) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, made),
      (made) =>
        appendTransactionMessageInstruction(
          { programAddress: addressNo(78), accounts, data: new Uint8Array(length) },
          made,
        ),
    )
    const signed = await partiallySignTransaction([wallet.keyPair], compileTransaction(message))
    return Uint8Array.from(getTransactionEncoder().encode(signed))
  }
  const base = await ofData(200)
  return await ofData(200 + bytes - base.length)
}
const accountsOf = (wire: Uint8Array): readonly Address[] =>
  getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(wire).messageBytes).staticAccounts
const refusal = (code: string) => expect.objectContaining({ code })

describe('the funds of a wallet', () => {
  test('are what it can spend of each accepted asset, and what a payment costs besides', async () => {
    has.set(wallet.address, COSTS)
    has.set(tokenAccount(wallet.address), 7n)
    expect(await payments.walletFunds(SECRET, wallet.address)).toEqual([
      { asset: SOL, amount: COSTS, cost: 5_000n },
      { asset: MINT, amount: 7n, cost: 5_000n + RENT },
    ])
  })

  test('are nothing of an asset that it has no account for, and cost no account that is there already', async () => {
    has.set(tokenAccount(intent.address), 0n)
    expect(await payments.walletFunds(SECRET, wallet.address)).toEqual([
      { asset: SOL, amount: 0n, cost: 5_000n },
      { asset: MINT, amount: 0n, cost: 5_000n },
    ])
  })

  test('are read while something can be paid, before an asset is selected too, and no longer', async () => {
    select(SOL, { selection: null })
    expect(await payments.walletFunds(SECRET, wallet.address)).toHaveLength(2)
    expect(readings).toBe(1)
    select(SOL, { status: 'swept' })
    expect(await payments.walletFunds(SECRET, (await generateKeyPairSigner()).address)).toEqual([])
    expect(readings).toBe(1)
  })

  test('leave out an asset that is no longer allowed', async () => {
    select(SOL, { acceptedAssets: [addressNo(9), SOL] })
    expect((await payments.walletFunds(SECRET, wallet.address)).map(({ asset }) => asset)).toEqual([SOL])
  })
})

describe('a prepared payment', () => {
  test('pays exactly what is due, from the wallet to the deposit address, and the wallet pays the fee', async () => {
    has.set(wallet.address, DUE + COSTS)
    const { amount, asset, transaction } = await payments.preparePayment(SECRET, wallet.address)
    expect([amount, asset]).toEqual([DUE, SOL])
    expect(accountsOf(transaction).slice(0, 2)).toEqual([wallet.address, intent.address])
  })

  test('can land for 150 slots, as long as the chain takes for them', async () => {
    has.set(wallet.address, DUE + COSTS)
    expect((await payments.preparePayment(SECRET, wallet.address)).expiresAt).toEqual(new Date(now + 60_000))
  })

  test('pays the rest of an underpaid payment', async () => {
    select(SOL, { status: 'underpaid', received: units(DUE - 7n) })
    has.set(wallet.address, DUE + COSTS)
    expect((await payments.preparePayment(SECRET, wallet.address)).amount).toBe(7n)
  })

  test('in a token goes from the token account of the wallet to that of the deposit address', async () => {
    select(MINT)
    has.set(wallet.address, COSTS)
    has.set(tokenAccount(wallet.address), DUE)
    const { transaction } = await payments.preparePayment(SECRET, wallet.address)
    expect(accountsOf(transaction)).toEqual(
      expect.arrayContaining([tokenAccount(wallet.address), tokenAccount(intent.address)]),
    )
  })

  test('in a token whose issuer now takes a fee is refused', async () => {
    select(MINT)
    has.set(wallet.address, COSTS)
    has.set(tokenAccount(wallet.address), DUE)
    isChanged = true
    await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('asset_not_usable'))
  })

  test('is prepared again and again with the accounts of one read, for two seconds', async () => {
    select(MINT)
    has.set(wallet.address, COSTS)
    has.set(tokenAccount(wallet.address), DUE)
    const prepare = () => payments.preparePayment(SECRET, wallet.address)
    await Promise.all([prepare(), prepare(), prepare()])
    now += 1_999
    await prepare()
    expect(readings).toBe(1)
    now += 1
    await prepare()
    expect(readings).toBe(2)
  })

  test('shares a call to the provider with those of other wallets at the same moment, and each gets its own answer', async () => {
    const others = await Promise.all(Array.from({ length: 31 }, () => generateKeyPairSigner()))
    has.set(wallet.address, DUE + COSTS)
    const poor = others.map(({ address }) => payments.preparePayment(SECRET, address))
    const [own, ...refused] = await Promise.allSettled([payments.preparePayment(SECRET, wallet.address), ...poor])
    expect(own).toMatchObject({ status: 'fulfilled' })
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'insufficient_funds' } })
    // Two calls may be under way at the same moment.
    expect(readings).toBeLessThanOrEqual(2)
  })

  test('is refused before the wallet signs when it holds too little for it and its fee, or nothing', async () => {
    has.set(wallet.address, DUE)
    await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('insufficient_funds'))
    select(MINT)
    await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('insufficient_funds'))
  })

  test.each(['paid', 'settling', 'swept', 'refunding', 'cancelled'] as const)(
    'is refused once it is %s',
    async (status) => {
      select(SOL, { status })
      await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('nothing_due'))
    },
  )

  test('is refused before an asset is selected, and for one that is no longer allowed', async () => {
    intent = intentWith({ selection: null })
    await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('nothing_due'))
    select(addressNo(5))
    await expect(payments.preparePayment(SECRET, wallet.address)).rejects.toEqual(refusal('asset_not_accepted'))
  })
})

describe('a submitted payment', () => {
  beforeEach(() => {
    has.set(wallet.address, 10n * DUE)
    has.set(tokenAccount(wallet.address), 10n * DUE)
  })

  test.each<Asset>([SOL, MINT])('in %s is sent as the wallet signed it, again and again', async (asset) => {
    select(asset)
    const wire = await sign()
    const first = await payments.submitPayment(SECRET, wire)
    expect(await payments.submitPayment(SECRET, wire)).toBe(first)
    expect(sent).toEqual([wire, wire])
  })

  test('is sent also when another accepted asset is no longer allowed', async () => {
    select(SOL, { acceptedAssets: [SOL, addressNo(5)] })
    const wire = await sign()
    await payments.submitPayment(SECRET, wire)
    expect(sent).toEqual([wire])
  })

  test('may pay another amount: only the chain decides what arrived', async () => {
    const wire = await sign((prepared) => prepared.with(prepared.length - 9, 1))
    await payments.submitPayment(SECRET, wire)
    expect(sent).toEqual([wire])
  })

  test('is refused without a signature, with a wrong one, and when it is no transaction', async () => {
    const { transaction } = await payments.preparePayment(SECRET, wallet.address)
    const signed = await sign()
    const wrong = signed.with(5, (signed[5] ?? 0) ^ 1)
    for (const wire of [transaction, wrong, new Uint8Array(), new Uint8Array(200), signed.slice(0, -1)])
      await expect(payments.submitPayment(SECRET, wire)).rejects.toEqual(refusal('invalid_transaction'))
    expect(sent).toEqual([])
  })

  test.each([
    ['as large as the chain takes', 1_232, 1],
    ['larger than the chain takes', 1_233, 0],
  ])('%s (%i bytes) is sent %i times', async (_size, bytes, times) => {
    const wire = await signLarge(bytes)
    expect(wire).toHaveLength(bytes)
    const submitted = payments.submitPayment(SECRET, wire)
    if (times === 0) await expect(submitted).rejects.toEqual(refusal('invalid_transaction'))
    else await submitted
    expect(sent).toHaveLength(times)
  })

  test('that only reads the address is not sent, because it cannot pay it', async () => {
    // The last number of the header counts the accounts that are only read: the program, and now the address as well.
    const wire = await sign((prepared) => prepared.with(68, 2))
    await expect(payments.submitPayment(SECRET, wire)).rejects.toEqual(refusal('invalid_transaction'))
    expect(sent).toEqual([])
  })

  test('that pays another address is not sent: the service is no relay for strangers', async () => {
    const wire = await sign()
    intent = { ...intent, address: addressNo(77) }
    await expect(payments.submitPayment(SECRET, wire)).rejects.toEqual(refusal('invalid_transaction'))
    expect(sent).toEqual([])
  })
})
