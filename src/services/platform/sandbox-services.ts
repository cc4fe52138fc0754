// The use cases that only a sandbox has.
import type { Tenant } from '#core/accounts/account.ts'
import type { Address, Asset, Network } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { SimulatedDeposit } from '#core/sandbox/simulated-deposit.ts'

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
