// Whether a credential exists, whatever its kind.

export type CredentialStore = {
  /** Returns whether an API key that is not revoked, a client secret or a hosted token has this hash. */
  isIssued(hash: Uint8Array): Promise<boolean>
}
