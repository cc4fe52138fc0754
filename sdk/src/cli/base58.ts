// Addresses, blockhashes and signatures of Solana are bytes in base58.

const LETTERS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function toBase58(bytes: Uint8Array): string {
  let rest = BigInt(`0x0${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 58n) text = LETTERS[Number(rest % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

/** Returns the 32 bytes of an address or a blockhash. */
export function fromBase58(text: string): Uint8Array {
  const number = [...text].reduce((sum, letter) => sum * 58n + BigInt(LETTERS.indexOf(letter)), 0n)
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}
