// Altered transactions in the place of a prepared approve: what a buggy or hostile wallet could return. Each has every signature that an
// attacker can make: the owner's of any message, and a copy of the fee payer's.
import { type Blockhash, createNoopSigner, getCompiledTransactionMessageDecoder } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getRevokeInstruction } from '@solana-program/token'
import type { Address } from '#core/chain/types.ts'
import { createDice, type Dice } from '../simulator/dice.ts'
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

type Alterations = Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>>

/** Yields altered transactions of every kind, each with the name of its kind. The same seed yields the same. */
export async function* alteredApproves(approve: AlteredApproves, { seed, count }: { seed: number; count: number }) {
  const dice = createDice(String(seed))
  const alterations = Object.entries(await alterationsOf(approve, dice))
  for (let done = 0; done < count; ) {
    const [kind, alter] = dice.pick(alterations)
    const wire = await alter()
    // An even number of flips may undo itself.
    if (Buffer.compare(wire, approve.good) === 0) continue
    done += 1
    yield { kind, wire, kinds: alterations.length }
  }
}

async function alterationsOf(approve: AlteredApproves, dice: Dice): Promise<Alterations> {
  const { good, sign, twin } = approve
  const message = good.subarray(MESSAGE_AT)
  const below = (limit: number): number => dice.between(0, limit - 1)
  const signedAgain = async (other: Uint8Array) =>
    Uint8Array.of(...good.subarray(0, 65), ...(await sign(other)), ...other)
  const others = [...(await Promise.all(otherMessages(approve).map(signedAgain))), twin]
  const strangers = await approve.strangerSigns(message)

  const flipped = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array => {
    const changed = Uint8Array.from(bytes)
    for (let times = 1 + below(3); times > 0; times -= 1) {
      const at = from + below(to - from)
      changed[at] = (changed[at] ?? 0) ^ (1 << below(8))
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
      const at = below(good.length)
      const length = Math.min(good.length - at, 1 + below(40))
      return withBytes(
        Uint8Array.from({ length }, () => below(256)),
        at,
      )
    },
    truncates: () => good.subarray(0, below(good.length)),
    'adds trailing bytes': () => Uint8Array.of(...good, ...Array.from({ length: 1 + below(80) }, () => below(256))),
    'removes a byte': () => {
      const at = below(good.length)
      return Uint8Array.of(...good.subarray(0, at), ...good.subarray(at + 1))
    },
    'inserts a byte': () => {
      const at = below(good.length + 1)
      return Uint8Array.of(...good.subarray(0, at), below(256), ...good.subarray(at))
    },
    'exchanges two parts': () => {
      const length = 1 + below(32)
      const first = below(good.length - 2 * length)
      const second = first + length + below(good.length - first - 2 * length + 1)
      const changed = withBytes(good.subarray(second, second + length), first)
      changed.set(good.subarray(first, first + length), second)
      return changed
    },
    'exchanges the signatures': () =>
      flipped(
        Uint8Array.of(2, ...good.subarray(65, MESSAGE_AT), ...good.subarray(1, 65), ...message),
        0,
        1 + below(good.length),
      ),
    'states another number of signatures': () => {
      const count = below(4)
      const signatures = Array.from({ length: count }, () => dice.pick([good.subarray(1, 65), good.subarray(65, 129)]))
      return Uint8Array.of(
        count,
        ...signatures.flatMap((one) => [...one]),
        ...(count === 2 ? flipped(message) : message),
      )
    },
    'has the signature of another wallet': () => {
      const changed = withBytes(below(2) === 0 ? strangers : new Uint8Array(64), 65)
      return below(2) === 0 ? changed : flipped(changed, 0, 65)
    },
    'is another message that the owner has signed': () => {
      const other = dice.pick(others)
      return below(2) === 0 ? other : flipped(other)
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
