// What is on the chain, with links to an explorer where one knows the chain.
import { addressUrl, explorerUrl } from '#core/chain/explorer.ts'
import { useMe } from '#dashboard/browser/me.ts'
import { Copyable } from '#dashboard/browser/parts/basics.tsx'
import { site } from '#dashboard/browser/site.ts'

const useChain = (): string => site.chains[useMe().business.mode] ?? ''

export const Transaction = ({ signature }: { signature: string }) => (
  <Copyable text={signature} isLong href={explorerUrl(signature, useChain())} />
)

export const Address = ({ address }: { address: string }) => (
  <Copyable text={address} isLong href={addressUrl(address, useChain())} />
)
