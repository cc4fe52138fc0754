// JSON between systems is UTF-8 (RFC 8259, 8.1). Another encoding could read two different texts as the same one.

const DECODER = new TextDecoder('utf-8', { fatal: true })
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i
/** ASCII is a subset of UTF-8. */
const READABLE: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Returns whether a Content-Type names no other encoding than UTF-8. */
export function isUtf8Type(contentType = ''): boolean {
  const charset = CHARSET.exec(contentType)?.[1]
  return charset === undefined || READABLE.has(charset.toLowerCase())
}

/** Decodes without a byte order mark. Throws TypeError when the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: ArrayBuffer | Uint8Array): string => DECODER.decode(bytes)
