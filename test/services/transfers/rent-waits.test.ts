// The rent of a token account that cannot be closed yet: how long its close waits.
import { expect, test } from 'vitest'
import type { AccountState, Address } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { createRentSubject } from '#services/transfers/rent-subject.ts'
import { MINT } from '../../support/example-intent.ts'
import { addressNo, later, NOW, RENT, sweepOf, TOKEN_PROGRAM, units } from '../../support/payment.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const TOKEN_RENT = makeLamports(2_039_280n)

const refuse = async () => {
  throw new Error('nothing is booked here')
}

/** Returns the seconds that a close waits, so many seconds after it was planned. */
async function waitOf(
  age: number,
  tokens: bigint,
  feePayerLamports: bigint,
  closeAuthority: (owner: Address) => Address | null = () => null,
): Promise<unknown> {
  const ended: string[] = []
  const subject = createRentSubject({
    kind: 'rent',
    transfers: { finish: async (_lease, { status }) => ended.push(status) > 0, hold: refuse, recordAttempt: refuse },
    clock: { now: () => later(age) },
  })
  const transfer = sweepOf({ kind: 'rent', asset: MINT, legs: [], createdAt: NOW })
  const source: AccountState = {
    lamports: TOKEN_RENT,
    ownerProgram: TOKEN_PROGRAM,
    token: {
      mint: MINT,
      owner: transfer.source,
      amount: units(tokens),
      frozen: false,
      withheld: units(0n),
      delegation: null,
      closeAuthority: closeAuthority(transfer.source),
    },
  }
  const view = {
    slot: 1n,
    source,
    destinations: new Map(),
    receivers: new Map(),
    feePayerLamports,
    rent: { wallet: RENT, tokenAccount: TOKEN_RENT },
  }
  const one = { transfer, lease: { transferId: transfer.id, fence: 1n } }
  const judge = await subject.readChecks('live', [one], null)
  const verdict = await judge(one, view)
  return typeof verdict === 'object' ? verdict.afterMs / 1_000 : [verdict, ...ended].join(': ')
}

test.each([
  ['at once', 0, 15 * MINUTE],
  ['after an hour', HOUR, HOUR],
  ['after a month', 30 * DAY, DAY],
])('a close that finds dust %s waits as long as it has waited, from 15 minutes to a day', async (_, age, seconds) => {
  expect(await waitOf(age, 1n, 10n ** 9n)).toBe(seconds)
})

test('a close that the fee payer cannot pay for waits for 15 minutes each time', async () => {
  expect(await waitOf(30 * DAY, 0n, 0n)).toBe(15 * MINUTE)
  expect(await waitOf(30 * DAY, 0n, 10n ** 9n)).toBe('go')
})

test('an account that another wallet may close is left as it is: its rent is not collected', async () => {
  expect(await waitOf(0, 0n, 10n ** 9n, () => addressNo(7))).toBe('handled: done')
  expect(await waitOf(0, 0n, 10n ** 9n, (owner) => owner)).toBe('go')
})
