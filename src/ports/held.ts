// The held money of all businesses, and its releases by the operator.
import type { Address, Asset, Network, Signature } from '#core/chain/types.ts'
import type { BaseUnits } from '#core/money/amounts.ts'
import type { TOKEN_RELEASE } from '#core/payments/deposits/unaccepted.ts'
import type { HeldMoney } from '#core/payments/intent-values.ts'
import type { IntentStatus } from '#core/payments/payment-intent.ts'
import type { NewTransfer, TransferStatus } from '#core/transfers/transfer.ts'

/** A payment with held money. */
export type HeldPayment = {
  readonly intentId: string
  readonly intentIndex: number
  readonly accountId: string
  readonly network: Network
  readonly address: string
  readonly status: IntentStatus
  readonly held: readonly HeldMoney[]
  /** The address that the buyer proposes, while it waits for the business. */
  readonly proposedAddress: Address | null
  readonly updatedAt: Date
}

/** A wallet that sent an asset to a payment, and how much of it, in base units. */
export type HeldSender = { readonly asset: Asset; readonly wallet: Address; readonly amount: bigint }

/** The word of the operator or the business on held money, and its transfer. */
export type Release = {
  readonly transferId: string
  readonly intentId: string
  readonly intentIndex: number
  readonly network: Network
  readonly asset: Asset
  /** The token account that the money leaves; null for the associated one, and for SOL. */
  readonly sourceAccount: Address | null
  readonly round: number
  /** The amount that the wallet receives, in base units. */
  readonly amount: BaseUnits
  readonly to: Address
  readonly reason: string
  readonly releasedBy: 'operator' | 'business'
  readonly releasedAt: Date
  readonly status: TransferStatus
  /** Why the transfer waits or failed. */
  readonly problem: string | null
  readonly signature: Signature | null
}

/** Payments with held money on one network or on both, of one business or of all. */
export type HeldFilter = { readonly network: Network | null; readonly accountId: string | null }

/** The largest amount of each asset that is dust, by network. An asset that is missing has no dust. */
export type DustLimits = ReadonlyMap<Network, ReadonlyMap<Asset, bigint>>

/** The fields that releases must have. `kind` is of their transfers: each kind counts its rounds separately. */
export type ReleaseFilter = {
  readonly network?: Network
  readonly subjectId?: string
  readonly asset?: Asset
  readonly kind?: 'release' | typeof TOKEN_RELEASE
}

export type HeldStore = {
  /**
   * Returns payments with held money, the newest payment first. `afterIndex` continues after the payment with this index. With
   * `dust`, leaves out payments whose held money is only dust.
   */
  payments(
    filter: HeldFilter & {
      readonly afterIndex: number | null
      readonly dust: DustLimits | null
      readonly limit: number
    },
  ): Promise<readonly HeldPayment[]>
  /** Counts payments whose held money is only dust, up to `most`. */
  countDust(filter: HeldFilter & { readonly dust: DustLimits; readonly most: number }): Promise<number>
  /**
   * Returns the wallets that sent each asset to a payment, the largest amount first, up to `most` of an asset. Wallets of which
   * it is not known whether they sent it are left out.
   */
  senders(intentId: string, most: number): Promise<readonly HeldSender[]>
  find(by: { readonly id: string } | { readonly index: number }): Promise<{ id: string; network: Network } | null>
  /**
   * Plans the releases of a token that is not allowed, one for each token account, with the operator's reason. Does nothing
   * when a key is taken: an order of the same moment has planned this round.
   */
  planTokenReleases(transfers: readonly NewTransfer[], reason: string, at: Date): Promise<void>
  /** Returns releases, the newest first. */
  releases(filter: ReleaseFilter & { readonly limit: number }): Promise<readonly Release[]>
  /** Returns whether a release of this token, planned while it was not allowed, can still move money. */
  isTokenReleaseOpen(network: Network, mint: Asset): Promise<boolean>
}

// A record of tokens that are not allowed and were seen at deposit addresses, for the operator. It is no part of the books.

/** One arrival, as its transaction shows it. */
export type UnacceptedArrival = {
  readonly asset: string
  readonly amount: BaseUnits
  readonly signature: Signature
  readonly slot: bigint
}

/** The arrivals of one token at the address of one payment. */
export type UnacceptedToken = {
  readonly intentId: string
  readonly intentIndex: number
  readonly network: Network
  readonly address: string
  /** null for the sum of all further mints, when a payment has too many. */
  readonly mint: Address | null
  /** Whether the operator has allowed the token since. */
  readonly isAllowed: boolean
  readonly arrivals: bigint
  /** Base units of all arrivals together, never reduced; null for several mints. */
  readonly amount: bigint | null
  readonly firstSignature: string
  readonly lastSignature: string
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
}

export type UnacceptedStore = {
  /**
   * Adds arrivals to the record of a payment, in one statement. Arrivals up to the newest recorded slot of a mint are
   * taken for known, so a block that is read twice counts once.
   */
  record(intentId: string, arrivals: readonly UnacceptedArrival[], now: Date): Promise<void>
  /** Returns records, the latest seen first. */
  list(filter: {
    readonly network: Network | null
    readonly intent: { readonly id: string } | { readonly index: number } | null
    readonly limit: number
  }): Promise<readonly UnacceptedToken[]>
}
