// What is on the chain, with links to an explorer where one knows the chain.
import { addressUrl, explorerUrl } from '#core/chain/explorer.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Copyable } from '#dashboard/browser/parts/basics.tsx'
import { site } from '#dashboard/browser/site.ts'

/** Returns the chain of the business, as wallets name it. */
export const useChain = (): string => site.chains[useMe().business.mode] ?? ''

export const Transaction = ({ signature }: { signature: string }) => (
  <Copyable text={signature} isLong href={explorerUrl(signature, useChain())} />
)

/** An address is shortened, unless a person decides by every character of it. */
export const Address = ({ address, isWhole = false }: { address: string; isWhole?: boolean }) => (
  <Copyable text={address} isLong={!isWhole} href={addressUrl(address, useChain())} />
)
