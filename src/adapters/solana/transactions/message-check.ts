// The signer's check of a compiled message: compares the plan with the bytes, instruction by instruction. It has its own
// layouts of the programs instead of the compiler's builders, so that one mistake does not affect both.
import {
  type Address,
  address,
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import { isTokenProgram, TOKEN_2022_PROGRAM_ADDRESS } from '#adapters/solana/rpc/token-data.ts'
import { type NonceLifetime, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import type { Leg, TokenDetails, TransactionPlan } from '#core/transfers/plan.ts'
import { HARVEST_WITHHELD_TO_MINT, MEMO_PROGRAM_ADDRESS, memoOf } from './instructions.ts'

const SYSTEM_PROGRAM = address('11111111111111111111111111111111')
const RECENT_BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111')
const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111')
const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')

export type MessageLimits = { readonly maxPriorityFeeLamports: bigint }

/** One instruction of a message; `writable` marks the accounts that it may change. */
type Found = { readonly program: Address; readonly accounts: readonly Address[]; readonly data: Uint8Array }
type Demanded = Found & { readonly writable: readonly Address[] }

export class MessageMismatch extends Error {
  constructor(what: string) {
    super(`The signer refuses: ${what}.`)
    this.name = 'MessageMismatch'
  }
}

/**
 * Throws MessageMismatch unless `message` is a version-0 message that does exactly what the plan says: every leg once,
 * in the plan's order, to the stated destination, in the stated amount, and nothing else but using up the plan's nonce,
 * making the receivers' token accounts and a bounded priority fee. It has the plan's lifetime and no other signers than
 * `signers`, of whom the first is the fee payer. Returns them in the message's order.
 */
export async function checkMessage(
  plan: TransactionPlan,
  message: Uint8Array,
  signers: readonly Address[],
  limits: MessageLimits,
): Promise<readonly Address[]> {
  const compiled = decodeExactly(message)
  const [feePayer] = signers
  if (feePayer === undefined) throw new MessageMismatch('a plan without signers')
  const { lifetime, source, authority } = plan
  if (authority.address !== source && (plan.kind === 'close' || plan.token === null))
    throw new MessageMismatch('a delegate can only move a token')
  const token = lifetime.kind === 'blockhash' ? lifetime.blockhash : lifetime.nonce
  if (!('lifetimeToken' in compiled) || compiled.lifetimeToken !== token)
    throw new MessageMismatch('another lifetime than the plan’s')

  const [advance, ...others] = instructionsOf(compiled)
  const used = lifetime.kind === 'nonce' ? [nonceUse(lifetime)] : []
  for (const demand of used) if (!isSame(advance, demand)) throw new MessageMismatch('the nonce is not used up first')
  const found = used.length > 0 ? others : [...(advance === undefined ? [] : [advance]), ...others]
  const demanded = plan.kind === 'close' ? await closeDemands(plan, feePayer) : await legsDemands(plan, feePayer)

  const [limit, price, ...rest] = found
  checkPriorityFee(limit, price, limits)
  const matched = checkSequence(rest, demanded)

  const due = [...used, ...matched]
  const inOrder = signersOf(compiled)
  if (inOrder[0] !== feePayer) throw new MessageMismatch('another fee payer')
  checkSame('signer', inOrder, signers)
  const named = due.flatMap(({ program, accounts }) => [program, ...accounts])
  checkSame('account', compiled.staticAccounts, [...signers, COMPUTE_BUDGET_PROGRAM, ...named])
  checkSame('writable account', writableOf(compiled), [feePayer, ...due.flatMap(({ writable }) => writable)])
  return inOrder
}

const nonceUse = ({ account, authority }: NonceLifetime): Demanded => ({
  program: SYSTEM_PROGRAM,
  accounts: [account, RECENT_BLOCKHASHES, authority.address],
  writable: [account],
  data: Uint8Array.of(4, 0, 0, 0),
})

function checkSame(what: string, found: readonly Address[], demanded: readonly Address[]): void {
  const [there, due] = [new Set(found), new Set(demanded)]
  if (there.size !== found.length) throw new MessageMismatch(`one ${what} twice`)
  for (const one of there.symmetricDifference(due)) throw new MessageMismatch(`${one} as ${what}`)
}

/** Throws when encoding the decoded message gives other bytes: then they contain a part that was not decoded. */
function decodeExactly(message: Uint8Array): CompiledTransactionMessage {
  const decoded = getCompiledTransactionMessageDecoder().decode(message)
  const again = getCompiledTransactionMessageEncoder().encode(decoded)
  if (!Buffer.from(message).equals(Buffer.from(again))) throw new MessageMismatch('bytes that mean nothing')
  return decoded
}

function instructionsOf(compiled: CompiledTransactionMessage): Found[] {
  if (compiled.version !== 0) throw new MessageMismatch(`message version ${compiled.version}`)
  // A message with lookup tables does not contain all of its accounts, so its effects cannot be checked.
  if ((compiled.addressTableLookups?.length ?? 0) > 0) throw new MessageMismatch('an address lookup table')
  const at = (index: number): Address => {
    const account = compiled.staticAccounts[index]
    if (account === undefined) throw new MessageMismatch('an account that is not there')
    return account
  }
  return compiled.instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
    program: at(programAddressIndex),
    accounts: accountIndices.map(at),
    data: Uint8Array.from(data),
  }))
}

const signersOf = ({ staticAccounts, header }: CompiledTransactionMessage): readonly Address[] =>
  staticAccounts.slice(0, header.numSignerAccounts)

/** Signers come first, and within both parts the writable accounts come before the readonly ones. */
function writableOf({ staticAccounts, header }: CompiledTransactionMessage): readonly Address[] {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header
  const others = staticAccounts.length - numSignerAccounts
  if (numReadonlySignerAccounts > numSignerAccounts || numReadonlyNonSignerAccounts > others)
    throw new MessageMismatch('a header that counts more accounts than there are')
  return [
    ...staticAccounts.slice(0, numSignerAccounts - numReadonlySignerAccounts),
    ...staticAccounts.slice(numSignerAccounts, staticAccounts.length - numReadonlyNonSignerAccounts),
  ]
}

function checkPriorityFee(limit: Found | undefined, price: Found | undefined, limits: MessageLimits): void {
  const units = computeBudgetValue(limit, 2, 4)
  const microLamports = computeBudgetValue(price, 3, 8)
  if (units * microLamports > limits.maxPriorityFeeLamports * 1_000_000n)
    throw new MessageMismatch('a priority fee above the limit')
}

/** Returns the number in a compute-budget instruction: after a tag of one byte, `bytes` bytes, the lowest first. */
function computeBudgetValue(instruction: Found | undefined, tag: number, bytes: 4 | 8): bigint {
  if (instruction?.program !== COMPUTE_BUDGET_PROGRAM || instruction.accounts.length > 0 || instruction.data[0] !== tag)
    throw new MessageMismatch('no compute budget in its place')
  const { data } = instruction
  if (data.length !== 1 + bytes) throw new MessageMismatch('no compute budget in its place')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  return bytes === 4 ? BigInt(view.getUint32(1, true)) : view.getBigUint64(1, true)
}

/** Checks for any of `mayComeFirst`, each at most once and in order, then all of `mustFollow`, and no other instruction. */
function checkSequence(found: readonly Found[], { mayComeFirst, mustFollow }: Demands): readonly Demanded[] {
  const matched: Demanded[] = []
  for (const optional of mayComeFirst) if (isSame(found[matched.length], optional)) matched.push(optional)
  for (const demanded of mustFollow) {
    if (!isSame(found[matched.length], demanded))
      throw new MessageMismatch(`instruction ${matched.length + 3} is not the plan’s`)
    matched.push(demanded)
  }
  if (matched.length !== found.length) throw new MessageMismatch('more instructions than the plan’s')
  return matched
}

const isSame = (found: Found | undefined, demanded: Demanded): boolean =>
  found !== undefined &&
  found.program === demanded.program &&
  found.accounts.length === demanded.accounts.length &&
  found.accounts.every((account, index) => account === demanded.accounts[index]) &&
  Buffer.from(found.data).equals(Buffer.from(demanded.data))

type Demands = { readonly mayComeFirst: readonly Demanded[]; readonly mustFollow: readonly Demanded[] }

async function legsDemands(plan: TransactionPlan & { kind: 'legs' }, feePayer: Address): Promise<Demands> {
  const { legs, source, authority, token } = plan
  if (legs.length === 0 || legs.some((leg) => leg.amount === 0n || leg.destination === source))
    throw new MessageMismatch('the plan has a leg that moves nothing')
  if (plan.asset !== (token === null ? SOL : token.mint)) throw new MessageMismatch('the plan’s asset is not its token')
  if (token === null) return { mayComeFirst: [], mustFollow: legs.map((leg) => solTransfer(source, leg)) }

  const from = await tokenAccount(source, token)
  const creates: Demanded[] = []
  const mustFollow: Demanded[] = []
  for (const wallet of new Set(legs.map((leg) => leg.destination)))
    creates.push(tokenAccountCreation(feePayer, wallet, await tokenAccount(wallet, token), token))
  for (const leg of legs) {
    if (token.tokenProgram === TOKEN_2022_PROGRAM_ADDRESS) mustFollow.push(memo(leg))
    mustFollow.push(tokenTransfer(authority.address, from, await tokenAccount(leg.destination, token), leg, token))
  }
  return { mayComeFirst: creates, mustFollow }
}

async function closeDemands(plan: TransactionPlan & { kind: 'close' }, feePayer: Address): Promise<Demands> {
  const { token, source } = plan
  if (token.mint === WRAPPED_SOL_MINT) throw new MessageMismatch('closing a wrapped-SOL account pays its content out')
  const account = await tokenAccount(source, token)
  const program = token.tokenProgram
  const accounts = [token.mint, account]
  const harvest = { program, accounts, writable: accounts, data: Uint8Array.from(HARVEST_WITHHELD_TO_MINT) }
  const close = {
    program,
    accounts: [account, feePayer, source],
    writable: [account, feePayer],
    data: Uint8Array.of(9),
  }
  return { mayComeFirst: [], mustFollow: plan.harvestWithheld ? [harvest, close] : [close] }
}

async function tokenAccount(owner: Address, { mint, tokenProgram }: TokenDetails): Promise<Address> {
  if (!isTokenProgram(tokenProgram)) throw new MessageMismatch('an unknown token program')
  const [account] = await findAssociatedTokenPda({ owner, mint, tokenProgram })
  return account
}

function solTransfer(source: Address, leg: Leg): Demanded {
  const data = new Uint8Array(12)
  const view = new DataView(data.buffer)
  view.setUint32(0, 2, true)
  view.setBigUint64(4, leg.amount, true)
  const accounts = [source, leg.destination]
  return { program: SYSTEM_PROGRAM, accounts, writable: accounts, data }
}

function tokenTransfer(authority: Address, from: Address, to: Address, leg: Leg, token: TokenDetails): Demanded {
  const data = new Uint8Array(10)
  data[0] = 12
  new DataView(data.buffer).setBigUint64(1, leg.amount, true)
  data[9] = token.decimals
  return { program: token.tokenProgram, accounts: [from, token.mint, to, authority], writable: [from, to], data }
}

const tokenAccountCreation = (payer: Address, owner: Address, account: Address, token: TokenDetails): Demanded => ({
  program: ASSOCIATED_TOKEN_PROGRAM,
  accounts: [payer, account, owner, token.mint, SYSTEM_PROGRAM, token.tokenProgram],
  writable: [payer, account],
  data: Uint8Array.of(1),
})

const memo = (leg: Leg): Demanded => ({
  program: MEMO_PROGRAM_ADDRESS,
  accounts: [],
  writable: [],
  data: new TextEncoder().encode(memoOf(leg)),
})
