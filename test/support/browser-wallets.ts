// Wallets of a test, in its browser. They sign with keys of the test, and each behaves as its kind says.
import type { Wallet } from '@wallet-standard/base'
import { registerWallet } from '@wallet-standard/wallet'
import { type SignInInput, signInText } from '#core/billing/proof/sign-in.ts'
import { createLocalWallet } from '#pay/browser/local-wallet.ts'

/**
 * `signs`: signs transactions, each when `window.dialog` ends, and messages. `signs_in`: signs transactions, and proves itself by `signIn`. `sends`: signs and
 * sends in one when `window.dialog` ends, and has no other way. `refuses`: the person says no. `alters`: signs something else than it was given.
 */
export type WalletKind = 'signs' | 'signs_in' | 'sends' | 'refuses' | 'alters'

/** What a test gives a page: the wallets, by name, with their keys. */
export type GivenWallet = {
  readonly kind: WalletKind
  readonly privateKey: JsonWebKey
  readonly publicKey: readonly number[]
}

declare global {
  interface Window {
    /** The dialog of a wallet, which is open until this ends; none at first. */
    dialog?: Promise<void>
    /** What the wallet that sends waits for after it has sent; nothing at first. */
    afterSending?: Promise<void>
    /** Sends a transaction in base64 and returns its signature in base64. */
    sendForWallet(transaction: string): Promise<string>
    givenWallets: readonly GivenWallet[]
  }
}

const CHAIN = 'solana:localnet'
const ICON =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxIDEiPjxwYXRoIGZpbGw9IiM0YzMzYzkiIGQ9Ik0wIDBoMXYxSDB6Ii8+PC9zdmc+'

type Bytes = Uint8Array
type Signing = { signTransaction(input: { transaction: Bytes }): Promise<{ signedTransaction: Bytes }[]> }
type MessageSigning = { signMessage(input: { message: Bytes }): Promise<{ signedMessage: Bytes; signature: Bytes }[]> }

const base64 = (bytes: Bytes): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const bytesOf = (text: string): Bytes => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
const no = () => Promise.reject(new Error('User rejected the request.'))

async function open({ kind, privateKey, publicKey }: GivenWallet): Promise<Wallet> {
  const key = await crypto.subtle.importKey('jwk', privateKey, { name: 'Ed25519' }, false, ['sign'])
  const pair = { privateKey: key, publicKey: Uint8Array.from(publicKey) }
  const named = {
    name: `Wallet that ${kind.replace('_', ' ')}`,
    icon: ICON,
    chain: CHAIN,
    onConnect: async () => {},
    isConnected: () => kind !== 'refuses',
  } as const
  const { wallet, account } = createLocalWallet(pair, named)
  const signing = wallet.features['solana:signTransaction'] as Signing
  const messages = wallet.features['solana:signMessage'] as MessageSigning
  const connecting = { 'standard:connect': wallet.features['standard:connect'] }
  const features = {
    signs: {
      ...wallet.features,
      'solana:signTransaction': {
        ...signing,
        signTransaction: async (input: { transaction: Bytes }) => {
          await window.dialog
          return await signing.signTransaction(input)
        },
      },
    },
    signs_in: {
      ...connecting,
      'solana:signTransaction': signing,
      'solana:signIn': {
        version: '1.0.0',
        signIn: async (input: SignInInput) => {
          const [signed] = await messages.signMessage({ message: new TextEncoder().encode(signInText(input)) })
          return [{ account, ...signed }]
        },
      },
    },
    sends: {
      ...connecting,
      'solana:signMessage': messages,
      'solana:signAndSendTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signAndSendTransaction: async (input: { transaction: Bytes }) => {
          await window.dialog
          const [signed] = await signing.signTransaction(input)
          const signature = bytesOf(await window.sendForWallet(base64(signed?.signedTransaction ?? new Uint8Array())))
          await window.afterSending
          return [{ signature }]
        },
      },
    },
    refuses: {
      ...connecting,
      'solana:signTransaction': { ...signing, signTransaction: no },
      'solana:signMessage': { ...messages, signMessage: no },
    },
    alters: {
      ...connecting,
      'solana:signTransaction': {
        ...signing,
        signTransaction: ({ transaction }: { transaction: Bytes }) =>
          signing.signTransaction({ transaction: withOtherAmount(transaction) }),
      },
      'solana:signMessage': {
        ...messages,
        signMessage: ({ message }: { message: Bytes }) =>
          messages.signMessage({
            message: new TextEncoder().encode(new TextDecoder().decode(message).replace(/\d+\.\d\d/, '0.01')),
          }),
      },
    },
  }[kind]
  return { ...wallet, features: features as Wallet['features'] }
}

/** Changes a byte of the amount: it is at the end of the instruction of a transfer and of an approve. */
function withOtherAmount(transaction: Bytes): Bytes {
  const other = Uint8Array.from(transaction)
  // Behind the amount, which has 8 bytes, are the decimals of a token and the number of lookup tables, one byte each.
  other[other.length - 7] = 0
  return other
}

for (const given of window.givenWallets) registerWallet(await open(given))
