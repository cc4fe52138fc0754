// The text of Sign In With Solana, which a wallet signs as a proof. docs/billing.md, "Wallet proofs".
import { bytesOfAddress, isPublicKey } from '#core/chain/public-key.ts'
import type { Address } from '#core/chain/types.ts'

// The bytes that a wallet signs for a text: the text itself, or the text in the envelope of Solana's off-chain messages,
// which hardware wallets add.

const MARK = [0xff, ...new TextEncoder().encode('solana offchain'), 0]
const APPLICATION_BYTES = 32
const KEY_BYTES = 32
/** Restricted ASCII, or UTF-8. */
const FORMATS: readonly (number | undefined)[] = [0, 1]

/** Returns the text in the bytes. Returns null for bytes that are not UTF-8, or an envelope of another wallet. */
export function textOfSigned(bytes: Uint8Array, wallet: Address): string | null {
  const isEnveloped = MARK.every((byte, at) => bytes[at] === byte)
  const text = isEnveloped ? unwrapped(bytes.subarray(MARK.length), wallet) : bytes
  if (text === null) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(text)
  } catch {
    return null
  }
}

/** The older header has a format and a length. The newer one names the application and the signers before the length. */
const unwrapped = (rest: Uint8Array, wallet: Address): Uint8Array | null =>
  FORMATS.includes(rest[0]) && isLength(rest, 1)
    ? rest.subarray(3)
    : unwrappedNew(rest.subarray(APPLICATION_BYTES), wallet)

function unwrappedNew(rest: Uint8Array, wallet: Address): Uint8Array | null {
  const key = bytesOfAddress(wallet)
  const isOwn = FORMATS.includes(rest[0]) && rest[1] === 1 && key.every((byte, at) => rest[2 + at] === byte)
  return isOwn && isLength(rest, 2 + KEY_BYTES) ? rest.subarray(2 + KEY_BYTES + 2) : null
}

/** Returns whether the two bytes at a place are the number of bytes that follow them, the lower byte first. */
const isLength = (bytes: Uint8Array, at: number): boolean =>
  bytes.length >= at + 2 && (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0) === bytes.length - at - 2

/** The structured form: wallets with `signIn` take it as it is, and make the text from it. Times are ISO 8601. */
export type SignInInput = {
  /** The host of the page, with its port when the browser shows one. */
  readonly domain: string
  readonly address: Address
  /** One sentence of printable ASCII characters. */
  readonly statement: string
  readonly uri: string
  readonly version: '1'
  readonly chainId: string
  /** At least 8 letters and digits. */
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string
  readonly requestId: string
  /** URIs. */
  readonly resources: readonly string[]
}

/** Returns the text of an input: the same text that wallets make from it. */
export const signInText = (input: SignInInput): string =>
  [
    `${input.domain}${FIRST_LINE}`,
    input.address,
    '',
    input.statement,
    '',
    `URI: ${input.uri}`,
    `Version: ${input.version}`,
    `Chain ID: ${input.chainId}`,
    `Nonce: ${input.nonce}`,
    `Issued At: ${input.issuedAt}`,
    `Expiration Time: ${input.expirationTime}`,
    `Request ID: ${input.requestId}`,
    'Resources:',
    ...input.resources.map((resource) => `- ${resource}`),
  ].join('\n')

const FIRST_LINE = ' wants you to sign in with your Solana account:'

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/
/** Neither a quotation mark nor a percent sign: some wallets show them in another form. */
const STATEMENT = /^(?! )[ -~]+(?<! )$/
const FORBIDDEN = /["%]/
const URI_PATTERN = /^[a-z][a-z0-9+.-]*:[!-~]+$/
const CHAIN_ID = /^(?:mainnet|devnet|testnet|solana:[1-9A-HJ-NP-Za-km-z]{32})$/
const NONCE = /^[A-Za-z0-9]{8,}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/
const REQUEST_ID = /^[A-Za-z0-9._~-]+$/

/**
 * Reads a text that has every field, in the order of the format, and nothing else. Returns null for any other text: a
 * reader that is generous could see another meaning in it than the wallet showed.
 */
export function readSignIn(text: string): SignInInput | null {
  const [first = '', address, blank, statement = '', second, ...rest] = text.split('\n')
  const [uri, version, chainId, nonce, issuedAt, expirationTime, requestId] = LABELS.map((label, at) =>
    valueAfter(rest[at], label),
  )
  const resources = rest.slice(LABELS.length + 1).map((line) => valueAfter(line, '- '))
  const isFramed = first.endsWith(FIRST_LINE) && blank === '' && second === '' && rest[LABELS.length] === 'Resources:'
  const domain = first.slice(0, -FIRST_LINE.length)
  if (!isFramed || !DOMAIN.test(domain) || !isPublicKey(address) || version !== '1') return null
  if (!STATEMENT.test(statement) || FORBIDDEN.test(statement)) return null
  if (!fits(uri, URI_PATTERN) || !fits(chainId, CHAIN_ID) || !fits(nonce, NONCE) || !fits(requestId, REQUEST_ID))
    return null
  if (!isTime(issuedAt) || !isTime(expirationTime) || !areAll(resources, (one) => fits(one, URI_PATTERN))) return null
  return { domain, address, statement, uri, version, chainId, nonce, issuedAt, expirationTime, requestId, resources }
}

const LABELS = ['URI: ', 'Version: ', 'Chain ID: ', 'Nonce: ', 'Issued At: ', 'Expiration Time: ', 'Request ID: ']

const valueAfter = (line: string | undefined, label: string): string | null =>
  line?.startsWith(label) === true ? line.slice(label.length) : null

const fits = (value: string | null | undefined, pattern: RegExp): value is string =>
  typeof value === 'string' && pattern.test(value)

const isTime = (value: string | null | undefined): value is string =>
  fits(value, TIME) && !Number.isNaN(Date.parse(value))

const areAll = <T, S extends T>(values: readonly T[], is: (value: T) => value is S): values is readonly S[] =>
  values.every(is)

/** Returns whether a signed text states what the challenge states. A wallet may write the same time in another form. */
export const isSameSignIn = (challenge: SignInInput, signed: SignInInput): boolean =>
  signInText(withPlainTimes(challenge)) === signInText(withPlainTimes(signed))

const withPlainTimes = (input: SignInInput): SignInInput => ({
  ...input,
  issuedAt: new Date(input.issuedAt).toISOString(),
  expirationTime: new Date(input.expirationTime).toISOString(),
})
