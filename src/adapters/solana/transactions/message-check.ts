// The signer's check of a compiled message: compares what is demanded with the bytes, instruction by instruction. It has its
// own layouts of the programs instead of the compiler's builders, so that one mistake does not affect both.
import {
  type Address,
  address,
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
} from '@solana/kit'
import { type Demanded, type Demands, type Expected, type Found, MessageMismatch } from './demands.ts'
import { nonceUse } from './system-demands.ts'

const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111')

export type MessageLimits = { readonly maxPriorityFeeLamports: bigint }

/**
 * Throws MessageMismatch unless `message` is a version-0 message that does exactly what is expected: the instructions in their
 * order, and nothing else but using up the nonce of the lifetime and a bounded priority fee. It has the lifetime, and no
 * other signers. Returns the signers in the message's order.
 */
export function checkMessage(
  { lifetime, signers, demands }: Expected,
  message: Uint8Array,
  limits: MessageLimits,
): readonly Address[] {
  const compiled = decodeExactly(message)
  const [feePayer] = signers
  if (feePayer === undefined) throw new MessageMismatch('a plan without signers')
  const token = lifetime.kind === 'blockhash' ? lifetime.blockhash : lifetime.nonce
  if (!('lifetimeToken' in compiled) || compiled.lifetimeToken !== token)
    throw new MessageMismatch('another lifetime than the plan’s')

  const [advance, ...others] = instructionsOf(compiled)
  const used = lifetime.kind === 'nonce' ? [nonceUse(lifetime)] : []
  for (const demand of used) if (!isSame(advance, demand)) throw new MessageMismatch('the nonce is not used up first')
  const found = used.length > 0 ? others : [...(advance === undefined ? [] : [advance]), ...others]

  const [limit, price, ...rest] = found
  checkPriorityFee(limit, price, limits)
  const matched = checkSequence(rest, demands)

  const due = [...used, ...matched]
  const inOrder = signersOf(compiled)
  if (inOrder[0] !== feePayer) throw new MessageMismatch('another fee payer')
  checkSame('signer', inOrder, signers)
  const named = due.flatMap(({ program, accounts }) => [program, ...accounts])
  checkSame('account', compiled.staticAccounts, [...signers, COMPUTE_BUDGET_PROGRAM, ...named])
  checkSame('writable account', writableOf(compiled), [feePayer, ...due.flatMap(({ writable }) => writable)])
  return inOrder
}

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

/** Returns the demands that were found, in order. */
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
