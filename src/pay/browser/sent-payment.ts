// The payment that a wallet has signed on this page, or is asked to sign and send, for as long as it may land: the page may be loaded again before that.

export type SentPayment = {
  /** The name of the wallet. */
  readonly wallet: string
  /** Signed, in base64; null for a wallet that sends it by itself, or may have. */
  readonly transaction: string | null
  /** When it can no longer land, in ms since 1970. */
  readonly until: number
}

/** Milliseconds since 1970, as this device counts them. */
export const timeNow = (): number => performance.timeOrigin + performance.now()

const nameOf = (clientSecret: string): string => `sent ${clientSecret}`

/** A browser that keeps nothing for a page in a frame throws. Then the page forgets, and works. */
export function keepSent(clientSecret: string, sent: SentPayment | null): void {
  try {
    if (sent === null) sessionStorage.removeItem(nameOf(clientSecret))
    else sessionStorage.setItem(nameOf(clientSecret), JSON.stringify(sent))
  } catch {}
}

export function keptSent(clientSecret: string): SentPayment | null {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(clientSecret)) ?? 'null')
  } catch {
    return null
  }
}
