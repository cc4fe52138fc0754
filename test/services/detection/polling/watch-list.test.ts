// The accounts of an intent that are watched, and how often.
import { describe, expect, test } from 'vitest'
import { type Address, SOL } from '#core/chain/types.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import { accountsOf, expectedAccountsOf, otherAccountsOf, paceOf } from '#services/detection/polling/watch-list.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo, context, later, NOW, OTHER_MINT } from '../../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../../support/toy-chain.ts'
import { watched } from '../../../support/watcher-world.ts'

describe('the accounts to watch', () => {
  const { tokens } = context()
  const sol = { account: addressNo(1), asset: SOL }
  const tokenOf = (asset: Address) => ({ account: tokenAccountOf(addressNo(1), asset), asset })

  test('are the address itself and its account of every accepted token', async () => {
    const all = watched(1, { acceptedAssets: [SOL, MINT, OTHER_MINT] })
    expect(await expectedAccountsOf(all, toyKeys, tokens)).toEqual([sol, tokenOf(MINT), tokenOf(OTHER_MINT)])
    expect(await otherAccountsOf(all, toyKeys, tokens)).toEqual([])
    // SOL can arrive by mistake on every intent.
    const one = watched(1, { acceptedAssets: [MINT] })
    expect(await expectedAccountsOf(one, toyKeys, tokens)).toEqual([sol, tokenOf(MINT)])
  })

  test('include every other token on the allowlist, which is returned when it arrives', async () => {
    const one = watched(1, { acceptedAssets: [MINT] })
    expect(await otherAccountsOf(one, toyKeys, tokens)).toEqual([tokenOf(OTHER_MINT)])
    expect(await accountsOf(one, toyKeys, tokens)).toEqual([sol, tokenOf(MINT), tokenOf(OTHER_MINT)])
    const off = new Map([...tokens].map(([asset, token]) => [asset, { ...token, enabled: false }] as const))
    expect(await otherAccountsOf(one, toyKeys, off)).toEqual([])
  })
})

describe('a pace', () => {
  const paces: Readonly<Record<IntentStatus, string>> = {
    pending: 'idle',
    underpaid: 'busy',
    paid: 'closing',
    overpaid: 'closing',
    settling: 'closing',
    refunding: 'closing',
    swept: 'closing',
    refunded: 'closing',
    cancelled: 'closing',
    settle_failed: 'closing',
    refund_failed: 'closing',
  }
  test.each(INTENT_STATUSES)('is that of an intent that is %s', (status) => {
    expect(paceOf(watched(1, { status }), NOW)).toBe(paces[status])
    const aged = (seconds: number) => paceOf(watched(1, { status }), later(seconds))
    const hasEnded = ['swept', 'refunded', 'cancelled', 'settle_failed', 'refund_failed'].includes(status)
    expect(aged(600)).toBe(hasEnded ? 'ended' : paces[status])
    expect(aged(24 * 3_600)).toBe(hasEnded ? 'old' : paces[status])
  })

  test('is busy when the buyer has selected a token', () => {
    expect(paceOf(watched(1, { asset: SOL }), NOW)).toBe('busy')
  })
})
