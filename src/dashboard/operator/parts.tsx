// Parts that several of the operator's pages have.
import { useEffect } from 'preact/hooks'
import { addressUrl, explorerUrl } from '#core/chain/explorer.ts'
import { Copyable } from '#dashboard/browser/parts/basics.tsx'
import { site } from '#dashboard/browser/site.ts'
import type { TokenUnitsFragment } from '#dashboard/operator/documents.generated.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'
import { shortened } from '#pay/views/formats.ts'

export type Network = 'live' | 'test'
const NETWORKS: readonly Network[] = ['live', 'test']
/** What the deployment serves. A single network need not be named everywhere. */
export const SERVED: readonly Network[] = NETWORKS.filter((network) => site.chains[network] !== null)

export function NetworkBadge({ network }: { network: Network }) {
  const { say } = useOwnWords()
  return SERVED.length > 1 ? <span class="badge quiet">{say(`network_${network}`)}</span> : null
}

type AddressProps = {
  readonly address: string
  readonly network: Network
  /** Whether all of it is shown: where a person decides that money goes there. */
  readonly isWhole?: boolean
}

export const Address = ({ address, network, isWhole = false }: AddressProps) => (
  <Copyable text={address} isLong={!isWhole} href={addressUrl(address, site.chains[network] ?? '')} />
)

export const Transaction = ({ signature, network }: { signature: string; network: Network }) => (
  <Copyable text={signature} isLong href={explorerUrl(signature, site.chains[network] ?? '')} />
)

export const SOL = { ticker: 'SOL', decimals: 9 }

/** Returns an amount as people write it: in base units for a token that is not allowed. */
export function useAmounts(tokens: readonly TokenUnitsFragment[]) {
  const { formats } = useOwnWords()
  return (units: string, { asset, network }: { readonly asset: string | null; readonly network: Network }): string => {
    const token = tokens.find((one) => one.asset === asset && one.network === network)
    const unit = asset === null || asset === 'SOL' ? SOL : (token ?? { ticker: shortened(asset), decimals: 0 })
    return units.startsWith('-') ? `−${formats.amount(units.slice(1), unit)}` : formats.amount(units, unit)
  }
}

/** Gives the keyboard a place when the one of `count` entries that had it is gone. */
export function useKeptFocus(count: number): void {
  useEffect(() => {
    if (document.activeElement === document.body) document.querySelector('h1')?.focus({ preventScroll: true })
  }, [count])
}
