// Judges a sweep destination: a wallet or a vault of a program. An address that can never send money is refused.
import { isWallet } from '#core/chain/curve.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { isNeverWallet, unpayableBy } from '#core/chain/unpayable.ts'
import { hasCode, ServiceError } from '#core/errors.ts'
import { SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'
import type { BalanceReader } from '#ports/chain.ts'
import type { DepositAddressStore } from '#ports/payments.ts'

/** Throws `invalid_address` with the reason. */
export type JudgeSweepDestination = (network: Network, address: Address) => Promise<void>

export type DestinationNetwork = {
  readonly chain: Pick<BalanceReader, 'readAccounts'>
  readonly feePayer: Address
}

/**
 * What an address is for. A `payout` passes while the chain cannot be read, because the operator can set up an account then. An
 * address that no key can sign for is a `recipient` or a `wallet` only when its account shows that it can be paid: it may be the token
 * account of a buyer that was not made yet. A `wallet` is no account of a program. A `recipient` throws `chain_unavailable`.
 */
type Purpose = 'payout' | 'recipient' | 'wallet'

/** `field` names the address in a refusal. */
export function createJudgeSweepDestination(
  networks: Readonly<Record<Network, DestinationNetwork | null>>,
  depositAddresses: DepositAddressStore,
  field = 'sweepDestination',
  purpose: Purpose = 'payout',
): JudgeSweepDestination {
  const refusal = (rule: string) => new ServiceError('invalid_address', { field, rule })
  // A fee payer's balance changes with every transaction, so a settlement could not be distinguished from its fees.
  const feePayers = new Set([networks.live?.feePayer, networks.test?.feePayer])

  return async (network, address) => {
    if (isNeverWallet(address)) throw refusal('is not a wallet: what is sent there is lost')
    if (feePayers.has(address)) throw refusal('is a fee payer of this service')
    if (await depositAddresses.isIssued(address)) throw refusal(IS_PAYMENT)
    const chain = networks[network]?.chain
    const kind = chain === undefined ? null : await kindOf(chain, address, purpose)
    if (kind !== null) throw refusal(`is ${kind}, not a wallet`)
  }
}

const IS_PAYMENT = 'is a deposit address of this service: what is sent there is a late payment, and goes back'

async function kindOf(
  chain: Pick<BalanceReader, 'readAccounts'>,
  address: Address,
  purpose: Purpose,
): Promise<string | null> {
  const state = await readState(chain, address, purpose)
  if (state === null) return purpose === 'payout' || isWallet(address) ? null : 'an address without a key or an account'
  const kind = unpayableBy(state.ownerProgram)
  return kind === null && purpose === 'wallet' && state.ownerProgram !== SYSTEM_PROGRAM
    ? 'an account of a program'
    : kind
}

/** Returns null for no account, and for one that could not be read, which no `recipient` may be. */
async function readState(chain: Pick<BalanceReader, 'readAccounts'>, address: Address, purpose: Purpose) {
  try {
    return (await chain.readAccounts([address])).states[0] ?? null
  } catch (error) {
    if (purpose !== 'recipient' && hasCode(error, 'chain_unavailable')) return null
    throw error
  }
}
