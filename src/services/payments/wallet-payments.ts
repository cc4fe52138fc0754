// Pays with a wallet that is connected to a page. The wallet signs and pays; nothing of the service is moved, and a payment
// counts when the chain shows it.
import { makeAddress } from '#core/chain/base58.ts'
import { BLOCKHASH_LIFE } from '#core/chain/block-height.ts'
import { type AccountState, type Address, type Asset, type Network, type Signature, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { BaseUnits, Lamports } from '#core/money/amounts.ts'
import { dueOf } from '#core/payments/payment-uri.ts'
import { STATUS_POLICY } from '#core/payments/status-policy.ts'
import { canPay, fundsOf, type PayingAccounts, type Rents } from '#core/payments/wallet-funds.ts'
import type { Token } from '#core/tokens/token.ts'
import type { TokenDetails } from '#core/transfers/plan.ts'
import { tokenAccountBytes } from '#core/transfers/preflight.ts'
import { createBatcher } from '#lib/batcher.ts'
import { createCache } from '#lib/cache.ts'
import type { BalanceReader, DepositKeys, RentReader, SlotTime, Submitter } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { WalletTransactions } from '#ports/transactions.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { MintGuard } from '#services/tokens/mint-guard.ts'
import type { FindByClientSecret } from './checkout.ts'

// The use cases of a buyer who pays with a wallet that is connected to a page.

/**
 * A payment for the wallet to sign. `transaction` is in wire form; `amount` is in base units of the asset. `expiresAt`: when it
 * can no longer land, at the measured pace of the chain.
 */
export type PreparedPayment = {
  readonly transaction: Uint8Array
  readonly asset: Asset
  readonly amount: BaseUnits
  readonly expiresAt: Date
}

/** What a wallet can spend of an asset, in base units, and what a payment in it costs besides. */
export type WalletFunds = { readonly asset: Asset; readonly amount: BaseUnits; readonly cost: Lamports }

/** Each throws `invalid_client_secret`, and `chain_unavailable`. */
type WalletPaymentServices = {
  /** Returns what a wallet can spend of each asset that the payment accepts and that is still allowed; nothing once no more can be paid. */
  walletFunds(clientSecret: string, wallet: Address): Promise<readonly WalletFunds[]>
  /** Makes the transaction by which a wallet pays what is due. Throws `nothing_due` and `insufficient_funds`. */
  preparePayment(clientSecret: string, wallet: Address): Promise<PreparedPayment>
  /**
   * Sends a transaction that the wallet has signed. It pays the address of the payment, or is refused: the service sends no
   * other transactions of strangers. What it pays is not judged: the chain shows what arrived. Throws `invalid_transaction` and
   * `transaction_refused`.
   */
  submitPayment(clientSecret: string, transaction: Uint8Array): Promise<Signature>
}

// Reads what a payment by a connected wallet needs of the chain. Every visitor of a page can ask for it, so callers share the calls
// to the provider.

/** A wallet that gets money is read again after this time. The chain judges each payment, whatever was read here. */
const READING_LASTS_MS = 2_000
/** A payment needs at most three accounts, so these fit into one call; the funds of a wallet may take another. A second call is made while the first is slow. */
const TOGETHER = { maxSize: 32, concurrency: 2, isSharedFailure: () => true }

type WalletReadings = {
  /** Returns states in the order asked, null for a missing account. A state is at most two seconds old. */
  states(accounts: readonly Address[]): Promise<readonly (AccountState | null)[]>
}

type ReadingDeps = { readonly chainOf: (network: Network) => BalanceReader; readonly clock: Clock }

/** Returns the readings of each network. */
function createWalletReadings({ chainOf, clock }: ReadingDeps): (network: Network) => WalletReadings {
  const made = new Map<Network, WalletReadings>()
  return (network) => {
    const readings = made.get(network) ?? readingsOf(chainOf(network), clock)
    made.set(network, readings)
    return readings
  }
}

function readingsOf(chain: BalanceReader, clock: Clock): WalletReadings {
  const read = createBatcher(async (asked: readonly (readonly Address[])[]) => {
    const { states } = await chain.readAccounts(asked.flat())
    const rest = states.values()
    return asked.map((accounts) => accounts.map(() => rest.next().value ?? null))
  }, TOGETHER)
  const states = createCache(clock, (names: string) => read(names.split(' ').map(makeAddress)), READING_LASTS_MS)
  return { states: (accounts) => states.get(accounts.join(' ')) }
}

export type WalletPaymentDeps = {
  readonly findByClientSecret: FindByClientSecret
  readonly directory: Pick<Directory, 'tokens'>
  readonly keys: Pick<DepositKeys, 'tokenAccountOf'>
  readonly mintGuard: Pick<MintGuard, 'requireUsable'>
  readonly chainOf: (network: Network) => BalanceReader & RentReader & SlotTime & Submitter
  readonly walletTransactions: WalletTransactions
  readonly clock: Clock
}

export function createWalletPayments(deps: WalletPaymentDeps): WalletPaymentServices {
  const readingsOf = createWalletReadings(deps)
  return {
    async walletFunds(clientSecret, wallet) {
      const { network, acceptedAssets, address: to, status } = await deps.findByClientSecret(clientSecret)
      if (!STATUS_POLICY[status].canExpire) return []
      const [allowed, chain, readings] = [
        await deps.directory.tokens(network),
        deps.chainOf(network),
        readingsOf(network),
      ]
      const payable = acceptedAssets.flatMap((asset) => allowed.get(asset) ?? [])
      const tokens = payable.map(({ mint, tokenProgram, decimals, extensions }) =>
        tokenProgram === null ? null : { mint, tokenProgram, decimals, extensions },
      )
      const read = await readWallet(deps, { chain, readings, wallet, to, tokens })
      return read.map(({ accounts, rents }, at) => {
        const { asset = SOL } = payable[at] ?? {}
        return { asset, ...fundsOf(wallet, asset, accounts, rents) }
      })
    },

    async preparePayment(clientSecret, wallet) {
      const intent = await deps.findByClientSecret(clientSecret)
      const due = dueOf(intent)
      if (due === null) throw new ServiceError('nothing_due', { status: intent.status })
      const chain = deps.chainOf(intent.network)
      const readings = readingsOf(intent.network)
      const token = await tokenOf(deps, intent.network, due.asset)
      const [read, lifetime] = await Promise.all([
        readWallet(deps, { chain, readings, wallet, to: intent.address, tokens: [token] }),
        chain.lifetime(),
      ])
      if (!read.every(({ accounts, rents }) => canPay(wallet, due, accounts, rents)))
        throw new ServiceError('insufficient_funds')
      const payment = { wallet, to: intent.address, amount: due.amount, token, reference: null, lifetime }
      const transaction = deps.walletTransactions.compilePayment(payment)
      const expiresAt = new Date(deps.clock.now().getTime() + Number(BLOCKHASH_LIFE) * chain.slotMs())
      return { ...due, transaction, expiresAt }
    },

    async submitPayment(clientSecret, transaction) {
      const { address, network, acceptedAssets } = await deps.findByClientSecret(clientSecret)
      const signed = deps.walletTransactions.readSigned(transaction)
      if (signed === null) throw new ServiceError('invalid_transaction')
      const receivers = new Set<Address>([address])
      const allowed = await deps.directory.tokens(network)
      for (const asset of acceptedAssets) {
        const { mint, tokenProgram = null } = allowed.get(asset) ?? {}
        if (mint !== undefined && tokenProgram !== null)
          receivers.add(await deps.keys.tokenAccountOf(address, mint, tokenProgram))
      }
      if (!signed.written.some((account) => receivers.has(account))) throw new ServiceError('invalid_transaction')
      await deps.chainOf(network).broadcast(transaction)
      return signed.signature
    },
  }
}

/**
 * Returns what a transfer of the asset names; null for SOL. Throws `asset_not_accepted` for one that is no longer allowed, and
 * `asset_not_usable` while nothing can be paid in it.
 */
async function tokenOf(
  { directory, mintGuard }: Pick<WalletPaymentDeps, 'directory' | 'mintGuard'>,
  network: Network,
  asset: Asset,
): Promise<PaidToken | null> {
  if (asset === SOL) return null
  const token = (await directory.tokens(network)).get(asset)
  if (token === undefined || token.tokenProgram === null) throw new ServiceError('asset_not_accepted', { asset })
  await mintGuard.requireUsable(token)
  const { mint, tokenProgram, decimals, extensions } = token
  return { mint, tokenProgram, decimals, extensions }
}

/** Reads the accounts of a payment in each of the tokens; null is SOL. */
async function readWallet(
  { keys }: Pick<WalletPaymentDeps, 'keys'>,
  { chain, readings, wallet, to, tokens }: PayingWallet,
): Promise<readonly { readonly accounts: PayingAccounts; readonly rents: Rents }[]> {
  const named = await Promise.all(
    tokens.map(async (token) => {
      if (token === null) return []
      return await Promise.all([wallet, to].map((owner) => keys.tokenAccountOf(owner, token.mint, token.tokenProgram)))
    }),
  )
  const [[own = null, ...states], walletRent, ...accountRents] = await Promise.all([
    readings.states([wallet, ...named.flat()]),
    chain.minimumBalance(0),
    ...tokens.map(async (token) =>
      token === null ? 0n : await chain.minimumBalance(tokenAccountBytes(token.tokenProgram, token.extensions)),
    ),
  ])
  const rest = states.values()
  return named.map((names, at) => {
    const [source = null, receiver = null] = names.map(() => rest.next().value ?? null)
    const rents = { wallet: walletRent, tokenAccount: accountRents[at] ?? 0n }
    return { accounts: { wallet: own, source, receiver }, rents }
  })
}

/** A token with what its accounts cost. */
type PaidToken = TokenDetails & Pick<Token, 'extensions'>

type PayingWallet = {
  readonly chain: RentReader
  readonly readings: WalletReadings
  readonly wallet: Address
  readonly to: Address
  readonly tokens: readonly (PaidToken | null)[]
}
