// Reads bytes from text that other programs wrote: base58, and base64 in both alphabets, padded or not.

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Returns the bytes; null when the text is not base58 of exactly `length` bytes. */
export function readBase58(text: string, length: number): Uint8Array | null {
  // Each byte takes at most 1.37 digits.
  if (text.length > Math.ceil(length * 1.37) || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return null
  let number = 0n
  for (const digit of text) number = number * 58n + BigInt(BASE58.indexOf(digit))
  const zeros = /^1*/.exec(text)?.[0].length ?? 0
  const digits = number === 0n ? '' : number.toString(16)
  const bytes = Uint8Array.from(Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex'))
  return zeros + bytes.length === length ? Uint8Array.of(...new Uint8Array(zeros), ...bytes) : null
}

/** Returns the bytes; null when the text is not base64, or has bits that belong to no byte. */
export function readBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text, 'base64url')
  const plain = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return bytes.toString('base64url') === plain ? Uint8Array.from(bytes) : null
}
