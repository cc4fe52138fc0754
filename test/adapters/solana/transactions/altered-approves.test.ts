// No altered transaction is accepted in the place of a stored approve, whatever the owner signs. APPROVE_MUTATIONS sets the
// number of altered transactions; the number in every run is small.
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { verifyWalletSignature } from '#adapters/solana/transactions/wallet-transactions.ts'
import { acceptOwnerSigned } from '#core/billing/approve.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import {
  APPROVE,
  alteredApproves,
  newPerson,
  OWNER,
  signatureBy,
  signedBy,
  sponsored,
} from '../../../support/approves.ts'

const COUNT = Number(process.env.APPROVE_MUTATIONS ?? 20_000)
const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))

test(`${COUNT} altered transactions of an approve: none is accepted (seed ${SEED})`, {
  timeout: 3_600_000,
}, async () => {
  const stored = await sponsored(APPROVE)
  const good = signedBy(OWNER, stored)
  const stranger = newPerson()
  expect(acceptOwnerSigned(stored, good, verifyWalletSignature)).toEqual({ wire: good })

  const approve = {
    good,
    owner: OWNER.address,
    account: associatedTokenAddress(OWNER.address, APPROVE.token.mint, APPROVE.token.tokenProgram),
    sign: async (message: Uint8Array) => signatureBy(OWNER, message),
    strangerSigns: async (message: Uint8Array) => signatureBy(stranger, message),
    twin: signedBy(OWNER, await sponsored({ ...APPROVE, total: makeBaseUnits(APPROVE.total + 1n) })),
  }
  const tried = new Set<string>()
  const accepted: string[] = []
  let all = 0
  for await (const { kind, wire, kinds } of alteredApproves(approve, { seed: SEED, count: COUNT })) {
    tried.add(kind)
    all = kinds
    if ('wire' in acceptOwnerSigned(stored, wire, verifyWalletSignature)) accepted.push(kind)
  }
  process.stdout.write(`${COUNT} altered, ${accepted.length} accepted, ${tried.size} kinds; seed ${SEED}\n`)
  expect(accepted).toEqual([])
  expect(tried.size).toBe(all)
})
