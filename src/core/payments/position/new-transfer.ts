// The one place in which a payment's transfers are made: what each draws from, and the key that says what must happen once.

import type { Address } from '#core/chain/types.ts'
import type { IntentFacts } from '#core/payments/change.ts'
import { type NewPaymentTransfer, subjectOf } from '#core/payments/transfers.ts'
import type { TransferPortion } from '#core/transfers/transfer.ts'

/** What sets one transfer of a payment apart from another. */
export type Movement = Pick<NewPaymentTransfer, 'kind' | 'asset' | 'decimals' | 'tokenProgram' | 'round' | 'legs'> & {
  /** `main` unless stated otherwise. */
  readonly portion?: TransferPortion
  /** Another token account of the deposit address than the associated one. */
  readonly sourceAccount?: Address | null
}

/** Returns the transfer to move an asset from the payment's deposit address. */
export function newTransfer(
  { intent, payee }: Pick<IntentFacts, 'intent' | 'payee'>,
  { portion = 'main', sourceAccount = null, ...movement }: Movement,
): NewPaymentTransfer {
  return {
    ...movement,
    portion,
    sourceAccount,
    key: keyOf({ ...movement, portion, sourceAccount }, intent),
    subject: subjectOf(movement.kind, intent.id),
    ...fromAddress({ intent, payee }),
  }
}

/** Returns what every transfer from the deposit address of a payment has: the address, its owner, and the key that signs for it. */
export const fromAddress = ({ intent, payee }: Pick<IntentFacts, 'intent' | 'payee'>) =>
  ({
    network: intent.network,
    accountId: intent.accountId,
    source: intent.address,
    authority: {
      address: intent.address,
      key: {
        network: intent.network,
        branch: 'deposit',
        account: payee.accountIndex,
        intent: intent.derivationIndex,
      },
    },
  }) satisfies Partial<NewPaymentTransfer>

/**
 * `sweep:intent:<n>:<round>`, and of a rent reserve `sweep:intent:<n>:<round>:rest`; `refund:intent:<n>:<round>:<asset>`;
 * `release:intent:<n>:<round>:<asset>`, and from another token account `release:account:<n>:<round>:<account>`;
 * `rent:<deposit address>:<mint>:<round>`.
 */
function keyOf(
  { kind, portion, sourceAccount, round, asset }: Required<Movement>,
  { derivationIndex, address }: IntentFacts['intent'],
): string {
  if (kind === 'rent') return `rent:${address}:${asset}:${round}`
  if (sourceAccount !== null) return `${kind}:account:${derivationIndex}:${round}:${sourceAccount}`
  const about = `${kind}:intent:${derivationIndex}:${round}`
  if (kind !== 'sweep') return `${about}:${asset}`
  return portion === 'rent_reserve' ? `${about}:rest` : about
}

/** Returns the round of a new transfer of a kind: one more than that of the last. */
export const nextRound = (
  transfers: readonly Pick<NewPaymentTransfer, 'kind' | 'round'>[],
  kind: NewPaymentTransfer['kind'],
): number => 1 + Math.max(0, ...transfers.filter((one) => one.kind === kind).map(({ round }) => round))
