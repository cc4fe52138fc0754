// Which key of the service is whose. The keys themselves never leave the signer.
import type { Address, Network } from '#core/chain/types.ts'

/** Which key of the service signs: that of an issued address of an account, or one of its own keys for a network. */
export type KeyPath =
  | { readonly network: Network; readonly branch: 'deposit'; readonly account: number; readonly intent: number }
  | { readonly network: Network; readonly branch: ServiceKey }

export const SERVICE_KEYS = ['fee_payer', 'delegate'] as const
export type ServiceKey = (typeof SERVICE_KEYS)[number]

/** A wallet whose signature the service makes, and the key that makes it. */
export type Authority = { readonly address: Address; readonly key: KeyPath }

/** Returns the path without its network, as the database keeps it: `deposit/3/17` or `delegate`. */
export const keyPathToText = (path: KeyPath): string =>
  path.branch === 'deposit' ? `deposit/${path.account}/${path.intent}` : path.branch

/** Takes such a text back. Throws RangeError on any other. */
export function keyPathFromText(network: Network, text: string): KeyPath {
  const own = SERVICE_KEYS.find((branch) => branch === text)
  if (own !== undefined) return { network, branch: own }
  const [, account, intent] = /^deposit\/(\d{1,10})\/(\d{1,10})$/.exec(text) ?? []
  if (account === undefined || intent === undefined) throw new RangeError(`not a key path: ${text}`)
  return { network, branch: 'deposit', account: Number(account), intent: Number(intent) }
}
