import { describe, expect } from 'vitest'
import { type Address, type Asset, SOL } from '#core/chain/types.ts'
import { INTENT_STATUSES, type IntentStatus } from '#core/payments/payment-intent.ts'
import type { WatchedIntent } from '#ports/payments.ts'
import {
  accountsOf,
  expectedAccountsOf,
  LAP_EVERY_MS,
  otherAccountsOf,
  paceOf,
} from '#services/detection/polling/watch-list.ts'
import { MINT } from '../../../support/example-intent.ts'
import { addressNo, context, later, NOW, OTHER_MINT } from '../../../support/payment.ts'
import { tokenAccountOf, toyKeys } from '../../../support/toy-chain.ts'
import { HOUR, lamports, SECOND, test, tokens, type WatcherWorld, watched } from '../../../support/watcher-world.ts'

// The intents that are watched, and what is read of each.
describe('watched intents', () => {
  describe('an allowed token that an intent does not accept', () => {
    const WRONG = tokenAccountOf(addressNo(1), MINT)
    const paidWrongly = async (world: WatcherWorld, patch: Partial<WatchedIntent> = {}) => {
      world.allowed = new Set([MINT])
      await world.load(watched(1, patch))
      await world.run()
      world.balances.set(WRONG, tokens(MINT, 7n))
    }
    const found = (world: WatcherWorld) => world.observed.map(({ intentId, changed }) => [intentId, changed])
    const THERE = [['intent-1', [{ account: WRONG, asset: MINT, balance: 7n, position: 0 }]]]

    test('is seen within a minute, for one call a minute for each hundred of them', async ({ world }) => {
      await paidWrongly(world)
      let reading = 0
      for (let seconds = 2; seconds <= 60; seconds += 2) {
        await world.run(2 * SECOND)
        if (world.reads.flat().includes(WRONG)) reading += 1
        if (world.observed.length > 0) break
      }
      expect(found(world)).toEqual(THERE)
      expect(reading).toBe(1)
    })

    test('is seen within an hour when the intent has ended', async ({ world }) => {
      await paidWrongly(world, { status: 'swept', updatedAt: later(-3_600) })
      await world.run(HOUR - SECOND)
      expect(world.observed).toEqual([])
      await world.run(SECOND)
      expect(found(world)).toEqual(THERE)
    })

    test('moves to slower paces together with its intent', async ({ world }) => {
      await paidWrongly(world, { status: 'swept' })
      world.balances.clear()
      await world.run(600 * SECOND)
      expect(await world.run(61 * SECOND)).toEqual([addressNo(1)])
    })

    test('is checked at once when the intent is checked by itself', async ({ world }) => {
      await paidWrongly(world)
      await world.watcher.checkOnce(['intent-1'])
      expect(world.observed).toMatchObject([
        { intentId: 'intent-1', changed: [{ account: WRONG, asset: MINT, balance: 7n }] },
      ])
    })

    describe.each([
      ['open', {}, 60 * SECOND],
      ['ended', { status: 'swept', updatedAt: later(-86_400) }, HOUR],
    ] satisfies [string, Partial<WatchedIntent>, number][])('of an %s intent that is loaded', (_, patch, lapMs) => {
      const LATER = tokenAccountOf(addressNo(1), OTHER_MINT)
      /** The reload job catches up once a minute. */
      const allow = async (world: WatcherWorld, assets: readonly Asset[]) => {
        world.allowed = new Set(assets)
        await world.watcher.catchUp()
      }

      test('is read after it is allowed', async ({ world }) => {
        await paidWrongly(world, patch)
        world.balances.set(LATER, tokens(OTHER_MINT, 9n))
        await allow(world, [MINT, OTHER_MINT])
        expect(await world.run(lapMs)).toEqual(expect.arrayContaining([WRONG, LATER]))
        expect(world.observed.flatMap(({ changed }) => changed)).toMatchObject([
          { account: WRONG, balance: 7n },
          { account: LATER, balance: 9n },
        ])
      })

      test('keeps its explained balance when another one is allowed', async ({ world }) => {
        await paidWrongly(world, patch)
        await world.run(lapMs)
        await allow(world, [OTHER_MINT, MINT])
        expect(await world.run(lapMs)).toContain(LATER)
        expect(world.observed).toEqual([])
      })

      test('is no longer read when it is removed from the allowlist', async ({ world }) => {
        await paidWrongly(world, patch)
        await allow(world, [])
        expect(await world.run(lapMs)).toEqual([addressNo(1)])
        await allow(world, [MINT])
        expect(await world.run(lapMs)).toContain(WRONG)
      })
    })

    test('costs a load of ended intents when the allowlist changes, and at no other time', async ({ world }) => {
      await paidWrongly(world)
      world.listed = []
      await world.watcher.catchUp()
      expect(world.listed).toEqual(['open'])
      world.allowed = new Set([MINT, OTHER_MINT])
      await world.watcher.catchUp()
      await world.watcher.catchUp()
      expect(world.listed).toEqual(['open', 'open', 'ended', 'open'])
    })
  })

  describe('an account notice', () => {
    test.beforeEach(async ({ world }) => {
      await world.load(
        watched(1, { asset: SOL, acceptedAssets: [SOL, MINT] }),
        watched(2),
        watched(3, { status: 'swept' }),
      )
      await world.run()
    })

    test('is subscribed to for the accounts of every intent that is not old, the most urgent first', async ({
      world,
    }) => {
      world.allowed = new Set([MINT])
      await world.load(
        watched(1, { status: 'swept', updatedAt: later(-2 * 86_400) }),
        watched(2, { status: 'swept', updatedAt: later(-3_600) }),
        watched(3, { status: 'swept', updatedAt: later(-600) }),
        watched(4, { status: 'paid' }),
        watched(5, { acceptedAssets: [SOL, MINT] }),
        watched(6, { asset: SOL, acceptedAssets: [SOL, MINT] }),
      )
      await world.run(SECOND)
      const tokenOf = (index: number) => tokenAccountOf(addressNo(index), MINT)
      expect([...world.pushed]).toEqual([
        ...[addressNo(6), tokenOf(6)],
        ...[addressNo(5), tokenOf(5)],
        addressNo(4),
        // The account of a token that it does not accept, and intents that ended, the newest first.
        tokenOf(4),
        addressNo(3),
        addressNo(2),
      ])
    })

    test('is subscribed to as far as there is room', async ({ world }) => {
      world.room = 3
      world.start()
      await world.load(watched(1), watched(2, { asset: SOL }), watched(3, { asset: SOL }), watched(4))
      await world.run(SECOND)
      expect([...world.pushed]).toEqual([3, 2, 4].map(addressNo))
    })

    test('is subscribed to within a second of a change', async ({ world }) => {
      await world.run(SECOND)
      world.rows = [...world.rows, watched(4)]
      await world.watcher.refresh(['intent-4'])
      await world.run(SECOND)
      expect(world.pushed).toContain(addressNo(4))
      world.rows = [watched(4, { status: 'swept', updatedAt: later(-2 * 86_400), version: 2 })]
      await world.watcher.refresh(['intent-4'])
      await world.run(SECOND)
      expect(world.pushed).not.toContain(addressNo(4))
    })

    test('wakes the job, which checks the intent before its pace is due', async ({ world }) => {
      world.notify(tokenAccountOf(addressNo(1), MINT))
      expect(world.wakes).toBe(1)
      expect(await world.run()).toEqual([addressNo(1), tokenAccountOf(addressNo(1), MINT)])
      expect(await world.run()).toEqual([])
    })

    test('of an address that no buyer pays any more wakes nothing, and gives it back its pace', async ({ world }) => {
      for (const index of [1, 2, 3]) world.covered.set(addressNo(index), 1n)
      await world.run()
      world.balances.set(addressNo(3), lamports(5n))
      world.slot = 5n
      world.covered.set(addressNo(3), 5n)
      world.notify(addressNo(3))
      expect(world.wakes).toBe(0)
      await world.run(LAP_EVERY_MS.closing)
      expect(world.observed).toHaveLength(1)
    })

    test('for an account that is not watched changes nothing', async ({ world }) => {
      world.notify(addressNo(99))
      expect(world.wakes).toBe(0)
      expect(await world.run()).toEqual([])
    })

    describe('of every change of an address', () => {
      const TOKENS = tokenAccountOf(addressNo(1), MINT)
      const cover = (world: WatcherWorld, since = world.slot) => {
        for (const account of [1, 2, 3].map(addressNo).concat(TOKENS)) world.covered.set(account, since)
      }
      /** Reads for some time. Returns how often each address was read. */
      const readsOf = async (world: WatcherWorld, seconds: number, stepMs = SECOND): Promise<readonly number[]> => {
        const read: Address[] = []
        for (let at = 0; at < seconds * SECOND; at += stepMs) read.push(...(await world.run(stepMs)))
        return [1, 2, 3].map((index) => read.filter((account) => account === addressNo(index)).length)
      }

      test('makes its pace twenty times as slow, once it was read', async ({ world }) => {
        cover(world)
        await world.run()
        expect(await readsOf(world, 400)).toEqual([10, 3, 2])
      })

      test('counts only from a reading on that shows what no notice reports', async ({ world }) => {
        await world.run()
        cover(world, 9n)
        expect(await readsOf(world, 12)).toEqual([6, 2, 1])
        world.slot = 9n
        await world.run(10 * SECOND)
        expect(await readsOf(world, 12)).toEqual([0, 0, 0])
      })

      test('that is missing for one of its accounts leaves the address at its pace', async ({ world }) => {
        cover(world)
        world.covered.delete(TOKENS)
        await world.run()
        expect(await readsOf(world, 12)).toEqual([6, 0, 0])
      })

      test('that can be missing again gives the address back its pace at once', async ({ world }) => {
        cover(world)
        await world.run()
        expect(await readsOf(world, 30)).toEqual([0, 0, 0])
        world.covered.clear()
        expect(await readsOf(world, 12)).toEqual([6, 2, 1])
      })

      test('is followed by a reading that is new enough, however many are behind it', async ({ world }) => {
        cover(world)
        await world.run()
        world.balances.set(addressNo(1), lamports(5n))
        world.slot = 4n
        world.covered.set(addressNo(1), 7n)
        world.whileReading = async () => void (world.slot < 7n && world.balances.delete(addressNo(1)))
        world.notify(addressNo(1))
        await world.run()
        expect(world.observed).toEqual([])
        world.slot = 7n
        world.balances.set(addressNo(1), lamports(5n))
        await world.run(LAP_EVERY_MS.busy)
        expect(world.observed).toHaveLength(1)
        expect(await readsOf(world, 30)).toEqual([0, 0, 0])
      })

      test('that is lost although the others arrive costs no more than the slow pace', async ({ world }) => {
        cover(world)
        await world.run()
        world.balances.set(addressNo(1), lamports(5n))
        for (let second = 1; second < 40; second += 1) await world.run(SECOND)
        expect(world.observed).toEqual([])
        await world.run(SECOND)
        expect(world.observed).toHaveLength(1)
      })

      test('stays when the intent changes, and ends when an account of it is new', async ({ world }) => {
        cover(world)
        await world.run()
        world.rows = world.rows.map((row) => ({ ...row, version: 2 }))
        await world.watcher.refresh(['intent-1', 'intent-2'])
        expect(await readsOf(world, 12)).toEqual([0, 0, 0])
        world.rows = world.rows.map((row) => ({ ...row, acceptedAssets: [SOL, MINT], version: 3 }))
        await world.watcher.refresh(['intent-2'])
        expect(await readsOf(world, 12)).toEqual([0, 2, 0])
      })

      test('is followed by a reading when the intent changes after money was found: as much may come again', async ({
        world,
      }) => {
        cover(world)
        await world.run()
        world.balances.set(addressNo(1), lamports(5n))
        world.notify(addressNo(1))
        await world.run()
        expect(world.observed).toHaveLength(1)
        world.rows = world.rows.map((row) => ({ ...row, version: 2 }))
        await world.watcher.refresh(['intent-1', 'intent-2'])
        expect(await readsOf(world, 12)).toEqual([1, 0, 0])
      })

      test('does not slow an address down from which money is leaving: as much may come again', async ({ world }) => {
        cover(world)
        await world.run()
        world.balances.set(addressNo(1), lamports(5n))
        world.leaving.add(SOL)
        world.notify(addressNo(1))
        await world.run()
        expect(world.observed).toHaveLength(1)
        expect(await readsOf(world, 12)).toEqual([6, 0, 0])
        world.leaving.clear()
        await world.run(LAP_EVERY_MS.busy)
        expect(world.observed).toHaveLength(1)
        expect(await readsOf(world, 12)).toEqual([0, 0, 0])
      })

      test('counts again after the lead was lost when the address was read again', async ({ world }) => {
        cover(world)
        await world.run()
        world.watcher.forget()
        expect(world.pushed.size).toBe(0)
        world.slot = 0n
        await world.watcher.reload()
        expect(await readsOf(world, 12)).toEqual([6, 2, 2])
      })

      test('costs at most fifteen calls a minute, however many there are', async ({ world }) => {
        const all = Array.from({ length: 2_000 }, (_, at) => watched(at + 1, { asset: SOL }))
        world.room = 2_000
        world.start()
        for (const { address } of all) world.covered.set(address, 1n)
        await world.load(...all)
        await world.run()
        let calls = 0
        for (let second = 0; second < 600; second += 1) {
          await world.run(SECOND)
          calls += world.calls
        }
        expect(calls).toBeGreaterThan(0.7 * 150)
        expect(calls).toBeLessThanOrEqual(150)
      })
    })

    test('that is lost costs time and no money: the next lap reads the balance', async ({ world }) => {
      world.balances.set(addressNo(1), lamports(5n))
      await world.run(LAP_EVERY_MS.busy)
      expect(world.observed).toHaveLength(1)
    })
  })

  describe('the list', () => {
    test('is loaded in pages, with open and ended intents', async ({ world }) => {
      world.rows = Array.from({ length: 2_500 }, (_, at) =>
        watched(at + 1, { status: at % 2 === 0 ? 'pending' : 'cancelled' }),
      )
      await world.watcher.reload()
      expect(world.watcher.size).toBe(2_500)
      expect(world.watcher.loaded).toBe(true)
    })

    test('does not count as loaded when loading failed', async ({ world }) => {
      world.rows = [watched(1)]
      const load = world.watcher.reload()
      expect(world.watcher.loaded).toBe(true)
      await load
      world.watcher.forget()
      expect([world.watcher.loaded, world.watcher.size]).toEqual([false, 0])
      world.rows = [
        {
          ...watched(2),
          network: 'live',
          get derivationIndex(): number {
            throw new Error('the database is away')
          },
        },
      ]
      await expect(world.watcher.reload()).rejects.toThrow('the database is away')
      expect(world.watcher.loaded).toBe(false)
    })

    test('is read as a whole after it is loaded, also when a round ran meanwhile', async ({ world }) => {
      world.rows = [watched(1), watched(2, { status: 'swept', updatedAt: later(-86_400) })]
      world.whileReadingTokens = async () => {
        world.whileReadingTokens = async () => {}
        await world.watcher.runOnce()
      }
      await world.watcher.reload()
      expect(await world.run(SECOND)).toEqual([1, 2].map(addressNo))
    })

    test('takes in new and changed intents of its own network', async ({ world }) => {
      await world.watcher.reload()
      world.rows = [watched(1), watched(2, { network: 'test' })]
      await world.watcher.refresh(['intent-1', 'intent-2'])
      expect(world.watcher.size).toBe(1)
      await world.run()
      world.rows = [watched(1, { asset: SOL })]
      await world.watcher.refresh(['intent-1'])
      expect(await world.run(LAP_EVERY_MS.busy)).toEqual([addressNo(1)])
    })

    test('learns of an ended intent when it catches up, although the notice was lost', async ({ world }) => {
      await world.load(watched(1, { asset: SOL }), watched(2), watched(3, { status: 'paid' }), watched(4))
      const ended = { updatedAt: later(-600), version: 2 }
      world.rows = [
        watched(1, { status: 'swept', ...ended }),
        watched(2, { status: 'cancelled', ...ended }),
        watched(3, { status: 'swept', ...ended }),
        watched(4),
      ]
      await world.run()
      await world.watcher.catchUp()
      expect(await world.run(LAP_EVERY_MS.closing)).toEqual([addressNo(4)])
      expect(await world.run(LAP_EVERY_MS.ended)).toHaveLength(4)
    })

    test('reads, in pages, only the intents that are no longer open when it catches up', async ({ world }) => {
      world.rows = Array.from({ length: 2_500 }, (_, at) => watched(at + 1))
      await world.watcher.reload()
      world.rows = world.rows.map((row, at) =>
        at === 0 ? row : { ...row, status: 'cancelled', updatedAt: later(-600), version: 2 },
      )
      world.asked = []
      await world.watcher.catchUp()
      expect(world.asked.map((ids) => ids.length)).toEqual([1_000, 1_000, 499])
      world.asked = []
      await world.watcher.catchUp()
      expect(world.asked).toEqual([])
    })

    test('keeps the newest version of an intent, whichever was read last', async ({ world }) => {
      await world.load(watched(1, { asset: SOL }))
      world.rows = [watched(1, { status: 'swept', updatedAt: later(-600), version: 3 })]
      await world.watcher.refresh(['intent-1'])
      world.rows = [watched(1, { status: 'underpaid', version: 2 })]
      await world.watcher.refresh(['intent-1'])
      await world.run()
      expect(await world.run(LAP_EVERY_MS.busy)).toEqual([])
    })

    test('keeps explained balances when an unchanged intent is read again', async ({ world }) => {
      await world.load(watched(1, { asset: SOL }))
      world.balances.set(addressNo(1), lamports(5n))
      await world.run()
      await world.watcher.refresh(['intent-1'])
      await world.watcher.catchUp()
      await world.run(LAP_EVERY_MS.busy)
      expect(world.observed).toEqual([])
    })
  })

  describe('while blocks are read instead', () => {
    test('no balance is read, whatever is created or changes', async ({ world }) => {
      world.rows = [watched(1, { asset: SOL }), watched(2), watched(3, { status: 'swept' })]
      await world.watcher.reload('none')
      await world.watcher.catchUp()
      expect([world.watcher.size, world.pushed.size]).toEqual([0, 0])
      expect(await world.run(HOUR)).toEqual([])
    })

    test('an intent can be checked, watched or not, until its balance is explained', async ({ world }) => {
      world.rows = [watched(1)]
      await world.watcher.reload('none')
      world.balances.set(addressNo(1), lamports(5n))
      world.explains = () => false
      expect(await world.watcher.checkOnce(['intent-1', 'unknown'])).toEqual(['intent-1'])
      world.explains = () => true
      expect(await world.watcher.checkOnce(['intent-1'])).toEqual([])
      expect(world.observed).toHaveLength(2)
      expect(await world.run()).toEqual([])
    })

    test('a payment that is set aside is checked with the budget of the backlog, and reports whether more is to be read', async ({
      world,
    }) => {
      world.rows = [watched(1), watched(2)]
      for (const index of [1, 2]) world.balances.set(addressNo(index), lamports(5n))
      world.explains = (id) => id !== 'intent-1'
      world.overflows = (id) => id === 'intent-2'
      world.budgets = []
      expect(await world.watcher.checkDeeply(['intent-1', 'intent-2'])).toMatchObject({
        again: ['intent-1'],
        unfinished: ['intent-2'],
      })
      expect(world.budgets.map((budget) => budget?.transactions)).toEqual([16, 16])
    })

    test('open intents are read as before', async ({ world }) => {
      world.rows = [watched(1), watched(2, { status: 'swept' })]
      await world.watcher.reload('open')
      expect(await world.run()).toEqual([addressNo(1)])
    })
  })
})

// The accounts of an intent that are watched, and how often.
describe('the watch list', () => {
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
})
