// The transaction by which a provider proves that it kept its history.
import { describe, expect, test } from 'vitest'
import { knownSignatureOf, newestSignature } from '#services/transfers/known-signature.ts'
import { addressNo, later, NOW, signatureNo } from '../../support/payment.ts'

const listing = (...numbers: readonly number[]) => ({
  signatures: async () => ({
    entries: numbers.map((number) => ({ signature: signatureNo(number), slot: 1n, failed: false })),
    next: null,
  }),
})

test('it is the newest final transaction of the fee payer', async () => {
  expect(await newestSignature(listing(2, 1), addressNo(1))).toBe(signatureNo(2))
})

test('a fee payer whose first transaction is not final asks the caller to try again', async () => {
  await expect(newestSignature(listing(), addressNo(1))).rejects.toMatchObject({ code: 'chain_unavailable' })
})

describe('the required transaction of an attempt', () => {
  const DAY = 24 * 60 * 60
  const booked = { signature: signatureNo(900), slot: 1_000n, at: NOW }
  const known = (slots: readonly bigint[], now: Date) => {
    let asked = 0
    const signatures = async () => {
      asked += 1
      const entries = slots.map((at) => ({ signature: signatureNo(Number(at)), slot: at, failed: false }))
      return { entries, next: null }
    }
    return knownSignatureOf({ signatures }, addressNo(1), booked, now).then((signature) => ({ signature, asked }))
  }

  test('is the newest of the ledger for a day, and no provider is asked for another', async () => {
    expect(await known([5_000n], later(DAY))).toEqual({ signature: booked.signature, asked: 0 })
  })

  test('is the newest of the fee payer after a day, so that a provider that pruned the ledger’s still proves its history', async () => {
    expect(await known([5_000n, 500n], later(DAY + 1))).toEqual({ signature: signatureNo(5_000), asked: 1 })
  })

  test.each([[[500n]], [[]]])(
    'stays the newest of the ledger when the fee payer has no newer one: %o',
    async (slots) => {
      expect(await known(slots, later(DAY + 1))).toMatchObject({ signature: booked.signature })
    },
  )
})
