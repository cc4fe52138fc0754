// The wallets of this browser.
import { useEffect, useState } from 'preact/hooks'
import { type Signable, type Wallet, watchWallets } from '#pay/browser/wallets.ts'
import { usePage } from '#pay/views/context.tsx'

/** Returns null until the page runs in a browser. */
export function useWallets(signable: Signable): readonly Wallet[] | null {
  const { site } = usePage()
  const [wallets, setWallets] = useState<readonly Wallet[] | null>(null)
  useEffect(() => watchWallets(site.chain, signable, setWallets), [site.chain, signable])
  return wallets
}
