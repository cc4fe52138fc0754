// A wallet of a subscriber in the sandbox: a key that signs what the service prepares, and one transaction of its own.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

// Addresses, blockhashes and signatures of Solana are bytes in base58.

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function toBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = LETTERS[Number(rest % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

/** Returns the 32 bytes of an address or a blockhash. */
function fromBase58(text: string): Uint8Array {
  const number = [...text].reduce((sum, letter) => sum * 58n + BigInt(LETTERS.indexOf(letter)), 0n)
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
/** The instruction `Revoke` of both token programs. */
const REVOKE = 5

export class Wallet {
  readonly address: string
  readonly #publicKey: Uint8Array
  readonly #key: KeyObject

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    this.#key = privateKey
    this.#publicKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    this.address = toBase58(this.#publicKey)
  }

  /** Adds the signature of the wallet to a transaction in base64. */
  signTransaction(transaction: string): string {
    const bytes = Buffer.from(transaction, 'base64')
    // A transaction has fewer than 128 signatures, so that their number is one byte, as is the number of keys.
    const messageAt = 1 + SIGNATURE_BYTES * (bytes[0] ?? 0)
    const message = bytes.subarray(messageAt)
    const isVersioned = (message[0] ?? 0) >= 0x80
    const keysAt = messageAt + (isVersioned ? 5 : 4)
    const place = (bytes.indexOf(this.#publicKey, keysAt) - keysAt) / KEY_BYTES
    bytes.set(sign(null, message, this.#key), 1 + SIGNATURE_BYTES * place)
    return bytes.toString('base64')
  }

  /** Returns a signed transaction, in base64, by which the wallet takes back the allowance of a token account. */
  revoking(account: string, tokenProgram: string, blockhash: string): string {
    const message = Buffer.concat([
      // One signature, and the last of three keys is only read.
      Buffer.from([1, 0, 1, 3]),
      this.#publicKey,
      fromBase58(account),
      fromBase58(tokenProgram),
      fromBase58(blockhash),
      // One instruction of the third key, about the second, by the first.
      Buffer.from([1, 2, 2, 1, 0, 1, REVOKE]),
    ])
    return Buffer.concat([Buffer.from([1]), sign(null, message, this.#key), message]).toString('base64')
  }
}
