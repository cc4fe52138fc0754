// What an attack is: what it is given, what it says of itself, and one function that goes on until it is told to stop.

/** What an attacker knows. Nothing of it is secret to a tenant with a key, or to a buyer of the shop. */
export type Target = {
  readonly host: string
  readonly port: number
  /** Where the attack comes from: an address that neither the shop nor another attack has. */
  readonly from: string
  /** Of a tenant that is not the shop. */
  readonly apiKey: string
  /** Payments of that tenant. */
  readonly indexes: readonly number[]
  /** Payments of the shop. */
  readonly clientSecrets: readonly string[]
}

export type Attack = {
  readonly name: string
  /** For the table: what it does. */
  readonly what: string
  /** Runs in the short form, too. */
  readonly isCheap: boolean
  /** Attacks until the signal aborts. */
  run(target: Target, signal: AbortSignal): Promise<Deed>
}

export type Deed = {
  /** What the attack did, in a few words. */
  readonly did: string
  /** Replies that say that the service failed: none should. */
  readonly faults: number
}
