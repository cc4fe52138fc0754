// Credentials that the service issues. Only hashes are ever stored. What a request creates has a credential that follows from its
// id and the master seed, so that a repeat of the request shows it again; any other credential is drawn, and shown once.
import type { Network } from '#core/chain/types.ts'

export type IssuedSecret = { readonly secret: string; readonly hash: Uint8Array }

export type Secrets = {
  /** Returns `sk_live_…` or `sk_test_…`; in a sandbox `sk_live_sandbox_…` or `sk_test_sandbox_…`. Spec: "Authentication". */
  apiKeyOf(network: Network, keyId: string): IssuedSecret
  /** Returns the client secret of an intent, `cs_…`. */
  clientSecretOf(intentId: string): IssuedSecret
  /** Returns the token of a checkout of a subscription, `co_…`, which is a part of a URL. */
  checkoutTokenOf(intentId: string): IssuedSecret
  /** Returns the token of a link to the portal of a subscription, `po_…`, which is a part of a URL. */
  issuePortalToken(): IssuedSecret
  /** Returns the token of a link by which a member sets up a login, `li_…`, which is a part of a URL. */
  issueLoginToken(): IssuedSecret
  /** Returns the secret of a session, `ss_…`, which a browser keeps in a cookie. */
  issueSession(): IssuedSecret
  /** Returns the hash of a secret, which is stored, and by which a sent secret is found. */
  hash(secret: string): Uint8Array
  /** Compares in constant time. */
  equal(a: Uint8Array, b: Uint8Array): boolean
}

/** Whether a credential exists, whatever its kind. */
export type CredentialStore = {
  /** Returns whether an API key that is not revoked, a client secret, a hosted token, a link or a session has this hash. */
  isIssued(hash: Uint8Array): Promise<boolean>
  /** Returns whether the operator has disabled the account, or the marketplace, of the page whose secret has this hash. */
  isOfDisabled(hash: Uint8Array): Promise<boolean>
}
