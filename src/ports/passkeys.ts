// Passkeys: what browsers are asked for, and whether their answers are right. https://www.w3.org/TR/webauthn-3
import type { Passkey } from '#core/accounts/member.ts'

/** A JSON object of WebAuthn, as browsers take and give it. */
export type WebAuthnJson = Readonly<Record<string, unknown>>

export type PasskeyVerifier = {
  /** Returns the options of `navigator.credentials.create`: a passkey that browsers offer without a name, and that verifies its user. */
  creationOptions(asked: {
    readonly challenge: Uint8Array
    readonly userId: string
    /** What the browser shows. */
    readonly userName: string
    /** The passkeys that the user has: none of them is made again. */
    readonly existing: readonly Passkey[]
  }): Promise<WebAuthnJson>
  /** Returns the options of `navigator.credentials.get`. Any passkey of the site is asked for when none is named. */
  requestOptions(asked: { readonly challenge: Uint8Array; readonly allowed: readonly Passkey[] }): Promise<WebAuthnJson>
  /** Returns the id of the passkey that an answer is from, and the challenge that it answers; null for no such answer. */
  read(answer: WebAuthnJson): { readonly id: string; readonly challenge: Uint8Array } | null
  /** Returns the passkey of an answer to `creationOptions`; null when the answer is not right for the challenge and the site. */
  verifyNew(answer: WebAuthnJson, challenge: Uint8Array): Promise<Passkey | null>
  /** Returns the new counter of a passkey that has answered `requestOptions`; null when the answer is not right. */
  verify(answer: WebAuthnJson, challenge: Uint8Array, passkey: Passkey): Promise<number | null>
}
