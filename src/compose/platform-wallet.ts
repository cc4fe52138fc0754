// Judges the setting of the platform's wallet at the start, by the same rules as the sweep destination of a business.
import { ConfigError } from '#config/setting.ts'
import { type Address, NETWORKS } from '#core/chain/types.ts'
import { hasCode } from '#core/errors.ts'
import type { JudgeSweepDestination } from '#services/accounts/sweep-destination.ts'

/** Throws ConfigError for an address that can never send money. */
export async function judgePlatformWallet(wallet: Address | null, judge: JudgeSweepDestination): Promise<void> {
  if (wallet === null) return
  for (const network of NETWORKS) {
    try {
      await judge(network, wallet)
    } catch (error) {
      if (!hasCode(error, 'invalid_address')) throw error
      throw new ConfigError(`PLATFORM_WALLET: ${error.context.rule}; write another wallet`)
    }
  }
}
