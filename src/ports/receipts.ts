// Signs receipts. The private keys stay with it.

/** A public key as a JSON Web Key (RFC 8037). */
export type PublicKey = {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  readonly kid: string
  readonly use: 'sig'
  readonly alg: 'EdDSA'
}

export type ReceiptSigner = {
  /** Returns a compact JWS of the payload, by the present key. The same payload gives the same text. */
  sign(payload: object): string
  /** The keys of every version up to the present one, and the next. */
  readonly publicKeys: readonly PublicKey[]
}
