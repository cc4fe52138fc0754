// How much the fee payer spends on approves, and how many of one page and of one wallet no one signs.
import { describe, expect, test } from 'vitest'
import {
  MORE_SIGNED_FOR_A_PAID,
  MOST_SIGNED_OF_WALLET,
  MOST_UNSIGNED,
  MOST_UNSIGNED_OF_WALLET,
  sponsoringLimit,
  sponsoringSince,
} from '#core/billing/sponsoring.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { later, NOW } from '../../support/payment.ts'

type Use = Parameters<typeof sponsoringLimit>[0]
type Asked = Parameters<typeof sponsoringLimit>[1]

const NOTHING: Use = {
  spent: 0n,
  spentOfBusiness: 0n,
  unsignedOfPage: [],
  unsignedWithBusiness: [],
  unsignedOfWallet: [],
  signedOfWallet: [],
  paidOfWallet: 0,
}
const ASKED: Asked = {
  cost: makeLamports(10n),
  perDay: makeLamports(100n),
  isForCheckout: false,
  isPinned: false,
  isProven: false,
  now: NOW,
}
const limit = (use: Partial<Use>, asked: Partial<Asked> = {}) =>
  sponsoringLimit({ ...NOTHING, ...use }, { ...ASKED, ...asked })

/** So many times, the newest now and the others a minute apart. */
const times = (count: number) => Array.from({ length: count }, (_, at) => later(-60 * at))

describe('the budget of 24 hours', () => {
  const budget = { until: later(600), isLiftedByProof: false }

  test.each([
    ['all businesses may spend it whole', { spent: 90n }, {}, null],
    ['and not one lamport more', { spent: 91n }, {}, budget],
    ['one business may spend half of it', { spent: 40n, spentOfBusiness: 40n }, {}, null],
    ['and not one lamport more', { spent: 41n, spentOfBusiness: 41n }, {}, budget],
    ['a checkout may use three quarters of it', { spent: 65n }, { isForCheckout: true }, null],
    ['and not one lamport more', { spent: 66n }, { isForCheckout: true }, budget],
    ['and as much of the half of its business', { spentOfBusiness: 27n }, { isForCheckout: true }, null],
    ['and not one lamport more', { spentOfBusiness: 28n }, { isForCheckout: true }, budget],
    ['no budget is for no approve', {}, { perDay: makeLamports(0n) }, budget],
    ['a signed text does not raise it', { spent: 91n }, { isProven: true }, budget],
    ['nor the half of one business', { spentOfBusiness: 41n }, { isProven: true }, budget],
  ] satisfies [string, Partial<Use>, Partial<Asked>, ReturnType<typeof limit>][])(
    '%s',
    (_rule, use, asked, expected) => {
      expect(limit(use, asked)).toEqual(expected)
    },
  )
})

describe('approves that no one signed', () => {
  const freeAfter = (count: number) => later(3_600 - 60 * (count - 1))
  const byPage = { until: freeAfter(MOST_UNSIGNED), isLiftedByProof: false }
  const byBusiness = { until: freeAfter(MOST_UNSIGNED), isLiftedByProof: true }
  const byWallet = { until: freeAfter(MOST_UNSIGNED_OF_WALLET), isLiftedByProof: true }
  const [fewOfPage, mostOfPage] = [times(MOST_UNSIGNED - 1), times(MOST_UNSIGNED)]
  const [fewOfWallet, mostOfWallet] = [times(MOST_UNSIGNED_OF_WALLET - 1), times(MOST_UNSIGNED_OF_WALLET)]

  test.each([
    ['a page may have four more than one', { unsignedOfPage: fewOfPage }, {}, null],
    ['a page with five waits until the oldest is an hour old', { unsignedOfPage: mostOfPage }, {}, byPage],
    ['also after a signed text, since which they count', { unsignedOfPage: mostOfPage }, { isProven: true }, byPage],
    ['a wallet may have four with a business', { unsignedWithBusiness: fewOfPage }, {}, null],
    ['a wallet with five signs a text', { unsignedWithBusiness: mostOfPage }, {}, byBusiness],
    ['not where the business has given the wallet', { unsignedWithBusiness: mostOfPage }, { isPinned: true }, null],
    ['nor after that text', { unsignedWithBusiness: mostOfPage }, { isProven: true }, null],
    ['a wallet may have nine with all', { unsignedOfWallet: fewOfWallet }, {}, null],
    ['a wallet with ten signs a text', { unsignedOfWallet: mostOfWallet }, {}, byWallet],
    ['also where the business has given the wallet', { unsignedOfWallet: mostOfWallet }, { isPinned: true }, byWallet],
    ['not after that text', { unsignedOfWallet: mostOfWallet }, { isProven: true }, null],
    ['the limit that lasts longest counts', { unsignedOfPage: mostOfPage, unsignedOfWallet: mostOfWallet }, {}, byPage],
  ] satisfies [string, Partial<Use>, Partial<Asked>, ReturnType<typeof limit>][])(
    '%s',
    (_rule, use, asked, expected) => {
      expect(limit(use, asked)).toEqual(expected)
    },
  )
})

describe('approves that the wallet signed', () => {
  const most = MOST_SIGNED_OF_WALLET
  const until = later(86_400 - 60 * (most - 1))
  const more = MORE_SIGNED_FOR_A_PAID

  test.each([
    ['a wallet may have nine', { signedOfWallet: times(most - 1) }, {}, null],
    ['with ten it waits until the oldest is a day old', { signedOfWallet: times(most) }, {}, until],
    ['also after a signed text', { signedOfWallet: times(most) }, { isProven: true }, until],
    ['and where the business has given the wallet', { signedOfWallet: times(most) }, { isPinned: true }, until],
    ['a subscription that has paid allows two more', { signedOfWallet: times(most + 1), paidOfWallet: 1 }, {}, null],
    ['and not three', { signedOfWallet: times(most + 2), paidOfWallet: 1 }, {}, later(86_400 - 60 * (most + 1))],
    ['each of fifty does', { signedOfWallet: times(most + 50 * more - 1), paidOfWallet: 50 }, {}, null],
    [
      'the text does not help when more is reached',
      { signedOfWallet: times(most), unsignedOfWallet: times(10) },
      {},
      until,
    ],
  ] satisfies [string, Partial<Use>, Partial<Asked>, Date | null][])('%s', (_rule, use, asked, expected) => {
    expect(limit(use, asked)).toEqual(expected === null ? null : { until: expected, isLiftedByProof: false })
  })
})

test('the budget is that of a day, and unsigned approves count for an hour, on a page since the proof of the wallet', () => {
  const [spent, unsigned] = [later(-86_400), later(-3_600)]
  expect(sponsoringSince(NOW, null)).toEqual({ spent, unsigned, unsignedOfPage: unsigned })
  expect(sponsoringSince(NOW, later(-60))).toEqual({ spent, unsigned, unsignedOfPage: later(-60) })
  expect(sponsoringSince(NOW, later(-7_200))).toEqual({ spent, unsigned, unsignedOfPage: unsigned })
})
