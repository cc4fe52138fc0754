// A wallet whose key the page holds: the demo wallet of a sandbox, and the wallets of the tests. It signs with WebCrypto.
import type { Wallet, WalletAccount } from '@wallet-standard/base'
import { addressOfBytes } from '#core/chain/public-key.ts'

export type LocalKey = { readonly privateKey: CryptoKey; readonly publicKey: Uint8Array }

export type LocalWallet = {
  readonly wallet: Wallet
  readonly account: WalletAccount
}

type Named = {
  readonly name: string
  readonly icon: Wallet['icon']
  readonly chain: Wallet['chains'][number]
  /** Runs when a page asks for the account. */
  readonly onConnect: (address: string) => Promise<void>
  /** Whether the account may be shown without asking: the person has connected before. */
  readonly isConnected: (address: string) => boolean
}

const ALGORITHM = { name: 'Ed25519' }
const SIGNATURE_BYTES = 64
const KEY_BYTES = 32

/** Returns a wallet that signs transactions and messages, and does not send. */
export function createLocalWallet(
  { privateKey, publicKey }: LocalKey,
  { name, icon, chain, onConnect, isConnected }: Named,
): LocalWallet {
  const sign = async (bytes: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.sign(ALGORITHM, privateKey, Uint8Array.from(bytes)))
  const address = addressOfBytes(publicKey)
  const features = ['solana:signTransaction', 'solana:signMessage'] as const
  const account: WalletAccount = { address, publicKey, chains: [chain], features }
  const wallet: Wallet = {
    version: '1.0.0',
    name,
    icon,
    chains: [chain],
    accounts: [],
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async ({ silent = false }: { silent?: boolean } = {}) => {
          if (silent && !isConnected(address)) return { accounts: [] }
          if (!silent) await onConnect(address)
          return { accounts: [account] }
        },
      },
      'solana:signTransaction': {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async ({ transaction }: { transaction: Uint8Array }) => [
          { signedTransaction: await signWire(transaction, publicKey, sign) },
        ],
      },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }: { message: Uint8Array }) => [
          { signedMessage: message, signature: await sign(message) },
        ],
      },
    },
  }
  return { wallet, account }
}

/** Puts the signature of a key into its place. Throws RangeError when the transaction does not ask for it. */
export async function signWire(
  wire: Uint8Array,
  publicKey: Uint8Array,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const signed = Uint8Array.from(wire)
  // Both counts are one byte, because a transaction has fewer than 128 accounts.
  const signers = signed[0] ?? 0
  const message = signed.subarray(1 + signers * SIGNATURE_BYTES)
  const isVersioned = (message[0] ?? 0) >= 0x80
  const keysAt = (isVersioned ? 1 : 0) + 3 + 1
  for (let at = 0; at < signers; at += 1) {
    const key = message.subarray(keysAt + at * KEY_BYTES, keysAt + (at + 1) * KEY_BYTES)
    if (key.every((byte, index) => byte === publicKey[index])) {
      signed.set(await sign(message), 1 + at * SIGNATURE_BYTES)
      return signed
    }
  }
  throw new RangeError('the transaction does not ask for this key')
}

/** Makes a key. `isExtractable` lets the page store it. */
export async function makeKey(isExtractable: boolean): Promise<CryptoKeyPair> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, isExtractable, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new TypeError('Ed25519 has pairs of keys')
  return pair
}

export const publicBytes = async (key: CryptoKey): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.exportKey('raw', key))
