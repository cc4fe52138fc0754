// Altered transactions in the place of a prepared approve: what a buggy or hostile wallet could return. Each has every signature that an
// attacker can make: the owner's of any message, and a copy of the fee payer's.
import { type Blockhash, createNoopSigner, getCompiledTransactionMessageDecoder } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getRevokeInstruction } from '@solana-program/token'
import type { Address } from '#core/chain/types.ts'
import { forgeMessage } from './forged-message.ts'

const MESSAGE_AT = 129

type Sign = (message: Uint8Array) => Promise<Uint8Array>

export type AlteredApproves = {
  /** The prepared transaction with the signature of its owner. */
  readonly good: Uint8Array
  readonly owner: Address
  /** The token account of the approve. */
  readonly account: Address
  readonly sign: Sign
  readonly strangerSigns: Sign
  /** Another prepared transaction, with the signature of the owner of the good one. */
  readonly twin: Uint8Array
}

export type Dice = { readonly below: (limit: number) => number; readonly pick: <T>(items: readonly T[]) => T }

/** A xorshift generator: fast, and the same for a seed. */
export function createDice(seed: number): Dice {
  let state = seed
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  return {
    below: (limit) => next() % limit,
    pick: <T>(items: readonly T[]): T => items[next() % items.length] as T,
  }
}

type Alterations = Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>>

/** Returns the kinds of alterations by name. An alteration may undo itself: the caller compares it with the good transaction. */
export async function alterationsOf(approve: AlteredApproves, dice: Dice): Promise<Alterations> {
  const { good, sign, twin } = approve
  const message = good.subarray(MESSAGE_AT)
  const signedAgain = async (other: Uint8Array) =>
    Uint8Array.of(...good.subarray(0, 65), ...(await sign(other)), ...other)
  const others = [...(await Promise.all(otherMessages(approve).map(signedAgain))), twin]
  const strangers = await approve.strangerSigns(message)

  const flipped = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array => {
    const changed = Uint8Array.from(bytes)
    for (let times = 1 + dice.below(3); times > 0; times -= 1) {
      const at = from + dice.below(to - from)
      changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8))
    }
    return changed
  }
  const withBytes = (bytes: Uint8Array, at: number): Uint8Array => {
    const changed = Uint8Array.from(good)
    changed.set(bytes, at)
    return changed
  }
  return {
    'flips bits anywhere': () => flipped(good),
    'flips bits of the owner’s signature': () => flipped(good, 65, MESSAGE_AT),
    'flips bits of the fee payer’s signature': () => flipped(good, 1, 65),
    'flips bits of the message, and the owner signs again': () => signedAgain(flipped(message)),
    'writes random bytes over a part': () => {
      const at = dice.below(good.length)
      const length = Math.min(good.length - at, 1 + dice.below(40))
      return withBytes(
        Uint8Array.from({ length }, () => dice.below(256)),
        at,
      )
    },
    truncates: () => good.subarray(0, dice.below(good.length)),
    'adds trailing bytes': () =>
      Uint8Array.of(...good, ...Array.from({ length: 1 + dice.below(80) }, () => dice.below(256))),
    'removes a byte': () => {
      const at = dice.below(good.length)
      return Uint8Array.of(...good.subarray(0, at), ...good.subarray(at + 1))
    },
    'inserts a byte': () => {
      const at = dice.below(good.length + 1)
      return Uint8Array.of(...good.subarray(0, at), dice.below(256), ...good.subarray(at))
    },
    'exchanges two parts': () => {
      const length = 1 + dice.below(32)
      const first = dice.below(good.length - 2 * length)
      const second = first + length + dice.below(good.length - first - 2 * length + 1)
      const changed = withBytes(good.subarray(second, second + length), first)
      changed.set(good.subarray(first, first + length), second)
      return changed
    },
    'exchanges the signatures': () =>
      flipped(
        Uint8Array.of(2, ...good.subarray(65, MESSAGE_AT), ...good.subarray(1, 65), ...message),
        0,
        1 + dice.below(good.length),
      ),
    'states another number of signatures': () => {
      const count = dice.below(4)
      const signatures = Array.from({ length: count }, () => dice.pick([good.subarray(1, 65), good.subarray(65, 129)]))
      return Uint8Array.of(
        count,
        ...signatures.flatMap((one) => [...one]),
        ...(count === 2 ? flipped(message) : message),
      )
    },
    'has the signature of another wallet': () => {
      const changed = withBytes(dice.below(2) === 0 ? strangers : new Uint8Array(64), 65)
      return dice.below(2) === 0 ? changed : flipped(changed, 0, 65)
    },
    'is another message that the owner has signed': () => {
      const other = dice.pick(others)
      return dice.below(2) === 0 ? other : flipped(other)
    },
    'has the owner’s signature of another message': () => withBytes(dice.pick(others).subarray(65, MESSAGE_AT), 65),
    'has the fee payer’s signature of another message': () => withBytes(twin.subarray(1, 65), 1),
  }
}

/** Messages with another effect, or without a part of it. */
function otherMessages({ good, owner, account }: AlteredApproves): readonly Uint8Array[] {
  const message = good.subarray(MESSAGE_AT)
  const authority = createNoopSigner(owner)
  const [feePayer = owner] = getCompiledTransactionMessageDecoder().decode(message).staticAccounts
  const gift = getTransferSolInstruction({ source: createNoopSigner(feePayer), destination: owner, amount: 1n })
  return [
    forgeMessage(message, (all) => all, { version: 'legacy' }),
    forgeMessage(message, (all) => all, { feePayer: owner }),
    forgeMessage(message, (all) => all, { blockhash: account as string as Blockhash }),
    forgeMessage(message, (all) => all.toReversed()),
    forgeMessage(message, (all) => all.slice(0, 2)),
    forgeMessage(message, (all) => [...all, getRevokeInstruction({ source: account, owner: authority })]),
    forgeMessage(message, (all) => [...all, gift]),
  ]
}
