// No altered transaction is accepted in the place of a stored approve, whatever the owner signs. APPROVE_MUTATIONS sets the
// number of altered transactions; the number in every run is small.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { verifyWalletSignature } from '#adapters/solana/keys/wallet-signature.ts'
import { acceptOwnerSigned } from '#core/billing/approve.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import { alterationsOf, createDice } from '../../../support/altered-approves.ts'
import { APPROVE, newPerson, OWNER, signatureBy, signedBy, sponsored } from '../../../support/approves.ts'

const COUNT = Number(process.env.APPROVE_MUTATIONS ?? 20_000)
const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))

test(`${COUNT} altered transactions of an approve: none is accepted (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const dice = createDice(SEED)
  const stored = await sponsored(APPROVE)
  const good = signedBy(OWNER, stored)
  const stranger = newPerson()
  expect(acceptOwnerSigned(stored, good, verifyWalletSignature)).toEqual({ wire: good })

  const alterations = await alterationsOf(
    {
      good,
      owner: OWNER.address,
      account: associatedTokenAddress(OWNER.address, APPROVE.token.mint, APPROVE.token.tokenProgram),
      sign: async (message) => signatureBy(OWNER, message),
      strangerSigns: async (message) => signatureBy(stranger, message),
      twin: signedBy(OWNER, await sponsored({ ...APPROVE, total: makeBaseUnits(APPROVE.total + 1n) })),
    },
    dice,
  )
  const names = Object.keys(alterations)
  const tried = new Map<string, number>()
  const accepted: string[] = []
  for (let done = 0; done < COUNT; ) {
    const name = dice.pick(names)
    const altered = (await alterations[name]?.()) ?? good
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
