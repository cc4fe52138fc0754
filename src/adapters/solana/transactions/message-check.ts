// The signer's check of a compiled message: compares what is demanded with the bytes, instruction by instruction. It has its
// own layouts of the programs instead of the compiler's builders, so that one mistake does not affect both.
import { type Address, address } from '@solana/kit'
import { type Demanded, type Demands, type Expected, type Found, MessageMismatch } from './demands.ts'
import { readMessage } from './message-bytes.ts'

const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111')

export type MessageLimits = { readonly maxPriorityFeeLamports: bigint }

/**
 * Throws MessageMismatch unless `message` is a version-0 message that does exactly what is expected: the instructions in their
 * order, and nothing else but a bounded priority fee. It has the lifetime, and no other signers. Returns the signers in the message's order.
 */
export function checkMessage(
  { lifetime, signers, demands }: Expected,
  message: Uint8Array,
  limits: MessageLimits,
): readonly Address[] {
  const { accounts, signers: inOrder, writable, lifetime: blockhash, instructions } = readMessage(message)
  const [feePayer] = signers
  if (feePayer === undefined) throw new MessageMismatch('a plan without signers')
  if (blockhash !== lifetime.blockhash) throw new MessageMismatch('another lifetime than the plan’s')

  const [limit, price, ...rest] = instructions
  checkPriorityFee(limit, price, limits)
  const due = checkSequence(rest, demands)

  if (inOrder[0] !== feePayer) throw new MessageMismatch('another fee payer')
  checkSame('signer', inOrder, signers)
  const named = due.flatMap(({ program, accounts }) => [program, ...accounts])
  checkSame('account', accounts, [...signers, COMPUTE_BUDGET_PROGRAM, ...named])
  checkSame('writable account', writable, [feePayer, ...due.flatMap(({ writable }) => writable)])
  return inOrder
}

function checkSame(what: string, found: readonly Address[], demanded: readonly Address[]): void {
  const [there, due] = [new Set(found), new Set(demanded)]
  if (there.size !== found.length) throw new MessageMismatch(`one ${what} twice`)
  for (const one of there.symmetricDifference(due)) throw new MessageMismatch(`${one} as ${what}`)
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
