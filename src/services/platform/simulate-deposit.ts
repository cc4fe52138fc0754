// Simulates a deposit, so that an integrator can try every status without a wallet. It is a real transaction on the chain
// of the sandbox.
import type { Address, Asset, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import type { PaymentIntent } from '#core/payments/payment-intent.ts'
import { simulatePayment, simulateWrongAsset } from '#core/sandbox/simulated-deposit.ts'
import type { IntentStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'
import type { SandboxServices } from '#services/platform/sandbox-services.ts'

/** Pays from a wallet that can take a refund. Throws `invalid_mint` for a token that the wallet does not own. */
export type SandboxWallet = (to: {
  address: Address
  asset: Asset
  amount: BaseUnits
}) => Promise<{ signature: string }>

export type SimulateDepositDeps = {
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
