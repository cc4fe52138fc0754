// A charge, its tier and its accounts, for tests of pulls.
import type { Charge } from '#core/billing/charge.ts'
import { type ChargeTransfer, chargeTransfer } from '#core/billing/charge-transfer.ts'
import type { Decision } from '#core/billing/machine/change.ts'
import type { BillingContext, BillingFacts } from '#core/billing/machine/facts.ts'
import { decideCancel, decidePause, decideResume } from '#core/billing/machine/manage.ts'
import type { Tier } from '#core/billing/tier.ts'
import { makeAddress } from '#core/chain/base58.ts'
import type { Authority } from '#core/chain/keys.ts'
import type { AccountState, Address } from '#core/chain/types.ts'
import { makeBasisPoints, makeLamports } from '#core/money/amounts.ts'
import type { TransferView } from '#core/transfers/preflight.ts'
import { addressNo, NOW, signatureNo, units } from './payment.ts'

export const WALLET = addressNo(801)
export const MERCHANT = addressNo(802)
export const PLATFORM = addressNo(803)
export const STABLECOIN = addressNo(804)
export const STRANGER = addressNo(805)
export const TOKEN_PROGRAM = makeAddress('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
export const DELEGATE: Authority = { address: addressNo(806), key: { network: 'live', branch: 'delegate' } }

export const CHARGED: Charge = {
  id: '8a3b7f60-0000-4000-8000-000000000001',
  network: 'live',
  accountId: '8a3b7f60-0000-4000-8000-000000000002',
  subscriptionId: '8a3b7f60-0000-4000-8000-000000000003',
  periodIndex: 4,
  periodStart: NOW,
  periodEnd: null,
  delegationEpoch: 1,
  mint: STABLECOIN,
  amount: units(1_000n),
  feeAmount: units(30n),
  netAmount: units(970n),
  destinationAta: addressNo(807),
  feeDestination: addressNo(808),
  status: 'pending',
  signature: null,
  failureCode: null,
  attempts: 0,
  firstFailedAt: null,
  nextAttemptAt: NOW,
  retryFrom: null,
  dunningAt: null,
  version: 1,
  createdAt: NOW,
  updatedAt: NOW,
  settledAt: null,
}

export const TERMS: Pick<Tier, 'payoutOwner' | 'platformWallet' | 'platformFeeBps' | 'tokenProgram' | 'decimals'> = {
  payoutOwner: MERCHANT,
  platformWallet: PLATFORM,
  platformFeeBps: makeBasisPoints(300),
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
}

export const PULL = chargeTransfer(CHARGED, TERMS, { wallet: WALLET, delegate: DELEGATE })

/** The transfer when it has landed. */
export const PULLED: ChargeTransfer = {
  ...PULL,
  id: 'transfer-1',
  moved: PULL.legs.map(({ amount }) => amount),
  status: 'done',
  reason: null,
  attemptCount: 1,
  fence: 1n,
  signature: signatureNo(7),
  createdAt: CHARGED.createdAt,
  plannedVersion: 1,
  doneAt: null,
}

type Held = {
  readonly amount?: bigint
  readonly frozen?: boolean
  readonly mint?: Address
  readonly delegate?: Address | null
  readonly allowance?: bigint
}

/** A token account of the stablecoin that lets the service's delegate move 1,000 units, unless the patch says otherwise. */
export const account = (owner: Address, patch: Held = {}): AccountState => {
  const delegate = patch.delegate === undefined ? DELEGATE.address : patch.delegate
  return {
    lamports: makeLamports(2_039_280n),
    ownerProgram: TOKEN_PROGRAM,
    token: {
      mint: patch.mint ?? STABLECOIN,
      owner,
      amount: units(patch.amount ?? 1_000n),
      frozen: patch.frozen ?? false,
      withheld: units(0n),
      delegation: delegate === null ? null : { delegate, allowance: units(patch.allowance ?? 1_000n) },
      closeAuthority: null,
    },
  }
}

const received = (owner: Address) => account(owner, { delegate: null })

/** Accounts that let the pull succeed, with a patch. */
export const view = (
  patch: Partial<TransferView> & {
    readonly payout?: AccountState | null
    readonly platform?: AccountState | null
  } = {},
): TransferView => {
  const { payout = received(MERCHANT), platform = received(PLATFORM), ...rest } = patch
  return {
    source: account(WALLET),
    destinations: new Map(),
    receivers: new Map([
      [MERCHANT, payout],
      [PLATFORM, platform],
    ]),
    slot: 1_000n,
    feePayerLamports: 10n ** 9n,
    rent: { wallet: 890_880n, tokenAccount: 2_300_000n },
    ...rest,
  }
}

// What a business does with its subscription, as decisions of the machine.

type Act = (facts: BillingFacts, context: BillingContext) => Decision

export const pause: Act = (facts, context) => decidePause(facts, 'business', context)
export const resume: Act = (facts, context) => decideResume(facts, 'business', context)
export const cancelLater: Act = (facts, context) => decideCancel(facts, true, 'business', context)
export const cancelNow: Act = (facts, context) => decideCancel(facts, false, 'business', context)
