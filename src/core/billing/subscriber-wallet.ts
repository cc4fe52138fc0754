// The wallets that can subscribe.
import { isWallet } from '#core/chain/curve.ts'
import type { Address } from '#core/chain/types.ts'

/**
 * Returns whether a subscriber can have the address: it is on the curve, and none of the keys of the service, for which the signer
 * sponsors nothing. Anyone can create a token account for these.
 */
export const isSubscriberWallet = (wallet: string, serviceKeys: readonly Address[]): wallet is Address =>
  isWallet(wallet) && !serviceKeys.includes(wallet)
