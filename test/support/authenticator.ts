// An authenticator in software: it makes passkeys of ES256, and signs with them as a browser's does.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Flags of authenticator data. */
const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>

/** Encodes what WebAuthn needs: RFC 8949. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)])])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length)
  if (length < 0x100) return Buffer.of((major << 5) | 24, length)
  return Buffer.of((major << 5) | 25, length >> 8, length & 0xff)
}

/** The options of a page, as far as an authenticator reads them. */
type Options = {
  readonly challenge: string
  readonly rpId?: string
  readonly rp?: { readonly id: string }
  readonly user?: { readonly id: string }
}

/** What an attacker changes, or a page elsewhere. */
export type Forgery = {
  readonly origin?: string
  readonly rpId?: string
  readonly verifies?: boolean
  readonly challenge?: string
  readonly type?: string
  readonly counter?: number
}

export class Authenticator {
  readonly id = base64url(randomBytes(16))
  readonly #origin: string
  readonly #keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  #userHandle = ''
  #counter = 0

  constructor(origin: string) {
    this.#origin = origin
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  /** Answers `navigator.credentials.create`. */
  create(options: Options, forgery: Forgery = {}) {
    this.#userHandle = options.user?.id ?? ''
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
    const id = Buffer.from(this.id, 'base64url')
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id, cbor(key)])
    const authData = this.#data(options, forgery, ATTESTED, attested)
    const attestation = new Map<string, Cbor>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return this.#credential({
      clientDataJSON: base64url(Buffer.from(this.#clientData('webauthn.create', options, forgery))),
      attestationObject: base64url(cbor(attestation)),
      transports: ['internal'],
    })
  }

  /** Answers `navigator.credentials.get`. */
  get(options: Options, forgery: Forgery = {}) {
    this.#counter = forgery.counter ?? this.#counter + 1
    const clientData = this.#clientData('webauthn.get', options, forgery)
    const authData = this.#data(options, forgery, 0)
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey)
    return this.#credential({
      clientDataJSON: base64url(Buffer.from(clientData)),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
      userHandle: this.#userHandle,
    })
  }

  #credential(response: object) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response }
  }

  #clientData(type: string, options: Options, forgery: Forgery): string {
    const { challenge = options.challenge, origin = this.#origin } = forgery
    return JSON.stringify({ type: forgery.type ?? type, challenge, origin, crossOrigin: false })
  }

  #data(
    options: Options,
    { rpId, verifies = true }: Forgery,
    flags: number,
    rest: Uint8Array = new Uint8Array(),
  ): Buffer {
    const site = rpId ?? options.rpId ?? options.rp?.id ?? ''
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#counter)
    return Buffer.concat([sha256(site), Buffer.of(flags | PRESENT | (verifies ? VERIFIED : 0)), counter, rest])
  }
}
