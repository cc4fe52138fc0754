// Where the platform's cut goes is a setting: it is judged at the start, as a business's wallet is when it is set.
import { ConfigError } from '#config.ts'
import { type Address, NETWORKS } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'

/** Throws ConfigError for a wallet that can never give back what it gets. */
export async function judgePlatformWallet(wallet: Address | null, judge: JudgeSweepDestination): Promise<void> {
  if (wallet === null) return
  for (const network of NETWORKS) {
    try {
      await judge(network, wallet)
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'invalid_address')) throw error
      throw new ConfigError(`PLATFORM_WALLET: ${error.context.rule}; write another wallet`)
    }
  }
}
