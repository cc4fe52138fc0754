// The type of an attack: its target, its description, and a function that attacks until its signal aborts.

/** The knowledge of an attacker. A tenant with a key, or a buyer of the shop, knows all of it. */
export type Target = {
  readonly host: string
  readonly port: number
  /** The source address of the attack. Neither the shop nor another attack uses it. */
  readonly from: string
  /** The key of a tenant that is not the shop. */
  readonly apiKey: string
  /** Payments of that tenant. */
  readonly indexes: readonly number[]
  /** Payments of the shop. */
  readonly clientSecrets: readonly string[]
}

export type Attack = {
  readonly name: string
  /** A description for the table. */
  readonly what: string
  /** Whether the short run includes it. */
  readonly isCheap: boolean
  /** Attacks until the signal aborts. */
  run(target: Target, signal: AbortSignal): Promise<Deed>
}

export type Deed = {
  /** How many connections, requests, bytes or the like reached the service. An attack without any has shown nothing. */
  readonly count: number
  /** A short description of what the attack did. */
  readonly did: string
  /** The number of replies with status 500; must be 0. */
  readonly faults: number
}
