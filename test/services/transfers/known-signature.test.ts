// The transaction by which a provider proves that it kept its history, while the ledger is still empty.
import { expect, test } from 'vitest'
import { newestSignature } from '#services/transfers/known-signature.ts'
import { addressNo, signatureNo } from '../../support/payment.ts'

const listing = (...finals: readonly boolean[]) => ({
  signatures: async () => ({
    entries: finals.map((final, at) => ({ signature: signatureNo(at), slot: 1n, failed: false, final })),
    next: null,
  }),
})

test('it is the newest final transaction of the fee payer', async () => {
  expect(await newestSignature(listing(false, true, true), addressNo(1))).toBe(signatureNo(1))
})

test('a fee payer whose first transaction is not final asks the caller to try again', async () => {
  await expect(newestSignature(listing(false), addressNo(1))).rejects.toMatchObject({ code: 'chain_unavailable' })
})
