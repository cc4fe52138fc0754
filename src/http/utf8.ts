// JSON between systems is UTF-8: RFC 8259, 8.1. Read in another way, two texts that differ can become one and the same.

const DECODER = new TextDecoder('utf-8', { fatal: true })
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i
/** ASCII is UTF-8 as well. */
const READABLE: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Whether a Content-Type says nothing of another encoding. */
export function isUtf8Type(contentType = ''): boolean {
  const charset = CHARSET.exec(contentType)?.[1]
  return charset === undefined || READABLE.has(charset.toLowerCase())
}

/** Throws TypeError where the bytes are not UTF-8; a byte order mark is left out. */
export const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string => DECODER.decode(bytes)
