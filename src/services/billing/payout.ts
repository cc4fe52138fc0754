// Where the charges of a business are paid: its sweep destination, judged by what it is on the chain.
import type { Account } from '#core/accounts/account.ts'
import type { Address } from '#core/chain/types.ts'
import { isNeverWallet, unpayableBy } from '#core/chain/unpayable.ts'
import { ServiceError } from '#core/errors.ts'
import type { BalanceReader } from '#ports/chain.ts'

/**
 * Returns the wallet that receives charges. Throws `payout_destination_missing`, `payout_destination_invalid` for a token
 * account, a mint and a program, and `chain_unavailable`: a payout is frozen into a tier, so it is not taken unread.
 */
export async function payoutOwnerOf(
  { sweepDestination }: Pick<Account, 'sweepDestination'>,
  chain: Pick<BalanceReader, 'readAccounts'>,
): Promise<Address> {
  if (sweepDestination === null) throw new ServiceError('payout_destination_missing')
  if (isNeverWallet(sweepDestination)) throw new ServiceError('payout_destination_invalid')
  const [state] = (await chain.readAccounts([sweepDestination])).states
  if (state != null && unpayableBy(state.ownerProgram) !== null) throw new ServiceError('payout_destination_invalid')
  return sweepDestination
}
