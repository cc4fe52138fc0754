import { describe, expect, test } from 'vitest'
import { makeAddress } from '#core/chain/base58.ts'
import { type AccountState, type Address, SOL } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { judgeTransfer, type PreflightFacts } from '#core/payments/machine/preflight.ts'
import { custodianText } from '#core/payments/obstacle.ts'
import type { LegRole, PaymentTransfer } from '#core/payments/transfers.ts'
import { FEE_ALLOWANCE } from '#core/transfers/plan.ts'
import { coversLegs, judgeClose, SYSTEM_PROGRAM } from '#core/transfers/preflight.ts'

import { MERCHANT, MINT, pendingIntent } from '../../../support/example-intent.ts'
import {
  addressNo,
  BUYER,
  FEE_PAYER,
  later,
  leg,
  NOW,
  sweepOf,
  TOKEN_PROGRAM,
  units,
} from '../../../support/payment.ts'

const RENT = { wallet: 890_880n, tokenAccount: 2_039_280n }
const wallet = (lamports: bigint, ownerProgram: Address = makeAddress(SYSTEM_PROGRAM)): AccountState => ({
  lamports: makeLamports(lamports),
  ownerProgram,
  token: null,
})
const account = (owner: Address): AccountState => {
  const { token, ...state } = tokens(0n)
  return { ...state, token: token && { ...token, owner } }
}
const tokens = (amount: bigint, patch: { frozen?: boolean; withheld?: bigint } = {}): AccountState => ({
  ...wallet(RENT.tokenAccount, TOKEN_PROGRAM),
  token: {
    mint: MINT,
    owner: pendingIntent.address,
    amount: units(amount),
    frozen: patch.frozen ?? false,
    withheld: units(patch.withheld ?? 0n),
    delegation: null,
    closeAuthority: null,
  },
})

const facts = (patch: Partial<PreflightFacts> = {}): PreflightFacts => ({
  transfer: sweepOf({ legs: [leg('merchant', MERCHANT, 995_000n), leg('network_fee', FEE_PAYER, 5_000n)] }),
  source: wallet(1_000_000n),
  destinations: new Map([
    [MERCHANT, wallet(RENT.wallet)],
    [FEE_PAYER, wallet(10n ** 9n)],
  ]),
  receivers: new Map(),
  feePayerLamports: 10n ** 9n,
  rent: RENT,
  rates: null,
  unpricedSince: null,
  computeUnitPrice: 0n,
  now: NOW,
  custodians: new Map(),
  isLast: false,
  ...patch,
})
const GO = { go: true }

describe('before a transfer is signed', () => {
  test('it is sent when the final balance covers it and every wallet can take its leg', () => {
    expect(judgeTransfer(facts())).toEqual(GO)
    expect(judgeTransfer(facts({ transfer: tokenSweep(), source: tokens(700n) }))).toEqual(GO)
  })
  const tokenSweep = () =>
    sweepOf({ asset: MINT, tokenProgram: TOKEN_PROGRAM, legs: [leg('merchant', MERCHANT, 700n)] })

  test('it waits while the final balance is short by one unit, or the account does not exist', () => {
    for (const source of [wallet(999_999n), null]) {
      expect(judgeTransfer(facts({ source }))).toMatchObject({ go: false, because: 'later' })
    }
    for (const source of [tokens(699n), null]) {
      expect(judgeTransfer(facts({ transfer: tokenSweep(), source }))).toMatchObject({ go: false, because: 'later' })
    }
  })

  test('an empty fee payer stops new attempts until it is funded', () => {
    const verdict = { go: false, because: 'later', reason: 'The fee payer has too little SOL: fund it.' }
    // The fee payer must keep its own rent minimum in addition.
    expect(judgeTransfer(facts({ feePayerLamports: RENT.wallet + FEE_ALLOWANCE - 1n }))).toEqual(verdict)
    expect(judgeTransfer(facts({ feePayerLamports: RENT.wallet + FEE_ALLOWANCE }))).toEqual(GO)
    const token = facts({ transfer: tokenSweep(), source: tokens(700n) })
    const needed = RENT.wallet + FEE_ALLOWANCE + RENT.tokenAccount
    expect(judgeTransfer({ ...token, feePayerLamports: needed - 1n })).toEqual(verdict)
    expect(judgeTransfer({ ...token, feePayerLamports: needed })).toEqual(GO)
  })

  test('a frozen source is held for a person', () => {
    const source = tokens(700n, { frozen: true })
    expect(judgeTransfer(facts({ transfer: tokenSweep(), source }))).toMatchObject({ go: false, because: 'held' })
  })

  test('SOL that would leave an empty wallet below the rent minimum waits, and is held when nothing has filled the wallet', () => {
    const to = (amount: bigint, state: AccountState | null, now = NOW) =>
      judgeTransfer(
        facts({
          now,
          transfer: sweepOf({ legs: [leg('merchant', MERCHANT, amount)] }),
          source: wallet(amount),
          destinations: new Map([[MERCHANT, state]]),
        }),
      )
    const reason = `${MERCHANT} is empty and would hold less than the chain’s minimum.`
    expect(to(RENT.wallet - 1n, null)).toEqual({ go: false, because: 'later', reason })
    expect(to(RENT.wallet - 1n, null, later(119))).toEqual({ go: false, because: 'later', reason })
    expect(to(RENT.wallet - 1n, null, later(120))).toEqual({ go: false, because: 'held', reason })
    expect(to(RENT.wallet, null)).toEqual(GO)
    expect(to(1n, wallet(RENT.wallet))).toEqual(GO)
  })

  test('tokens may go to an empty wallet, whose token account is created', () => {
    const destinations = new Map([[MERCHANT, null]])
    expect(judgeTransfer(facts({ transfer: tokenSweep(), source: tokens(700n), destinations }))).toEqual(GO)
  })

  test('a wallet of a business that has become a program is held, and a cut for one is given up', () => {
    const program = wallet(10n ** 9n, makeAddress('BPFLoaderUpgradeab1e11111111111111111111111'))
    const transfer = sweepOf({
      legs: [
        leg('seller', MERCHANT, 900_000n),
        leg('marketplace', BUYER, 95_000n),
        leg('network_fee', FEE_PAYER, 5_000n),
      ],
    })
    const to = (seller: AccountState, marketplace: AccountState) =>
      judgeTransfer(
        facts({
          transfer,
          destinations: new Map([
            [MERCHANT, seller],
            [BUYER, marketplace],
            [FEE_PAYER, wallet(10n ** 9n)],
          ]),
        }),
      )
    const vault = wallet(10n ** 9n, addressNo(77))
    expect(to(program, vault)).toMatchObject({ because: 'held', reason: expect.stringContaining(MERCHANT) })
    expect(to(vault, program)).toMatchObject({ because: 'undeliverable', legs: [{ destination: BUYER }] })
    expect(to(vault, vault)).toEqual(GO)
  })

  test('a release that cannot arrive at its address is withdrawn, and a vault is allowed as its address', () => {
    const release = sweepOf({ legs: [leg('release', BUYER, 100_000n), leg('network_fee', FEE_PAYER, 900_000n)] })
    const to = (state: AccountState | null) =>
      judgeTransfer(
        facts({
          transfer: release,
          destinations: new Map([
            [BUYER, state],
            [FEE_PAYER, wallet(10n ** 9n)],
          ]),
        }),
      )
    expect(to(null)).toMatchObject({ go: false, because: 'undeliverable', legs: [{ destination: BUYER }] })
    expect(to(wallet(5n * RENT.wallet, addressNo(77)))).toEqual(GO)
  })

  describe('a sender who cannot take a refund is named, so that the other legs are sent without it', () => {
    const both = sweepOf({ legs: [leg('merchant', MERCHANT, 900_000n), leg('refund', BUYER, 100_000n)] })
    const refundTo = (state: AccountState | null, receivers: PreflightFacts['receivers'] = new Map()) =>
      judgeTransfer(facts({ transfer: both, destinations: new Map([[BUYER, state]]), receivers }))
    const undeliverable = { go: false, because: 'undeliverable', legs: [{ destination: BUYER }] }
    const program = wallet(5n * RENT.wallet, addressNo(77))

    test('an account that a program owns', () => {
      expect(refundTo(program)).toMatchObject(undeliverable)
      expect(refundTo(wallet(5n * RENT.wallet))).toEqual(GO)
    })

    test('an empty wallet that would contain less SOL than the rent minimum', () => {
      expect(refundTo(null)).toMatchObject(undeliverable)
      const enough = sweepOf({ legs: [leg('refund', BUYER, RENT.wallet)] })
      const known = facts({ transfer: enough, source: wallet(RENT.wallet), destinations: new Map([[BUYER, null]]) })
      expect(judgeTransfer(known)).toEqual(GO)
    })

    test.each([
      ['another’s', { owner: addressNo(78) }],
      ['frozen', { owner: BUYER, frozen: true }],
    ])('a wallet whose token account is %s', (_, patch) => {
      const account = tokens(0n)
      const receiver = { ...account, token: account.token && { ...account.token, ...patch } }
      const token = { asset: MINT, tokenProgram: TOKEN_PROGRAM }
      const known = (role: LegRole) =>
        facts({
          transfer: sweepOf({ ...token, legs: [leg(role, BUYER, 700n)] }),
          source: tokens(700n),
          receivers: new Map([[BUYER, receiver]]),
        })
      expect(judgeTransfer(known('refund'))).toMatchObject(undeliverable)
      // A problem with the business's own account needs a person.
      expect(judgeTransfer(known('merchant'))).toMatchObject({ go: false, because: 'held' })
    })

    test('all of them at once', () => {
      const legs = [leg('refund', BUYER, 400_000n), leg('refund', addressNo(5), 600_000n)]
      const known = facts({ transfer: sweepOf({ legs }), destinations: new Map() })
      expect(judgeTransfer(known)).toMatchObject({
        because: 'undeliverable',
        legs: [{ destination: BUYER }, { destination: addressNo(5) }],
      })
    })

    test('but a business may be paid at any account', () => {
      const sale = sweepOf({ legs: [leg('merchant', MERCHANT, 1_000_000n)] })
      expect(judgeTransfer(facts({ transfer: sale, destinations: new Map([[MERCHANT, program]]) }))).toEqual(GO)
    })
  })

  test.each(['marketplace', 'platform'] as const)(
    'a %s whose wallet cannot take its cut is named, so that it is waived',
    (role) => {
      const legs = [leg('seller', MERCHANT, 990_000n), leg(role, addressNo(9), 10_000n)]
      const known = facts({ transfer: sweepOf({ legs }), destinations: new Map([[MERCHANT, wallet(RENT.wallet)]]) })
      expect(judgeTransfer(known)).toMatchObject({
        because: 'undeliverable',
        legs: [{ role, destination: addressNo(9) }],
      })
    },
  )

  describe('the legs of one empty wallet count together', () => {
    const shared = addressNo(9)
    const split = (to: Address, cuts: readonly [bigint, bigint]) => {
      const [cut, platform] = cuts
      const legs = [
        leg('seller', MERCHANT, RENT.wallet),
        leg('marketplace', to, cut),
        leg('platform', shared, platform),
      ]
      const source = wallet(RENT.wallet + cut + platform)
      return judgeTransfer(facts({ transfer: sweepOf({ legs }), source, destinations: new Map() }))
    }

    test('so a small cut arrives with the other cut, and both are named when they are too small together', () => {
      expect(split(shared, [1n, RENT.wallet - 1n])).toEqual(GO)
      expect(split(shared, [1n, RENT.wallet - 2n])).toMatchObject({
        because: 'undeliverable',
        legs: [{ role: 'marketplace' }, { role: 'platform' }],
      })
    })

    test('so a small cut for the seller’s wallet arrives with the seller’s leg', () => {
      expect(split(MERCHANT, [1n, RENT.wallet])).toEqual(GO)
      expect(split(MERCHANT, [1n, RENT.wallet - 1n])).toMatchObject({ legs: [{ role: 'platform' }] })
    })

    test('so no cut is waived for a seller’s wallet that gets too little: the transfer waits', () => {
      const legs = [leg('seller', MERCHANT, 10n), leg('marketplace', MERCHANT, 5n)]
      const known = facts({ transfer: sweepOf({ legs }), source: wallet(15n), destinations: new Map() })
      expect(judgeTransfer(known)).toMatchObject({ because: 'later' })
    })
  })

  test('the rent reserve goes last, and then takes all or leaves the rent minimum of held money', () => {
    const rest = {
      ...sweepOf({ legs: [leg('merchant', MERCHANT, RENT.wallet)] }),
      key: 'sweep:intent:42:4:rest',
      portion: 'rent_reserve',
    } as const
    const having = (lamports: bigint, isLast = true) =>
      judgeTransfer(facts({ transfer: rest, source: wallet(lamports), isLast }))
    expect(having(RENT.wallet, false)).toMatchObject({ go: false, because: 'later' })
    expect(having(RENT.wallet)).toEqual(GO)
    expect(having(2n * RENT.wallet)).toEqual(GO)
    expect(having(2n * RENT.wallet - 1n)).toMatchObject({ go: false, because: 'outdated' })
  })

  test('a transfer of SOL is outdated when money arrived that cannot be left behind', () => {
    const having = (lamports: bigint) => judgeTransfer(facts({ source: wallet(lamports) }))
    for (const rest of [1n, RENT.wallet - 1n]) {
      expect(having(1_000_000n + rest)).toMatchObject({ go: false, because: 'outdated' })
    }
    expect(having(1_000_000n + RENT.wallet)).toEqual(GO)
    const more = facts({ transfer: tokenSweep(), source: tokens(701n) })
    expect(judgeTransfer(more)).toEqual(GO)
  })
})

describe('the cost of a refund', () => {
  /** A token of six decimals costs one dollar, SOL a hundred and fifty: a lamport is 0.00000015 dollars. */
  const rates = { asset: { mantissa: 1n, exponent: 0 }, sol: { mantissa: 15n, exponent: 1 } }
  const refundOf = (amount: bigint, known: Partial<PreflightFacts> = {}, patch: Partial<PaymentTransfer> = {}) =>
    judgeTransfer(
      facts({
        transfer: sweepOf({
          ...{ kind: 'refund', asset: MINT, decimals: 6, tokenProgram: TOKEN_PROGRAM },
          legs: [leg('refund', BUYER, amount)],
          ...patch,
        }),
        source: tokens(amount),
        destinations: new Map([[BUYER, wallet(RENT.wallet)]]),
        receivers: new Map([[BUYER, null]]),
        rates,
        ...known,
      }),
    )
  const withAccount = { receivers: new Map([[BUYER, account(BUYER)]]) }
  const held = (obstacle: string) => ({ because: 'undeliverable', legs: [{ destination: BUYER, obstacle }] })

  test('no account is created for a refund, whatever it is worth, and whether or not a price is known', () => {
    for (const known of [{}, { rates: null }]) expect(refundOf(10n ** 12n, known)).toMatchObject(held('no_account'))
    const prepaid = { receivers: new Map([[BUYER, wallet(RENT.wallet)]]) }
    expect(refundOf(10n ** 12n, prepaid)).toMatchObject(held('no_account'))
    expect(refundOf(10n ** 12n, withAccount)).toEqual(GO)
  })

  test('a transaction is made only for an amount worth more than its highest fee', () => {
    expect(refundOf(1_500n, withAccount)).toMatchObject(held('too_small'))
    expect(refundOf(1_500n)).toMatchObject(held('too_small'))
    expect(refundOf(1_501n, withAccount)).toEqual(GO)
    const sol = (amount: bigint) =>
      refundOf(amount, { source: wallet(amount), rates: null }, { asset: SOL, decimals: 9, tokenProgram: null })
    expect(sol(10_000n)).toMatchObject(held('too_small'))
    expect(sol(10_001n)).toEqual(GO)
  })

  test('the fee includes the priority fee of all legs, up to its limit', () => {
    const prices = { computeUnitPrice: 1_000_000n, ...withAccount }
    // A transaction with one leg uses at most 26,000 units, at a lamport each, and has two signatures.
    expect(refundOf(5_400n, prices)).toMatchObject(held('too_small'))
    expect(refundOf(5_401n, prices)).toEqual(GO)
    const legs = [leg('refund', BUYER, 5_401n), leg('refund', MERCHANT, 10n ** 9n)]
    expect(refundOf(10n ** 10n, prices, { legs })).toMatchObject({ legs: [held('too_small').legs[0], {}] })
    const highest = { computeUnitPrice: 10n ** 9n, ...withAccount }
    expect(refundOf(151_500n, highest)).toMatchObject(held('too_small'))
    expect(refundOf(151_501n, highest)).toEqual(GO)
  })

  test('without a price, a refund waits for an hour and is then held', () => {
    const unpriced = { ...withAccount, rates: null }
    for (const amount of [1n, 10n ** 12n]) {
      expect(refundOf(amount, { ...unpriced, now: later(3_599) })).toMatchObject({ because: 'later', isSlow: true })
      expect(refundOf(amount, { ...unpriced, now: later(3_600) })).toMatchObject(held('unpriced'))
    }
  })

  test('the hour without a price begins when no price is found, however long the refund has waited before', () => {
    const unpriced = { ...withAccount, rates: null, unpricedSince: later(7_200) }
    expect(refundOf(10n ** 12n, { ...unpriced, now: later(10_799) })).toMatchObject({ because: 'later', isSlow: true })
    expect(refundOf(10n ** 12n, { ...unpriced, now: later(10_800) })).toMatchObject(held('unpriced'))
  })

  test('the hour without a price does not begin before the refund is planned', () => {
    const unpriced = { ...withAccount, rates: null, unpricedSince: later(-7_200) }
    expect(refundOf(10n ** 12n, { ...unpriced, now: later(3_599) })).toMatchObject({ because: 'later', isSlow: true })
    expect(refundOf(10n ** 12n, { ...unpriced, now: later(3_600) })).toMatchObject(held('unpriced'))
  })

  test('a settlement does not wait for a price: a refund in it goes along, or is held when its account is missing', () => {
    const within = { kind: 'sweep' } as const
    expect(refundOf(1n, { ...withAccount, rates: null }, within)).toEqual(GO)
    expect(refundOf(1n, withAccount, within)).toEqual(GO)
    expect(refundOf(10n ** 12n, { rates: null }, within)).toMatchObject(held('no_account'))
    expect(refundOf(1_501n, {}, within)).toMatchObject(held('no_account'))
    expect(refundOf(1_500n, {}, within)).toMatchObject(held('too_small'))
  })

  test('nothing is returned to a wallet on the list of custodians, but other transfers may go there', () => {
    const known = { ...withAccount, custodians: new Map([[BUYER, 'An exchange']]) }
    expect(refundOf(10n ** 12n, known)).toMatchObject({
      ...held('custodian'),
      reason: custodianText(BUYER, 'An exchange'),
    })
    for (const role of ['merchant', 'release'] as const)
      expect(refundOf(10n ** 12n, known, { legs: [leg(role, BUYER, 10n ** 12n)] })).toEqual(GO)
  })

  test('what the buyer gets by the word of the business is judged as a refund, but waits for no price', () => {
    const buyer = { kind: 'release', legs: [leg('buyer', BUYER, 10n ** 12n)] } as const
    expect(refundOf(10n ** 12n, withAccount, buyer)).toEqual(GO)
    expect(refundOf(10n ** 12n, { ...withAccount, rates: null }, buyer)).toEqual(GO)
    for (const known of [{}, { rates: null }])
      expect(refundOf(10n ** 12n, known, buyer)).toMatchObject(held('no_account'))
    const small = { ...buyer, legs: [leg('buyer', BUYER, 1_500n)] }
    expect(refundOf(1_500n, withAccount, small)).toMatchObject(held('too_small'))
    const custodians = new Map([[BUYER, 'An exchange']])
    expect(refundOf(10n ** 12n, { ...withAccount, custodians }, buyer)).toMatchObject(held('custodian'))
    const destinations = new Map([[BUYER, wallet(RENT.wallet, addressNo(77))]])
    expect(refundOf(10n ** 12n, { ...withAccount, destinations }, buyer)).toMatchObject(held('not_a_wallet'))
    const keyless = { ...buyer, legs: [leg('buyer', addressNo(60), 10n ** 12n)] }
    expect(refundOf(10n ** 12n, { ...withAccount, destinations: new Map() }, keyless)).toMatchObject({
      because: 'undeliverable',
      legs: [{ destination: addressNo(60), obstacle: 'not_a_wallet' }],
    })
  })

  test('the business’s own account is created at any cost', () => {
    expect(refundOf(1n, {}, { legs: [leg('merchant', BUYER, 1n)] })).toEqual(GO)
    expect(refundOf(1n, {}, { legs: [leg('release', BUYER, 1n)] })).toEqual(GO)
  })
})

describe('whether the source still contains the money of a transfer', () => {
  test('depends on the balance of the asset', () => {
    const sol = sweepOf({ legs: [leg('merchant', MERCHANT, 900n), leg('network_fee', FEE_PAYER, 100n)] })
    expect([coversLegs(wallet(1_000n), sol), coversLegs(wallet(999n), sol), coversLegs(null, sol)]).toEqual([
      true,
      false,
      false,
    ])
    const token = sweepOf({ asset: MINT, tokenProgram: TOKEN_PROGRAM, legs: [leg('merchant', MERCHANT, 7n)] })
    expect([coversLegs(tokens(7n), token), coversLegs(tokens(6n), token), coversLegs(null, token)]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('before an emptied token account is closed', () => {
  const ENOUGH = FEE_ALLOWANCE + RENT.wallet
  const close = (source: AccountState | null, feePayerLamports = ENOUGH) =>
    judgeClose(source, { feePayerLamports, rent: RENT }).is

  test('it must exist, be empty and not frozen, and the fee payer must be able to pay', () => {
    expect(close(tokens(0n))).toBe('go')
    expect(close(null, 0n)).toBe('nothing')
    expect(close(tokens(1n))).toBe('later')
    expect(close(tokens(0n, { frozen: true }))).toBe('held')
    expect(close(tokens(0n), ENOUGH - 1n)).toBe('later')
  })

  test('SOL has no token account to close', () => {
    expect(sweepOf().asset).toBe(SOL)
    expect(close(wallet(1n))).toBe('later')
  })
})
