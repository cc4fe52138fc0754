// Judges a sweep destination: a wallet or a vault of a program. An address that can never send money is refused.
import type { Address, Network } from '#core/chain/types.ts'
import { isNeverWallet, unpayableBy } from '#core/chain/unpayable.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { DepositAddressStore } from '#ports/payments.ts'

/** Throws `invalid_address` with the reason. An address passes while the chain cannot be read. */
export type JudgeSweepDestination = (network: Network, address: Address) => Promise<void>

export type DestinationNetwork = {
  readonly chain: Pick<BalanceReader, 'readAccounts'>
  readonly feePayer: Address
}

/** `field` names the address in a refusal. With `isWalletOnly`, the vault of a program is refused too. */
export function createJudgeSweepDestination(
  networks: Readonly<Record<Network, DestinationNetwork | null>>,
  depositAddresses: DepositAddressStore,
  field = 'sweepDestination',
  isWalletOnly = false,
): JudgeSweepDestination {
  const refusal = (rule: string) => new ServiceError('invalid_address', { field, rule })
  // A fee payer's balance changes with every transaction, so a settlement could not be distinguished from its fees.
  const feePayers = new Set([networks.live?.feePayer, networks.test?.feePayer])

  return async (network, address) => {
    if (isNeverWallet(address)) throw refusal('is not a wallet: what is sent there is lost')
    if (feePayers.has(address)) throw refusal('is a fee payer of this service')
    if (await depositAddresses.isIssued(address)) throw refusal(IS_PAYMENT)
    const chain = networks[network]?.chain
    const kind = chain === undefined ? null : await kindOf(chain, address, isWalletOnly)
    if (kind !== null) throw refusal(`is ${kind}, not a wallet`)
  }
}

const IS_PAYMENT = 'is a deposit address of this service: what is sent there is a late payment, and goes back'

async function kindOf(
  chain: Pick<BalanceReader, 'readAccounts'>,
  address: Address,
  isWalletOnly: boolean,
): Promise<string | null> {
  try {
    const [state] = (await chain.readAccounts([address])).states
    if (state == null) return null
    const kind = unpayableBy(state.ownerProgram)
    return kind === null && isWalletOnly && state.ownerProgram !== SYSTEM_PROGRAM ? 'an account of a program' : kind
  } catch (error) {
    // The operator can set up an account while the network is away.
    if (hasCode(error, 'chain_unavailable')) return null
    throw error
  }
}
