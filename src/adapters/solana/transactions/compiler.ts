// Compiles a frozen plan into the bytes of a transaction, which the fee payer of the network pays for.
import type { Address } from '@solana/kit'
import type { Authority, KeyPath } from '#core/chain/keys.ts'
import { type AccountState, type Network, SOL } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import {
  type ClosePlan,
  type LegsPlan,
  signersOf,
  type TokenDetails,
  type TransactionPlan,
} from '#core/transfers/plan.ts'
import type { BalanceReader, DepositKeys, SponsoredCompiler, TransactionCompiler } from '#ports/chain.ts'
import { assemble, type Step, unplanned } from './assemble.ts'
import { closeSteps, createStep, memoStep, solStep, sponsoredStep, transferSteps } from './steps.ts'

type Seen = ReadonlyMap<Address, AccountState | null>
const NOTHING_SEEN: Seen = new Map()

export type CompilerOptions = {
  readonly accounts: BalanceReader
  readonly depositKeys: DepositKeys
  readonly network: Network
  readonly computeUnitPrice: bigint
}

export function createCompiler(options: CompilerOptions): TransactionCompiler & SponsoredCompiler {
  const { depositKeys, network, computeUnitPrice } = options
  const authorityOf = (key: KeyPath): Authority => ({ address: depositKeys.addressOf(key), key })
  const payer = authorityOf({ network, branch: 'fee_payer' })
  const delegate = depositKeys.addressOf({ network, branch: 'delegate' })
  const feePayer = payer.address
  return {
    async compile(plan, seen = NOTHING_SEEN) {
      if (plan.network !== network) unplanned(`a plan of the ${plan.network} network`)
      const steps = await stepsOf(options, feePayer, plan, seen)
      if (steps.length === 0) unplanned('a plan without legs')
      const signers = signersOf(plan, payer).length
      return assemble({ feePayer, lifetime: plan.lifetime, steps, signers, computeUnitPrice })
    },
    compileSponsored(plan) {
      if (plan.network !== network) unplanned(`a sponsored transaction of the ${plan.network} network`)
      return assemble({
        feePayer,
        lifetime: plan.lifetime,
        steps: [sponsoredStep(plan, delegate)],
        signers: 2,
        computeUnitPrice,
      })
    },
  }
}

async function stepsOf(
  options: CompilerOptions,
  feePayer: Address,
  plan: TransactionPlan,
  seen: Seen,
): Promise<readonly Step[]> {
  switch (plan.kind) {
    case 'close':
      return closeSteps(plan, await sourceAccountOf(options, plan, plan.token), feePayer)
    case 'legs':
      if (plan.asset !== (plan.token?.mint ?? SOL)) unplanned('a plan whose asset is not its token')
      return plan.token === null
        ? plan.legs.map((leg) => solStep(plan.source, leg))
        : await tokenSteps(options, feePayer, plan, plan.token, seen)
  }
}

const sourceAccountOf = async (
  options: CompilerOptions,
  { source, sourceAccount }: LegsPlan | ClosePlan,
  token: TokenDetails,
): Promise<Address> => sourceAccount ?? (await accountOf(options, source, token))

const accountOf = (
  { depositKeys }: Pick<CompilerOptions, 'depositKeys'>,
  wallet: Address,
  token: TokenDetails,
): Promise<Address> => depositKeys.tokenAccountOf(wallet, token.mint, token.tokenProgram)

/** Creates the missing token accounts of the receivers, each once, and then moves the legs. */
async function tokenSteps(
  options: CompilerOptions,
  feePayer: Address,
  plan: LegsPlan,
  token: TokenDetails,
  seen: Seen,
): Promise<readonly Step[]> {
  const wallets = [...new Set(plan.legs.map((leg) => leg.destination))]
  const receivers = new Map<Address, Address>()
  for (const wallet of wallets) receivers.set(wallet, await accountOf(options, wallet, token))
  const receiverOf = (wallet: Address): Address => receivers.get(wallet) ?? unplanned('a leg has no receiver')
  const source = await sourceAccountOf(options, plan, token)
  const known = await readUnseen(options.accounts, [...receivers.values()], seen)
  const missing = wallets.filter((wallet) => isMissing(wallet, known.get(receiverOf(wallet)) ?? null))
  return [
    ...missing.map((wallet) => createStep(feePayer, wallet, receiverOf(wallet), token)),
    ...(plan.memo === undefined ? [] : [memoStep(plan.memo)]),
    ...plan.legs.flatMap((leg) =>
      transferSteps(plan.authority.address, source, receiverOf(leg.destination), leg, token),
    ),
  ]
}

/** Returns all accounts, and reads those that were not seen. */
async function readUnseen(reader: BalanceReader, accounts: readonly Address[], seen: Seen): Promise<Seen> {
  const unseen = accounts.filter((account) => !seen.has(account))
  const { states } = unseen.length === 0 ? { states: [] } : await reader.readAccounts(unseen)
  const read = new Map(unseen.map((account, at) => [account, states[at] ?? null]))
  return new Map(accounts.map((account) => [account, seen.get(account) ?? read.get(account) ?? null]))
}

/** Throws ServiceError('destination_not_usable') when the token account of a wallet belongs to another one. */
function isMissing(wallet: Address, account: AccountState | null): boolean {
  const token = account?.token ?? null
  if (token !== null && token.owner !== wallet)
    throw new ServiceError('destination_not_usable', {
      destination: wallet,
      reason: 'its token account is another’s',
    })
  return token === null
}
