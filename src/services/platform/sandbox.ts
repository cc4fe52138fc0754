// The actions that only a sandbox has: moving time forward, and giving out worthless money.

import type { Tenant } from '#core/accounts/account.ts'
import { type Address, type Asset, type Network, SOL } from '#core/chain/types.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { type BaseUnits, makeBaseUnits } from '#core/money/amounts.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { type SimulatedDeposit, simulatePayment, simulateWrongAsset } from '#core/sandbox/simulated-deposit.ts'
import type { MovableClock } from '#ports/clock.ts'
import type { IntentStore } from '#ports/payments.ts'
import type { Announcer } from '#ports/platform.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'

// The use cases that only a sandbox has.

/** Only where SANDBOX is on; each throws `sandbox_only` elsewhere. */
export type SandboxServices = {
  advanceClock(seconds: number): Promise<{ now: Date }>
  /**
   * Pays an intent of the caller from a wallet of the sandbox, by a real transaction. `asset` counts only before a
   * selection. Throws `intent_not_found`, `asset_not_accepted`, `amount_too_large`.
   */
  simulateDeposit(
    caller: Tenant,
    input: { index: number; kind: SimulatedDeposit; asset: Asset | null },
  ): Promise<{ signature: string; asset: Asset; amount: BaseUnits }>
  /**
   * Gives a wallet SOL, and some of every allowed token that the sandbox can make, so that it can pay. Returns what it got.
   * Only on the embedded chain; throws `sandbox_only` elsewhere.
   */
  fundWallet(wallet: Address): Promise<readonly Asset[]>
  /**
   * Adds made-up payments to a business: those of the month of four weeks that ended so many months ago. Returns how many. Throws
   * `account_not_found` and `sweep_destination_missing`.
   */
  addExamplePayments(accountId: string, monthsAgo: number): Promise<{ readonly count: number }>
  /** Sends base units of the asset to a wallet. */
  faucet(input: {
    network: Network
    address: Address
    asset: Asset
    amount: BaseUnits
  }): Promise<{ signature: string | null }>
}

// Simulates a deposit, so that an integrator can try every status without a wallet. It is a real transaction on the chain
// of the sandbox.

/** Pays from a wallet that can take a refund. Throws `invalid_mint` for a token that the wallet does not own. */
export type SandboxWallet = (to: {
  address: Address
  asset: Asset
  amount: BaseUnits
}) => Promise<{ signature: string }>

type SimulateDepositDeps = {
  readonly intents: Pick<IntentStore, 'findByIndex'>
  readonly directory: Pick<Directory, 'tokens'>
  readonly lockRate: LockRate
  /** Null where the network has no such wallet. */
  readonly wallets: Readonly<Record<Network, SandboxWallet | null>>
}

export const createSimulateDeposit =
  (deps: SimulateDepositDeps): SandboxServices['simulateDeposit'] =>
  async (caller, { index, kind, asset }) => {
    const wallet = deps.wallets[caller.network]
    if (wallet === null) throw new ServiceError('sandbox_only', { network: caller.network })
    const intent = await deps.intents.findByIndex(caller, index)
    if (intent === null) throw new ServiceError('intent_not_found')
    const tokens = await deps.directory.tokens(caller.network)
    const payment =
      kind === 'wrong_asset'
        ? simulateWrongAsset(intent, [...tokens.values()])
        : simulatePayment(intent, kind, await selectionFor(deps, intent, asset))
    if (payment === null)
      throw new ServiceError('invalid_request', { field: 'kind', rule: 'every allowed asset is a payment' })
    const { signature } = await wallet({ ...payment, address: intent.address })
    return { signature, ...payment }
  }

/** Returns the selection of the intent; before there is one, the selection that a payment of `asset` would make now. */
async function selectionFor(
  deps: Pick<SimulateDepositDeps, 'directory' | 'lockRate'>,
  intent: PaymentIntent,
  asset: Asset | null,
): Promise<Selection> {
  if (intent.selection !== null) return intent.selection
  const wanted = asset ?? intent.acceptedAssets[0]
  const token = wanted === undefined ? undefined : (await deps.directory.tokens(intent.network)).get(wanted)
  if (token === undefined || !intent.acceptedAssets.includes(token.asset)) {
    throw new ServiceError('asset_not_accepted', { asset: wanted ?? '' })
  }
  return await deps.lockRate(intent, token)
}

export type Faucet = (to: {
  address: Address
  asset: Asset
  amount: BaseUnits
}) => Promise<{ signature: string | null }>

type SandboxDeps = {
  readonly clock: MovableClock
  readonly announcer: Pick<Announcer, 'clockMoved'>
  /** Each chain whose clock can be moved, once, even when both networks use it. */
  readonly timeTravel: readonly ((to: Date) => Promise<void>)[]
  /** Null where the network has no faucet. */
  readonly faucets: Readonly<Record<Network, Faucet | null>>
  readonly simulateDeposit: SandboxServices['simulateDeposit']
  readonly addExamplePayments: SandboxServices['addExamplePayments']
  readonly directory: Pick<Directory, 'tokens'>
}

/** Ten years: longer than any period of the service, and within the range of dates. */
const MAX_ADVANCE_SECONDS = 315_360_000

/** The most that the faucet gives in one call: a million SOL, which a double stores exactly, as the RPC method requires. */
const MAX_FAUCET_LAMPORTS = 1_000_000_000_000_000n

/** What a demo wallet gets of each asset, in whole units. */
const DEMO_FUNDS = 1_000n

export function createSandboxServices(deps: SandboxDeps): SandboxServices {
  let last: Promise<unknown> = Promise.resolve()
  return {
    simulateDeposit: deps.simulateDeposit,
    addExamplePayments: deps.addExamplePayments,

    async advanceClock(seconds) {
      if (!Number.isInteger(seconds) || seconds < 0 || seconds > MAX_ADVANCE_SECONDS)
        throw new ServiceError('invalid_request', {
          field: 'seconds',
          rule: `must be an integer from 0 to ${MAX_ADVANCE_SECONDS}: time only moves forward`,
        })
      // One after the other: two parallel moves would start from the same time, and the chains would fall behind.
      const moving = last.then(() => advance(deps, seconds))
      last = moving.catch(() => {})
      return { now: await moving }
    },

    async fundWallet(wallet) {
      const faucet = deps.faucets.live
      if (faucet === null) throw new ServiceError('sandbox_only')
      const funded: Asset[] = []
      for (const { asset, decimals } of (await deps.directory.tokens('live')).values()) {
        const amount = makeBaseUnits(DEMO_FUNDS * 10n ** BigInt(decimals))
        // A token of another issuer cannot be made here; the wallet pays with what it got.
        const isMade = await faucet({ address: wallet, asset, amount }).then(
          () => true,
          (error: unknown) => {
            if (hasCode(error, 'invalid_mint')) return false
            throw error
          },
        )
        if (isMade) funded.push(asset)
      }
      return funded
    },

    async faucet({ network, ...to }) {
      const faucet = deps.faucets[network]
      if (faucet === null) throw new ServiceError('sandbox_only', { network })
      if (to.amount === 0n) throw new ServiceError('invalid_request', { field: 'amount', rule: 'must be above 0' })
      if (to.asset === SOL && to.amount > MAX_FAUCET_LAMPORTS)
        throw new ServiceError('invalid_request', {
          field: 'amount',
          rule: `must be at most ${MAX_FAUCET_LAMPORTS} lamports`,
        })
      return await faucet(to)
    },
  }
}

async function advance({ clock, timeTravel, announcer }: SandboxDeps, seconds: number): Promise<Date> {
  const target = new Date(clock.now().getTime() + seconds * 1_000)
  // The chains first: a window must not end by a clock that their blocks have not reached.
  await Promise.all(timeTravel.map((travel) => travel(target)))
  const now = await clock.advance(seconds)
  await announcer.clockMoved().catch(() => {})
  return now
}

/** The services while SANDBOX is off: each call is refused. */
export const NO_SANDBOX: SandboxServices = {
  simulateDeposit: () => Promise.reject(new ServiceError('sandbox_only')),
  advanceClock: () => Promise.reject(new ServiceError('sandbox_only')),
  fundWallet: () => Promise.reject(new ServiceError('sandbox_only')),
  addExamplePayments: () => Promise.reject(new ServiceError('sandbox_only')),
  faucet: () => Promise.reject(new ServiceError('sandbox_only')),
}
