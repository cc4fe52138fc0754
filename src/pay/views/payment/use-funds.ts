// What the wallet that this browser has connected before can spend.
import { useEffect, useState } from 'preact/hooks'
import { ask } from '#pay/browser/ask.ts'
import { connect } from '#pay/browser/wallets.ts'
import { WalletFundsDocument, type WalletFundsQuery } from '#pay/documents.generated.ts'
import { usePage } from '#pay/views/context.tsx'
import { useWallets } from '#pay/views/wallet-buttons.tsx'

export type Funds = NonNullable<WalletFundsQuery['walletFunds']>[number] & { readonly wallet: string }

/** By asset; empty while no wallet shows its account without asking, or nothing is known of it. Read again when `reason` changes; null reads nothing. */
export function useFunds(clientSecret: string, reason: unknown): ReadonlyMap<string, Funds> {
  const { site } = usePage()
  const wallets = useWallets('transaction')
  const [funds, setFunds] = useState<ReadonlyMap<string, Funds>>(new Map())
  useEffect(() => {
    if (reason === null) return
    let isLatest = true
    const read = async (): Promise<void> => {
      if (!wallets?.length) return
      const found = wallets.map(async (one) => ({ name: one.name, account: await connect(one, site.chain, true) }))
      const { name: wallet, account } = await Promise.any(found)
      const variables = { clientSecret, wallet: account.address }
      const { walletFunds } = await ask(site.api, WalletFundsDocument, variables)
      if (isLatest) setFunds(new Map(walletFunds.map((one) => [one.asset, { ...one, wallet }])))
    }
    // It is a help, not a condition: without an answer the page says nothing.
    read().catch(() => {})
    return () => {
      isLatest = false
    }
  }, [wallets, reason])
  return funds
}
