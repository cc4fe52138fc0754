// A wallet for trying the pages of a sandbox in a browser without a wallet. Its key is in the storage of the browser: it is
// worth nothing, and only a sandbox loads this script.
import { registerWallet } from '@wallet-standard/wallet'
import { ask } from '#pay/browser/ask.ts'
import { createLocalWallet, type LocalKey, makeKey, publicBytes } from '#pay/browser/local-wallet.ts'
import { inputOf } from '#pay/browser/take-over.tsx'
import { FundDemoWalletDocument } from '#pay/documents.generated.ts'
import type { Site } from '#pay/page-input.ts'

const STORED_KEY = 'demo-wallet'
const FUNDED = 'demo-wallet-funded'
const ALGORITHM = { name: 'Ed25519' }
const ICON =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PHJlY3Qgd2lkdGg9IjI0IiBoZWlnaHQ9IjI0IiByeD0iNiIgZmlsbD0iIzBkNmI0MiIvPjxwYXRoIGQ9Ik01IDhoMTR2OUg1ek0xNSAxMmg0IiBmaWxsPSJub25lIiBzdHJva2U9IiNmZmYiIHN0cm9rZS13aWR0aD0iMiIvPjwvc3ZnPg=='

/** Returns the same wallet on every page of this browser, so that a subscriber can return. */
async function ownKey(): Promise<LocalKey> {
  const stored = localStorage.getItem(STORED_KEY)
  if (stored !== null) {
    const jwk: JsonWebKey = JSON.parse(stored)
    const publicJwk: JsonWebKey = { kty: 'OKP', crv: 'Ed25519', ...(jwk.x !== undefined && { x: jwk.x }) }
    return {
      privateKey: await crypto.subtle.importKey('jwk', jwk, ALGORITHM, false, ['sign']),
      publicKey: await publicBytes(await crypto.subtle.importKey('jwk', publicJwk, ALGORITHM, true, ['verify'])),
    }
  }
  const { privateKey, publicKey } = await makeKey(true)
  localStorage.setItem(STORED_KEY, JSON.stringify(await crypto.subtle.exportKey('jwk', privateKey)))
  return { privateKey, publicKey: await publicBytes(publicKey) }
}

const isFunded = (wallet: string): boolean => localStorage.getItem(FUNDED) === wallet

/** Asks for funds once. */
async function fund(api: string, wallet: string): Promise<void> {
  if (isFunded(wallet)) return
  await ask(api, FundDemoWalletDocument, { wallet })
  localStorage.setItem(FUNDED, wallet)
}

const isChain = (chain: string): chain is `${string}:${string}` => chain.includes(':')

/** Adds the wallet to the wallets of the browser. */
export async function addDemoWallet({ chain, api }: Pick<Site, 'chain' | 'api'>): Promise<void> {
  if (!isChain(chain)) return
  const onConnect = (address: string) => fund(api, address)
  const key = await ownKey()
  registerWallet(
    createLocalWallet(key, { name: 'Demo wallet', icon: ICON, chain, onConnect, isConnected: isFunded }).wallet,
  )
}

const site = inputOf()?.site
if (site !== undefined) await addDemoWallet(site)
