// The rent of a token account that keeps receiving dust: how long its close waits.
import { expect, test } from 'vitest'
import type { AccountState } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { createRentSubject } from '#services/transfers/rent-subject.ts'
import { MINT } from '../../support/example-intent.ts'
import { NOW, RENT, sweepOf, units } from '../../support/payment.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const refuse = async () => {
  throw new Error('nothing is booked here')
}

test.each([
  ['at once', 0, 15 * MINUTE_MS],
  ['after an hour', 60 * MINUTE_MS, 60 * MINUTE_MS],
  ['after a month', 30 * DAY_MS, DAY_MS],
])(
  'a close that finds dust %s waits as long as it has waited, from 15 minutes to a day',
  async (_, waitedMs, afterMs) => {
    const subject = createRentSubject({
      kind: 'rent',
      transfers: { finish: refuse, hold: refuse, recordAttempt: refuse },
      clock: { now: () => new Date(NOW.getTime() + waitedMs) },
    })
    const transfer = sweepOf({ kind: 'rent', asset: MINT, legs: [], createdAt: NOW })
    const one = { transfer, lease: { transferId: transfer.id, fence: 1n } }
    const token = {
      mint: MINT,
      owner: transfer.source,
      amount: units(1n),
      frozen: false,
      delegation: null,
      withheld: null,
    }
    const source = { lamports: makeLamports(2_039_280n), owner: MINT, token } as unknown as AccountState
    const rent = { wallet: makeLamports(RENT), tokenAccount: makeLamports(2_039_280n) }
    const view = {
      slot: 1n,
      source,
      destinations: new Map(),
      receivers: new Map(),
      feePayerLamports: makeLamports(10n ** 9n),
      rent,
    }
    const judge = await subject.readChecks('live', [one] as never)
    expect(await judge(one as never, view as never)).toMatchObject({ afterMs })
  },
)
