// Compiles a frozen plan into the bytes of a transaction, which the fee payer of the network pays for.
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type BlockhashLifetimeConstraint,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from '@solana-program/compute-budget'
import { getAddMemoInstruction } from '@solana-program/memo'
import { getAdvanceNonceAccountInstruction, getTransferSolInstruction } from '@solana-program/system'
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import type { Authority, KeyPath } from '#core/chain/keys.ts'
import { type AccountState, type Lifetime, type Network, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { divCeil, makeLamports } from '#core/money/amounts.ts'
import {
  type ClosePlan,
  feeOfSignatures,
  type Leg,
  type LegsPlan,
  MAX_PRIORITY_FEE,
  signersOf,
  type TokenDetails,
} from '#core/transfers/plan.ts'
import type { BalanceReader, DepositKeys, TransactionCompiler } from '#ports/chain.ts'
import { HARVEST_WITHHELD_TO_MINT, MEMO_PROGRAM_ADDRESS, memoOf } from './instructions.ts'

const MAX_TRANSACTION_BYTES = 1232
const SIGNATURE_BYTES = 64

/**
 * The compute units of each step, with a margin above the measured figures: the creation of a token account searches its
 * address, at 1,500 units a try. Unused units cost only their share of the priority fee.
 */
const UNITS = {
  base: 1_000,
  nonce: 1_000,
  sol: 300,
  create: 50_000,
  transfer: 15_000,
  memo: 10_000,
  close: 10_000,
  harvest: 10_000,
}

type Step = { readonly instruction: Instruction; readonly units: number }

type Seen = ReadonlyMap<Address, AccountState | null>
const NOTHING_SEEN: Seen = new Map()

export function createCompiler(options: {
  readonly accounts: BalanceReader
  readonly depositKeys: DepositKeys
  readonly network: Network
  readonly computeUnitPrice: bigint
}): TransactionCompiler {
  const { accounts, depositKeys, network, computeUnitPrice } = options
  const authorityOf = (key: KeyPath): Authority => ({ address: depositKeys.addressOf(key), key })
  const payer = authorityOf({ network, branch: 'fee_payer' })
  const feePayer = payer.address
  const accountOf = (wallet: Address, token: TokenDetails): Promise<Address> =>
    depositKeys.tokenAccountOf(wallet, token.mint, token.tokenProgram)

  const tokenSteps = async (plan: LegsPlan, token: TokenDetails, seen: Seen): Promise<Step[]> => {
    const wallets = [...new Set(plan.legs.map((leg) => leg.destination))]
    const receivers = new Map<Address, Address>()
    for (const wallet of wallets) receivers.set(wallet, await accountOf(wallet, token))
    const receiverOf = (wallet: Address): Address => receivers.get(wallet) ?? unplanned('a leg has no receiver')
    const source = await accountOf(plan.source, token)
    const unseen = [...receivers.values()].filter((account) => !seen.has(account))
    const { states } = unseen.length === 0 ? { states: [] } : await accounts.readAccounts(unseen, 'confirmed')
    const read = new Map(unseen.map((account, at) => [account, states[at] ?? null]))
    const missing = wallets.filter((wallet) => {
      const receiver = receiverOf(wallet)
      const held = (seen.get(receiver) ?? read.get(receiver))?.token ?? null
      if (held !== null && held.owner !== wallet)
        throw new ServiceError('destination_not_usable', {
          destination: wallet,
          reason: 'its token account is another’s',
        })
      return held === null
    })
    return [
      ...missing.map((wallet) => createStep(feePayer, wallet, receiverOf(wallet), token)),
      ...plan.legs.flatMap((leg) =>
        transferSteps(plan.authority.address, source, receiverOf(leg.destination), leg, token),
      ),
    ]
  }

  return {
    async compile(plan, seen = NOTHING_SEEN) {
      if (plan.network !== network) unplanned(`a plan of the ${plan.network} network`)
      if (plan.kind === 'legs' && plan.asset !== (plan.token?.mint ?? SOL))
        unplanned('a plan whose asset is not its token')
      const steps =
        plan.kind === 'close'
          ? closeSteps(plan, await accountOf(plan.source, plan.token), feePayer)
          : plan.token === null
            ? plan.legs.map((leg) => solStep(plan.source, leg))
            : await tokenSteps(plan, plan.token, seen)
      if (steps.length === 0) unplanned('a plan without legs')
      const signers = signersOf(plan, payer).length
      const first = nonceSteps(plan.lifetime)
      const units = [...first, ...steps].reduce((sum, step) => sum + step.units, UNITS.base)
      const microLamports = priceFor(units, computeUnitPrice)
      const transaction = pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayer(feePayer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(tokenOf(plan.lifetime), message),
        (message) =>
          appendTransactionMessageInstructions(
            [
              ...first.map((step) => step.instruction),
              getSetComputeUnitLimitInstruction({ units }),
              getSetComputeUnitPriceInstruction({ microLamports }),
              ...steps.map((step) => step.instruction),
            ],
            message,
          ),
        compileTransaction,
      )
      const message = Uint8Array.from(transaction.messageBytes)
      const bytes = message.length + 1 + SIGNATURE_BYTES * signers
      if (bytes > MAX_TRANSACTION_BYTES) unplanned(`a transaction of ${bytes} bytes`)
      const fee = makeLamports(feeOfSignatures(signers) + divCeil(BigInt(units) * microLamports, 1_000_000n))
      return { message, fee }
    },
  }
}

/** Sets the lifetime. A nonce takes the place of the blockhash, and its advance instruction comes first. */
const tokenOf = (lifetime: Lifetime): BlockhashLifetimeConstraint =>
  lifetime.kind === 'blockhash' ? lifetime : { blockhash: lifetime.nonce, lastValidBlockHeight: 0n }

const nonceSteps = (lifetime: Lifetime): Step[] =>
  lifetime.kind === 'blockhash'
    ? []
    : [
        {
          instruction: getAdvanceNonceAccountInstruction({
            nonceAccount: lifetime.account,
            nonceAuthority: createNoopSigner(lifetime.authority.address),
          }),
          units: UNITS.nonce,
        },
      ]

/** Returns the price of a unit in millionths of a lamport: the market price, limited by the largest priority fee. */
function priceFor(units: number, asked: bigint): bigint {
  const most = (MAX_PRIORITY_FEE * 1_000_000n) / BigInt(units)
  return asked < most ? asked : most
}

function unplanned(what: string): never {
  throw new RangeError(`cannot compile ${what}`)
}

const solStep = (source: Address, leg: Leg): Step => ({
  instruction: getTransferSolInstruction({
    source: createNoopSigner(source),
    destination: leg.destination,
    amount: leg.amount,
  }),
  units: UNITS.sol,
})

const createStep = (feePayer: Address, owner: Address, ata: Address, token: TokenDetails): Step => ({
  instruction: getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(feePayer),
    ata,
    owner,
    mint: token.mint,
    tokenProgram: token.tokenProgram,
  }),
  units: UNITS.create,
})

/** A receiver that requires memos checks the instruction right before the transfer, so each transfer has its own memo. */
function transferSteps(owner: Address, source: Address, destination: Address, leg: Leg, token: TokenDetails): Step[] {
  const transfer = getTransferCheckedInstruction(
    {
      source,
      mint: token.mint,
      destination,
      authority: createNoopSigner(owner),
      amount: leg.amount,
      decimals: token.decimals,
    },
    { programAddress: token.tokenProgram },
  )
  const memo = getAddMemoInstruction({ memo: memoOf(leg) }, { programAddress: MEMO_PROGRAM_ADDRESS })
  return [
    ...(token.tokenProgram === TOKEN_2022_PROGRAM_ADDRESS ? [{ instruction: memo, units: UNITS.memo }] : []),
    { instruction: transfer, units: UNITS.transfer },
  ]
}

function closeSteps(plan: ClosePlan, account: Address, feePayer: Address): Step[] {
  const { token } = plan
  // Accounts of other tokens close only when empty; a wrapped-SOL account pays its whole balance out with the rent.
  if (token.mint === WRAPPED_SOL_MINT) unplanned('the closing of a wrapped-SOL account')
  const harvest: Instruction = {
    programAddress: token.tokenProgram,
    accounts: [
      { address: token.mint, role: AccountRole.WRITABLE },
      { address: account, role: AccountRole.WRITABLE },
    ],
    data: Uint8Array.from(HARVEST_WITHHELD_TO_MINT),
  }
  const close = getCloseAccountInstruction(
    { account, destination: feePayer, owner: createNoopSigner(plan.source) },
    { programAddress: token.tokenProgram },
  )
  return [
    ...(plan.harvestWithheld ? [{ instruction: harvest, units: UNITS.harvest }] : []),
    { instruction: close, units: UNITS.close },
  ]
}
