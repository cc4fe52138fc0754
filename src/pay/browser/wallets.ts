// Wallets of the browser, by the Wallet Standard.

import { getWallets } from '@wallet-standard/app'
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import type { PayChallengeFragment } from '#pay/documents.generated.ts'

export type { Wallet, WalletAccount } from '@wallet-standard/base'

type Signed = { readonly signedTransaction: Uint8Array }
type SentInput = { readonly account: WalletAccount; readonly transaction: Uint8Array; readonly chain: string }
type Message = { readonly signedMessage: Uint8Array; readonly signature: Uint8Array }

/** The features that the pages use, as their standards describe them. */
type Features = {
  'standard:connect': {
    connect(input?: { readonly silent: boolean }): Promise<{ readonly accounts: readonly WalletAccount[] }>
  }
  'solana:signTransaction': {
    signTransaction(input: Omit<SentInput, 'chain'> & { chain?: string }): Promise<readonly Signed[]>
  }
  'solana:signAndSendTransaction': {
    signAndSendTransaction(input: SentInput): Promise<readonly { readonly signature: Uint8Array }[]>
  }
  'solana:signMessage': {
    signMessage(input: { readonly account: WalletAccount; readonly message: Uint8Array }): Promise<readonly Message[]>
  }
  'solana:signIn': {
    signIn(input: object): Promise<readonly (Message & { readonly account: WalletAccount })[]>
  }
}

const hasFeature = <Name extends keyof Features>(features: object, name: Name): features is Pick<Features, Name> =>
  name in features

/** Returns a feature of a wallet; null when it has none of that name. */
export function featureOf<Name extends keyof Features>({ features }: Wallet, name: Name): Features[Name] | null {
  return hasFeature(features, name) ? features[name] : null
}

const isFor = (wallet: Wallet, chain: string): boolean => wallet.chains.some((one) => one === chain)

/** What a wallet is asked to sign. A wallet that signs texts alone can subscribe where its allowance has room already. */
export type Signable = 'transaction' | 'text' | 'either'

const OF_TRANSACTIONS = ['solana:signTransaction', 'solana:signAndSendTransaction'] as const
const OF_TEXTS = ['solana:signIn', 'solana:signMessage'] as const

const SIGNING: Readonly<Record<Signable, readonly (keyof Features)[]>> = {
  transaction: OF_TRANSACTIONS,
  text: OF_TEXTS,
  either: [...OF_TRANSACTIONS, ...OF_TEXTS],
}

const canSign = ({ features }: Wallet, signable: Signable): boolean =>
  hasFeature(features, 'standard:connect') && SIGNING[signable].some((name) => hasFeature(features, name))

/** Calls back with the wallets that can be used on the chain, now and whenever one comes or goes. Returns what ends it. */
export function watchWallets(
  chain: string,
  signable: Signable,
  onChange: (wallets: readonly Wallet[]) => void,
): () => void {
  const { get, on } = getWallets()
  const show = () => onChange(get().filter((wallet) => isFor(wallet, chain) && canSign(wallet, signable)))
  show()
  const ends = [on('register', show), on('unregister', show)]
  return () => {
    for (const end of ends) end()
  }
}

/** The person refused, or the wallet did. */
export class WalletRefused extends Error {}

/** The wallet has no way to sign what it is asked for. */
export class WalletCannot extends Error {}

/** Returns the first answer. Throws WalletRefused. */
export async function refusing<T>(asked: Promise<readonly T[]>): Promise<T> {
  const [first] = await asked.catch((cause: unknown) => {
    throw new WalletRefused('the wallet did not sign', { cause })
  })
  if (first === undefined) throw new WalletRefused('the wallet did not answer')
  return first
}

/** Returns the account of the wallet that the person chooses; `silent` shows no dialog. Throws WalletRefused. */
export async function connect(wallet: Wallet, chain: string, silent = false): Promise<WalletAccount> {
  const feature = featureOf(wallet, 'standard:connect')
  if (feature === null) throw new WalletRefused('the wallet cannot connect')
  return await refusing(
    feature
      .connect(silent ? { silent } : undefined)
      .then(({ accounts }) => accounts.filter(({ chains }) => chains.some((one) => one === chain))),
  )
}

/** Returns the account of a wallet that has this address; null when the person offers no such account. Throws WalletRefused. */
export async function accountIn(wallet: Wallet, chain: string, address: string): Promise<WalletAccount | null> {
  const feature = featureOf(wallet, 'standard:connect')
  if (feature === null) throw new WalletRefused('the wallet cannot connect')
  const offered = await refusing(feature.connect().then((answer) => [answer]))
  const isOn = ({ chains }: WalletAccount) => chains.some((one) => one === chain)
  return offered.accounts.find((account) => account.address === address && isOn(account)) ?? null
}

/** A wallet that sends the transaction by itself may fail without saying whether it has sent it. */
export type Outcome = { readonly signed: Uint8Array } | { readonly sent: 'yes' | 'unknown' }

/** EIP-1193, which the wallets of Solana follow: the person has refused. */
const USER_REFUSED = 4001
/** Only of a person: a connection is refused, too, and a confirmation rejected, after the wallet has sent. */
const REFUSAL_WORDS = /\buser\b.*(?:reject|refus|den(?:y|ied)|declin|cancel)|\bapproval denied\b/i

/** Whether a failure says that the person has refused, so that nothing was sent. */
export function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, message } = {
    code: null,
    message: '',
    ...error,
    ...(error instanceof Error && { message: error.message }),
  }
  return code === USER_REFUSED || REFUSAL_WORDS.test(String(message))
}

/** Whether a wallet has no way to sign a transaction without sending it. */
export const sendsByItself = (wallet: Wallet): boolean => featureOf(wallet, 'solana:signTransaction') === null

/** Signs a transaction. A wallet that can only send it by itself sends it. Throws WalletRefused and WalletCannot. */
export async function signTransaction(
  wallet: Wallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: string,
): Promise<Outcome> {
  const signing = featureOf(wallet, 'solana:signTransaction')
  if (signing !== null) {
    const { signedTransaction } = await refusing(signing.signTransaction({ account, transaction, chain }))
    return { signed: signedTransaction }
  }
  return await sendTransaction(wallet, account, transaction, chain)
}

/** Signs a transaction with a wallet that sends it. Throws WalletRefused and WalletCannot. */
export async function sendTransaction(
  wallet: Wallet,
  account: WalletAccount,
  transaction: Uint8Array,
  chain: string,
): Promise<{ readonly sent: 'yes' | 'unknown' }> {
  const sending = featureOf(wallet, 'solana:signAndSendTransaction')
  if (sending === null) throw new WalletCannot('the wallet sends no transaction')
  try {
    await sending.signAndSendTransaction({ account, transaction, chain })
    return { sent: 'yes' }
  } catch (cause) {
    if (isRefusal(cause)) throw new WalletRefused('the wallet did not sign', { cause })
    return { sent: 'unknown' }
  }
}

export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

// Proofs of a wallet: it signs a text of the service (Sign In With Solana).

export type Proof = { readonly nonce: string; readonly signature: string; readonly signedMessage: string }

/** Returns the answer to a challenge, by `signIn` where the wallet has it. Throws WalletRefused and WalletCannot. */
export async function prove(
  wallet: Wallet,
  account: WalletAccount,
  { nonce, message, input }: PayChallengeFragment,
): Promise<Proof> {
  const { signedMessage, signature } = await sign(wallet, account, message, input)
  return { nonce, signature: toBase64(signature), signedMessage: toBase64(signedMessage) }
}

async function sign(wallet: Wallet, account: WalletAccount, message: string, input: PayChallengeFragment['input']) {
  const signingIn = featureOf(wallet, 'solana:signIn')
  if (signingIn !== null) return await refusing(signingIn.signIn(input))
  const signing = featureOf(wallet, 'solana:signMessage')
  if (signing === null) throw new WalletCannot('the wallet signs no text')
  return await refusing(signing.signMessage({ account, message: new TextEncoder().encode(message) }))
}
