// No altered transaction is accepted in the place of a stored approve, whatever the owner signs. APPROVE_MUTATIONS sets the
// number of altered transactions; the number in every run is small.
import { randomInt } from 'node:crypto'
import { createNoopSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getRevokeInstruction } from '@solana-program/token'
import { expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { verifyWalletSignature } from '#adapters/solana/keys/wallet-signature.ts'
import { acceptOwnerSigned } from '#core/billing/approve.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import {
  APPROVE,
  addressOf,
  FEE_PAYER,
  newPerson,
  OWNER,
  signatureBy,
  signedBy,
  sponsored,
} from '../../../support/approves.ts'
import { forgeMessage } from '../../../support/forged-message.ts'

const COUNT = Number(process.env.APPROVE_MUTATIONS ?? 20_000)
const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))
const MESSAGE_AT = 129

/** A xorshift generator: fast, and the same for a seed. */
function createDice(seed: number) {
  let state = seed
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
  return {
    below: (limit: number): number => next() % limit,
    pick: <T>(items: readonly T[]): T => items[next() % items.length] as T,
  }
}

test(`${COUNT} altered transactions of an approve: none is accepted (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const dice = createDice(SEED)
  const stored = await sponsored(APPROVE)
  const good = signedBy(OWNER, stored)
  const stranger = newPerson()
  const strangers = signatureBy(stranger, stored.message)
  expect(acceptOwnerSigned(stored, good, verifyWalletSignature)).toEqual({ wire: good })

  const account = associatedTokenAddress(OWNER.address, APPROVE.token.mint, APPROVE.token.tokenProgram)
  const owner = createNoopSigner(OWNER.address)
  const gift = getTransferSolInstruction({
    source: createNoopSigner(FEE_PAYER),
    destination: OWNER.address,
    amount: 1n,
  })
  /** Other messages, complete with the signatures that an attacker can make: the owner's, and a copied one. */
  const others = [
    forgeMessage(stored.message, (all) => all, { version: 'legacy' }),
    forgeMessage(stored.message, (all) => all, { feePayer: OWNER.address }),
    forgeMessage(stored.message, (all) => all, { blockhash: addressOf(5) as never }),
    forgeMessage(stored.message, (all) => all.toReversed()),
    forgeMessage(stored.message, (all) => all.slice(0, 2)),
    forgeMessage(stored.message, (all) => [...all, getRevokeInstruction({ source: account, owner })]),
    forgeMessage(stored.message, (all) => [...all, gift]),
  ]
  const twin = await sponsored({ ...APPROVE, total: makeBaseUnits(APPROVE.total + 1n) })
  const withMessage = (message: Uint8Array) =>
    Uint8Array.of(...good.subarray(0, 65), ...signatureBy(OWNER, message), ...message)
  const completed = [...others.map(withMessage), signedBy(OWNER, twin)]

  const flipped = (bytes: Uint8Array, from = 0, to = bytes.length): Uint8Array => {
    const changed = Uint8Array.from(bytes)
    for (let times = 1 + dice.below(3); times > 0; times -= 1) {
      const at = from + dice.below(to - from)
      changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8))
    }
    return changed
  }
  const MUTATIONS: Readonly<Record<string, () => Uint8Array>> = {
    'flips bits anywhere': () => flipped(good),
    'flips bits of the owner’s signature': () => flipped(good, 65, MESSAGE_AT),
    'flips bits of the fee payer’s signature': () => flipped(good, 1, 65),
    'flips bits of the message, and the owner signs again': () => withMessage(flipped(stored.message)),
    'writes random bytes over a part': () => {
      const changed = Uint8Array.from(good)
      const at = dice.below(good.length)
      for (let i = at; i < Math.min(good.length, at + 1 + dice.below(40)); i += 1) changed[i] = dice.below(256)
      return changed
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
      const changed = Uint8Array.from(good)
      changed.set(good.subarray(second, second + length), first)
      changed.set(good.subarray(first, first + length), second)
      return changed
    },
    'exchanges the signatures': () =>
      flipped(
        Uint8Array.of(2, ...good.subarray(65, MESSAGE_AT), ...good.subarray(1, 65), ...good.subarray(MESSAGE_AT)),
        0,
        1 + dice.below(good.length),
      ),
    'states another number of signatures': () => {
      const count = dice.below(4)
      const signatures = Array.from({ length: count }, () => dice.pick([good.subarray(1, 65), good.subarray(65, 129)]))
      const message = count === 2 ? flipped(good.subarray(MESSAGE_AT)) : good.subarray(MESSAGE_AT)
      return Uint8Array.of(count, ...signatures.flatMap((one) => [...one]), ...message)
    },
    'has the signature of another wallet': () => {
      const changed = Uint8Array.from(good)
      changed.set(dice.below(2) === 0 ? strangers : new Uint8Array(64), 65)
      return dice.below(2) === 0 ? changed : flipped(changed, 0, 65)
    },
    'is another message that the owner has signed': () => {
      const other = dice.pick(completed)
      return dice.below(2) === 0 ? other : flipped(other)
    },
    'has the owner’s signature of another message': () => {
      const changed = Uint8Array.from(good)
      changed.set(dice.pick(completed).subarray(65, MESSAGE_AT), 65)
      return changed
    },
    'has the fee payer’s signature of another message': () => {
      const changed = Uint8Array.from(good)
      changed.set(twin.feePayerSignature, 1)
      return changed
    },
  }

  const names = Object.keys(MUTATIONS)
  const tried = new Map<string, number>()
  const accepted: string[] = []
  for (let done = 0; done < COUNT; ) {
    const name = dice.pick(names)
    const altered = MUTATIONS[name]?.() ?? good
    // An even number of flips may undo itself.
    if (Buffer.compare(altered, good) === 0) continue
    done += 1
    tried.set(name, (tried.get(name) ?? 0) + 1)
    if ('wire' in acceptOwnerSigned(stored, altered, verifyWalletSignature)) accepted.push(name)
  }
  process.stdout.write(`${COUNT} altered, ${accepted.length} accepted, ${tried.size} kinds; seed ${SEED}\n`)
  expect(accepted).toEqual([])
  expect(tried.size).toBe(names.length)
})
