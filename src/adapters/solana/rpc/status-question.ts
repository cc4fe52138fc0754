// Asks one provider for the statuses of signatures.
import type { Signature } from '@solana/kit'
import type { SignatureStatus } from '#core/chain/types.ts'
import { errorText } from './observed-transaction.ts'
import type { Question } from './provider.ts'
import { ProviderFault } from './provider-fault.ts'

export const STATUSES_PER_CALL = 256

/** `provider`: the number of the provider that answered. */
export type FoundStatus = {
  readonly signature: Signature
  readonly status: SignatureStatus | null
  readonly provider: number
}

export const statusQuestion =
  (signatures: readonly Signature[], searchTransactionHistory: boolean): Question<readonly FoundStatus[]> =>
  async ({ rpc, abortSignal, provider }) => {
    const { value } = await rpc.getSignatureStatuses(signatures, { searchTransactionHistory }).send({ abortSignal })
    if (value.length !== signatures.length) throw new ProviderFault('malformed')
    return signatures.map((signature, at) => ({
      signature,
      status: signatureStatus(value[at] ?? null),
      provider,
    }))
  }

type RawStatus = {
  readonly slot: bigint
  readonly confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null
  readonly confirmations: bigint | null
  readonly err: unknown
}

/** Returns the status. Nodes that name no level return `confirmations: null` for a final transaction. */
function signatureStatus(raw: RawStatus | null): SignatureStatus | null {
  if (raw === null) return null
  const { slot, confirmationStatus, confirmations, err } = raw
  const final = confirmationStatus === null ? confirmations === null : confirmationStatus === 'finalized'
  return { slot, final, error: errorText(err), doubt: null }
}
