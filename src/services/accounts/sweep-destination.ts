// Where a business wants its money. A wallet or a program's vault, both are fine; what can never give it back is not.
import type { Address, Network } from '#core/chain/types.ts'
import { isNeverWallet, unpayableBy } from '#core/chain/unpayable.ts'
import { ServiceError } from '#core/errors.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { DepositAddressStore } from '#ports/stores.ts'

/** Throws `invalid_address`, saying why. An address that the chain cannot tell anything of right now is let through. */
export type JudgeSweepDestination = (network: Network, address: Address) => Promise<void>

export type DestinationNetwork = {
  readonly chain: Pick<BalanceReader, 'readAccounts'>
  readonly feePayer: Address
}

/** `field` is what a refusal calls it. */
export function createJudgeSweepDestination(
  networks: Readonly<Record<Network, DestinationNetwork | null>>,
  depositAddresses: DepositAddressStore,
  field = 'sweepDestination',
): JudgeSweepDestination {
  const refusal = (rule: string) => new ServiceError('invalid_address', { field, rule })
  // Their balances are the service's own, so a settlement could not be told from the fees that they pay.
  const feePayers = new Set([networks.live?.feePayer, networks.test?.feePayer])

  return async (network, address) => {
    if (isNeverWallet(address)) throw refusal('is not a wallet: what is sent there is lost')
    if (feePayers.has(address)) throw refusal('is a fee payer of this service')
    if (await depositAddresses.isIssued(address)) throw refusal(IS_PAYMENT)
    const chain = networks[network]?.chain
    const kind = chain === undefined ? null : await kindOf(chain, address)
    if (kind !== null) throw refusal(`is ${kind}, not a wallet`)
  }
}

const IS_PAYMENT = 'is a deposit address of this service: what is sent there is a late payment, and goes back'

async function kindOf(chain: Pick<BalanceReader, 'readAccounts'>, address: Address): Promise<string | null> {
  try {
    const [state] = (await chain.readAccounts([address], 'confirmed')).states
    return state == null ? null : unpayableBy(state.ownerProgram)
  } catch (error) {
    // A network that is away must not keep an operator from setting up an account.
    if (error instanceof ServiceError && error.code === 'chain_unavailable') return null
    throw error
  }
}
