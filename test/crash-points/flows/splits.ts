// Payments for a seller, whose settlement is split between the seller, its marketplace and the platform.
import { type Asset, SOL } from '#core/chain/types.ts'
import { makeBasisPoints } from '#core/money/amounts.ts'
import type { Payee } from '#core/payments/change.ts'
import { MERCHANT, MINT, pendingIntent } from '../../support/example-intent.ts'
import { MARKETPLACE, NETWORK_FEE, PAYEE } from '../../support/payment.ts'
import type { Flow, Step } from '../flow.ts'
import { EMPTY_FEE_WALLET, NEW_FEE_WALLET, NEW_PAYOUT } from '../world.ts'
import { change, chose, EXCESS, fates, PRICE, pay, SENT, SENT_TOKEN, SWEPT, untilStatus } from './steps.ts'

const sellerOf = (feeDestination: Payee['sweepDestination'], sweepDestination = MERCHANT): Payee => ({
  ...PAYEE,
  sweepDestination,
  marketplace: { feeDestination },
})
const CUT_BPS = 1_500
const CUT = (PRICE * BigInt(CUT_BPS)) / 10_000n
/** A cut below the rent minimum of a wallet. */
const SMALL_CUT_BPS = 400
/** A cut above the rent minimum of a wallet, and below twice of it. */
const CUT_OF_ONE_RENT_BPS = 600
const CUT_OF_ONE_RENT = (PRICE * BigInt(CUT_OF_ONE_RENT_BPS)) / 10_000n
/** The platform takes one percent. */
const PLATFORM_CUT = PRICE / 100n
const PARTS = {
  'merchant SOL': PRICE - CUT - PLATFORM_CUT - NETWORK_FEE,
  'marketplace SOL': CUT,
  'platform SOL': PLATFORM_CUT,
  'buyer SOL': -PRICE - SENT,
}

const soldAt = (asset: Asset, bps: number): Flow['intent'] => ({
  ...chose(asset),
  marketplaceFeeBps: makeBasisPoints(bps),
})

/** Seller and marketplace name other wallets, when the settlement is planned. */
const nameOthers: Step = change(({ records }) =>
  records.namePayee(pendingIntent.id, sellerOf(NEW_FEE_WALLET, NEW_PAYOUT)),
)

export function splits(): readonly Flow[] {
  const ofSol = (
    name: string,
    steps: readonly Step[],
    failed: number,
    money: Readonly<Record<string, bigint>>,
  ): Flow => ({
    name,
    intent: soldAt(SOL, CUT_BPS),
    payee: sellerOf(MARKETPLACE),
    lanes: [steps],
    endings: [
      {
        status: 'swept',
        events: SWEPT,
        transfers: [...Array<string>(failed).fill('sweep failed'), 'sweep done'],
        money,
      },
    ],
  })
  const paid = pay(SOL, PRICE)
  return [
    ofSol('a SOL payment for a seller', [paid], 0, PARTS),
    ofSol('a SOL payment for a seller whose first transaction is lost permanently', [fates('is lost'), paid], 0, PARTS),
    ofSol('a SOL payment for a seller whose first transaction fails on chain', [fates('fails'), paid], 1, PARTS),
    {
      ...ofSol('a SOL payment for a seller that is too large', [pay(SOL, PRICE + EXCESS)], 0, PARTS),
      endings: [
        { status: 'swept', events: ['overpaid', 'settling', 'swept'], transfers: ['sweep done'], money: PARTS },
      ],
    },
    ofSol(
      'a SOL payment for a seller that names another wallet after the plan, before the second transaction',
      [fates('is lost'), paid, untilStatus('settling'), nameOthers],
      0,
      PARTS,
    ),
    {
      ...ofSol('a SOL payment for a seller whose marketplace cannot take its cut', [paid], 1, {
        'merchant SOL': PRICE - PLATFORM_CUT - NETWORK_FEE,
        'platform SOL': PLATFORM_CUT,
        'buyer SOL': -PRICE - SENT,
      }),
      intent: soldAt(SOL, SMALL_CUT_BPS),
      payee: sellerOf(EMPTY_FEE_WALLET),
    },
    {
      ...ofSol(
        'a SOL payment for a seller whose marketplace has an empty wallet, before whose landing the rent doubles',
        [fates('rent doubles'), paid],
        2,
        {
          'merchant SOL': PRICE - PLATFORM_CUT - NETWORK_FEE,
          'platform SOL': PLATFORM_CUT,
          'buyer SOL': -PRICE - SENT,
        },
      ),
      intent: soldAt(SOL, CUT_OF_ONE_RENT_BPS),
      payee: sellerOf(EMPTY_FEE_WALLET),
    },
    {
      ...ofSol(
        'a SOL payment for a seller whose marketplace has an empty wallet, before whose landing the rent halves',
        [fates('rent halves'), paid],
        0,
        {
          'merchant SOL': PRICE - CUT_OF_ONE_RENT - PLATFORM_CUT - NETWORK_FEE,
          'emptyFeeWallet SOL': CUT_OF_ONE_RENT,
          'platform SOL': PLATFORM_CUT,
          'buyer SOL': -PRICE - SENT,
        },
      ),
      intent: soldAt(SOL, CUT_OF_ONE_RENT_BPS),
      payee: sellerOf(EMPTY_FEE_WALLET),
    },
    ...(['rent doubles', 'rent halves'] as const).map(
      (fate): Flow => ({
        name: `a token payment whose payout makes an account, before whose landing the ${fate}`,
        intent: soldAt(MINT, CUT_BPS),
        payee: sellerOf(MARKETPLACE, NEW_PAYOUT),
        lanes: [[fates(fate), pay(MINT, PRICE)]],
        endings: [
          {
            status: 'swept',
            events: SWEPT,
            transfers: ['sweep done', 'rent done'],
            money: { 'newPayout USDC': PRICE, 'buyer SOL': -SENT_TOKEN, 'buyer USDC': -PRICE },
          },
        ],
      }),
    ),
    {
      name: 'a token payment for a seller and its rent',
      intent: soldAt(MINT, CUT_BPS),
      payee: sellerOf(MARKETPLACE),
      lanes: [[pay(MINT, PRICE)]],
      endings: [
        {
          status: 'swept',
          events: SWEPT,
          transfers: ['sweep done', 'rent done'],
          money: { 'merchant USDC': PRICE, 'buyer SOL': -SENT_TOKEN, 'buyer USDC': -PRICE },
        },
      ],
    },
  ]
}
