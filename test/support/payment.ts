// Builders of payments for tests: identifiers made from a number, and the deposits, transfers and facts of one intent.

import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import { makeAddress, makeBlockhash, makeSignature } from '#core/chain/base58.ts'
import type { Authority } from '#core/chain/keys.ts'
import {
  type Address,
  type Asset,
  type ObservedTransaction,
  type Signature,
  SOL,
  WRAPPED_SOL_MINT,
} from '#core/chain/types.ts'
import { makeBaseUnits, makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { Decimal } from '#core/money/price.ts'
import type { Decision, IntentChange, IntentFacts, Payee } from '#core/payments/change.ts'
import type { DecisionContext, FeeTerms } from '#core/payments/decision-context.ts'
import type { ObservedDeposit } from '#core/payments/deposits/inbound.ts'
import type { Selection } from '#core/payments/intent-values.ts'
import { decideDeposits } from '#core/payments/machine/deposits.ts'
import type { Undeliverable } from '#core/payments/machine/preflight.ts'
import type { Deposit, PaymentIntent, Sender } from '#core/payments/payment-intent.ts'
import { type DepositShare, type Taking, takeInTurn } from '#core/payments/position/shares.ts'
import type { LegRole, PaymentLeg, PaymentTransfer } from '#core/payments/transfers.ts'
import type { Token } from '#core/tokens/token.ts'

import type { Attempt } from '#core/transfers/transfer.ts'
import { MERCHANT, MINT, pendingIntent } from './example-intent.ts'

const numbered = (length: number, number: number): Uint8Array => {
  const bytes = new Uint8Array(length).fill(7)
  new DataView(bytes.buffer).setUint32(length - 4, number)
  return bytes
}

export const addressNo = (number: number): Address => getAddressDecoder().decode(numbered(32, number))
export const signatureNo = (number: number): Signature => makeSignature(getBase58Decoder().decode(numbered(64, number)))

export const FEE_PAYER = addressNo(9_001)
export const BUYER = addressNo(9_002)
export const PLATFORM = addressNo(9_003)
export const MARKETPLACE = addressNo(9_004)
/** A token that is on the allowlist, but that the example intent does not accept. */
export const OTHER_MINT = addressNo(9_005)
export const UNKNOWN_MINT = addressNo(9_006)
export const TOKEN_PROGRAM = addressNo(9_007)
/** The token account of the example intent's deposit address for `MINT`. */
export const TOKEN_ACCOUNT = addressNo(9_008)
/** The address of a program, which no private key signs for. */
export const OFF_CURVE = addressNo(0)
export const NETWORK_FEE = 5_000n
/** The largest payment of SOL that is too small to return: two signatures pay for the return, without a priority fee. */
export const LARGEST_DUST = NETWORK_FEE + 10_000n
/** The rent minimum of an account without data: half of that of the chain, so that small prices have two parts of this size. */
export const RENT = makeLamports(445_440n)

export const NOW = new Date('2026-11-20T12:05:00.000Z')
export const later = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000)

export const token = (patch: Partial<Token>): Token => ({
  network: 'live',
  asset: MINT,
  mint: MINT,
  isNative: false,
  name: 'USD Coin',
  ticker: 'USDC',
  decimals: 6,
  tokenProgram: TOKEN_PROGRAM,
  extensions: [],
  feedKey: 'USDC',
  imageName: null,
  enabled: true,
  ...patch,
})
export const USDC = token({})
export const SOL_TOKEN = token({
  asset: SOL,
  mint: makeAddress(WRAPPED_SOL_MINT),
  isNative: true,
  name: 'Solana',
  ticker: 'SOL',
  decimals: 9,
  tokenProgram: null,
  feedKey: 'SOL',
})
const OTHER = token({ asset: OTHER_MINT, mint: OTHER_MINT, name: 'Other', ticker: 'OTH', feedKey: 'OTH' })

export const TERMS: FeeTerms = {
  platformFeeBps: makeBasisPoints(100),
  platformWallet: PLATFORM,
  networkFee: makeLamports(NETWORK_FEE),
  computeUnitPrice: 0n,
  feePayer: FEE_PAYER,
}

export const context = (patch: Partial<DecisionContext> = {}): DecisionContext => ({
  now: NOW,
  terms: TERMS,
  rentMinimum: RENT,
  tokens: new Map<Asset, Token>([
    [SOL, SOL_TOKEN],
    [MINT, USDC],
    [OTHER_MINT, OTHER],
  ]),
  prices: new Map(),
  custodians: new Map(),
  ...patch,
})

/** A token costs a dollar and SOL a hundred and fifty: 1,500 base units are worth the fee of their return. */
export const PRICES: ReadonlyMap<Asset, Decimal> = new Map<Asset, Decimal>([
  [SOL, { mantissa: 150n, exponent: 0 }],
  [MINT, { mantissa: 1n, exponent: 0 }],
  [OTHER_MINT, { mantissa: 1n, exponent: 0 }],
])

export const units = makeBaseUnits

export const choice = (asset: Asset, expected: bigint): Selection => ({
  asset,
  decimals: asset === SOL ? 9 : 6,
  expected: units(expected),
  rate: null,
})

export const intentWith = (patch: Partial<PaymentIntent> = {}): PaymentIntent => ({ ...pendingIntent, ...patch })

export const accountFor = (asset: Asset): Address => (asset === SOL ? pendingIntent.address : TOKEN_ACCOUNT)

/** By default, one sender sent the whole amount. */
export function observedDeposit(
  number: number,
  amount: bigint,
  patch: Partial<ObservedDeposit> & { readonly senders?: readonly Sender[] } = {},
): ObservedDeposit {
  const asset = patch.asset ?? SOL
  return {
    network: 'live',
    intentId: pendingIntent.id,
    account: accountFor(asset),
    asset,
    amount: units(amount),
    signature: signatureNo(number),
    slot: BigInt(1_000 + number),
    blockTime: NOW,
    senders: [{ address: BUYER, amount: units(amount) }],
    ...patch,
  }
}

export const deposit = (number: number, amount: bigint, patch: Partial<Deposit> = {}): Deposit => ({
  ...observedDeposit(number, amount, patch),
  use: patch.use ?? 'applied',
  seenAt: patch.seenAt ?? NOW,
  seenVersion: patch.seenVersion ?? 1,
})

/** Returns what remains of shares that were all known before the first of the transfers was planned. */
export const remainingShares = (
  shares: readonly DepositShare[],
  transfers: readonly Taking[],
): readonly DepositShare[] =>
  takeInTurn(
    shares.map((share) => ({ ...share, deposit: { ...share.deposit, seenVersion: 1 } })),
    transfers.map((transfer) => ({ ...transfer, plannedVersion: 1 })),
  )

export const PAYEE: Payee = { accountIndex: 3, sweepDestination: MERCHANT, marketplace: null }

export const factsWith = (intent: PaymentIntent, patch: Partial<IntentFacts> = {}): IntentFacts => ({
  intent,
  payee: PAYEE,
  deposits: [],
  transfers: [],
  ...patch,
})

/** Returns the facts after a change, as a store would return them. */
export function afterwards(facts: IntentFacts, change: IntentChange): IntentFacts {
  const key = ({ signature, account, asset }: Deposit): string => `${signature} ${account} ${asset}`
  const changed = new Map(change.deposits.map((one) => [key(one), one]))
  const { outcome, statusOverride } = change
  const transfers = facts.transfers.map((transfer): PaymentTransfer => {
    const { id } = transfer
    if (id === outcome?.transferId) {
      return { ...transfer, status: outcome.transferStatus, reason: outcome.reason, moved: outcome.moved }
    }
    if (id !== statusOverride?.transferId) return transfer
    return {
      ...transfer,
      status: statusOverride.status === 'planned' ? 'in_progress' : statusOverride.status,
      reason: statusOverride.reason,
    }
  })
  const planned = change.transfers.map(
    (transfer, at): PaymentTransfer => ({
      ...transfer,
      id: `transfer-${facts.transfers.length + at + 1}`,
      moved: transfer.legs.map(() => null),
      status: 'in_progress',
      reason: null,
      attemptCount: 1,
      fence: 1n,
      signature: null,
      createdAt: change.after.updatedAt,
      plannedVersion: change.after.version,
      doneAt: null,
    }),
  )
  return {
    ...facts,
    intent: change.after,
    deposits: [...facts.deposits.filter((one) => !changed.has(key(one))), ...changed.values()],
    transfers: [...transfers, ...planned],
  }
}

/** Returns the change of a decision that moved; throws on any other decision. */
export function changeOf(decision: Decision): IntentChange {
  if (decision.kind !== 'moved') throw new Error(`not moved but ${JSON.stringify(decision)}`)
  return decision.change
}

/** Decides and applies the change. Returns the new facts, or the same facts when the decision changes nothing. */
export const apply = (facts: IntentFacts, decision: Decision): IntentFacts =>
  decision.kind === 'unchanged' ? facts : afterwards(facts, changeOf(decision))

/** Returns the facts after these deposits have been taken in together. */
export const arrive = (facts: IntentFacts, ...deposits: readonly ObservedDeposit[]): IntentFacts =>
  apply(facts, decideDeposits(facts, deposits, null, context()))

export const eventsOf = (change: IntentChange): readonly string[] => change.events.map(({ type }) => type)

const PLENTY = 10n ** 17n

/** A transaction that landed; `moves` are signed amounts by account, in SOL unless they name an asset. */
export function landed(
  patch: Partial<ObservedTransaction> & {
    readonly moves?: readonly { account: Address; owner?: Address; asset?: Asset; delta: bigint }[]
  } = {},
): ObservedTransaction {
  const { moves = [], ...rest } = patch
  return {
    signature: signatureNo(1),
    slot: 1_001n,
    blockTime: NOW,
    error: null,
    fee: makeLamports(5_000n),
    feePayer: BUYER,
    signers: [BUYER],
    accounts: [],
    memos: [],
    changes: moves.map(({ account, owner = account, asset = SOL, delta }) => ({
      account,
      owner,
      asset,
      before: units(PLENTY),
      after: units(PLENTY + delta),
    })),
    ...rest,
  }
}

export const attemptFor = (
  transfer: PaymentTransfer,
  patch: Partial<Attempt> = {},
): Attempt & { signature: Signature } => ({
  id: `attempt-of-${transfer.id}`,
  transferId: transfer.id,
  number: 1,
  state: 'sent',
  source: transfer.source,
  message: Uint8Array.of(1),
  harvestWithheld: false,
  wire: Uint8Array.of(2),
  lifetime: { blockhash: makeBlockhash(addressNo(9_009)), lastValidBlockHeight: 1_150n },
  knownSignature: signatureNo(1),
  createdAt: NOW,
  sentAt: NOW,
  ...patch,
  signature: patch.signature ?? signatureNo(500),
})

export const leg = (role: LegRole, destination: Address, amount: bigint, feeBps: number | null = null): PaymentLeg => ({
  role,
  destination,
  amount: units(amount),
  feeBps,
})

/** A leg that cannot arrive, as preflight reports it. */
export const blockedLeg = (
  destination: Address,
  obstacle: Undeliverable['obstacle'] = 'below_rent_minimum',
  role: LegRole = 'refund',
): Undeliverable => ({ role, destination, obstacle })

/** The authority over a deposit address of the live network. */
export const depositAuthority = (address: Address, account: number, intent: number): Authority => ({
  address,
  key: { network: 'live', branch: 'deposit', account, intent },
})

/** The sweep of the example intent's million lamports, under way. */
export const sweepOf = (patch: Partial<PaymentTransfer> = {}): PaymentTransfer => ({
  id: 'transfer-1',
  key: 'sweep:intent:42:1',
  portion: 'main',
  sourceAccount: null,
  network: 'live',
  kind: 'sweep',
  accountId: pendingIntent.accountId,
  subject: { kind: 'payment', id: pendingIntent.id },
  source: pendingIntent.address,
  authority: depositAuthority(pendingIntent.address, PAYEE.accountIndex, pendingIntent.derivationIndex),
  asset: SOL,
  decimals: 9,
  tokenProgram: null,
  round: 1,
  legs: [leg('merchant', MERCHANT, 995_000n), leg('network_fee', FEE_PAYER, NETWORK_FEE)],
  moved: [],
  status: 'in_progress',
  reason: null,
  attemptCount: 1,
  fence: 1n,
  signature: null,
  createdAt: NOW,
  plannedVersion: 1,
  doneAt: null,
  ...patch,
})
