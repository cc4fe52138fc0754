// Reads accounts: balances, mints, the chain's clock and the rent minimum.

import { type Address, address } from '@solana/kit'
import { ACCOUNTS_PER_CALL } from '#core/chain/full-calls.ts'
import type { AccountState } from '#core/chain/types.ts'
import { makeLamports } from '#core/money/amounts.ts'
import { createCache } from '#lib/cache.ts'
import { mapParallel } from '#lib/parallel.ts'
import { inGroups } from '#lib/values.ts'
import type { BalanceReader, ChainClock, MintReader, RentReader, TokenAccountReader } from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { SlotTimer } from './pace.ts'
import { ProviderFault } from './provider-fault.ts'
import type { RpcPool } from './rpc-pool.ts'
import { createSlotFloor, type SlotFloor } from './slots.ts'
import {
  BALANCE_SLICE,
  decodeMint,
  decodeTokenAccount,
  decodeTokenBalance,
  isTokenProgram,
  TOKEN_PROGRAMS,
} from './token-data.ts'

const CALLS_AT_ONCE = 8
/** The rent changes between two blocks, and can be set back at once. What was signed before fails, and is made again by this reading. */
const RENT_CACHE_MS = 10_000
const AS_BYTES = { commitment: 'finalized', encoding: 'base64' } as const
const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111')

type RawAccount = { readonly lamports: bigint; readonly owner: Address; readonly data: Uint8Array }

export function createAccountReader(
  pool: Pick<RpcPool, 'ask'>,
  clock: Clock,
  slotTimer: Pick<SlotTimer, 'note'>,
  floor: SlotFloor = createSlotFloor(clock),
): BalanceReader & TokenAccountReader & MintReader & ChainClock & RentReader {
  const rents = createCache(
    clock,
    (bytes: number) =>
      pool.ask('getMinimumBalanceForRentExemption', ({ rpc, abortSignal }) =>
        rpc.getMinimumBalanceForRentExemption(BigInt(bytes)).send({ abortSignal }),
      ),
    RENT_CACHE_MS,
  )

  const readGroup = (accounts: readonly Address[]) =>
    pool.ask('getMultipleAccounts', async ({ rpc, abortSignal }) => {
      const minContextSlot = floor.current()
      const config = { ...AS_BYTES, ...(minContextSlot && { minContextSlot }) }
      const { context, value } = await rpc.getMultipleAccounts(accounts, config).send({ abortSignal })
      if (value.length !== accounts.length) throw new ProviderFault('malformed')
      floor.accept(context.slot, minContextSlot)
      slotTimer.note(context.slot)
      return { slot: context.slot, accounts: value.map(rawAccount) }
    })

  /** Reads the clock account after some others. */
  const readWithClock = async (...others: readonly Address[]) => {
    const { accounts } = await readGroup([...others, CLOCK_SYSVAR])
    const clockAccount = accounts.at(-1) ?? null
    if (clockAccount === null) throw new TypeError('every Solana network has a clock account')
    const { data } = clockAccount
    return { read: accounts, view: new DataView(data.buffer, data.byteOffset, data.byteLength) }
  }

  const readAll = async <T>(
    accounts: readonly Address[],
    decode: (raw: RawAccount) => T | null,
  ): Promise<{ slot: bigint; read: readonly (T | null)[] }> => {
    const groups = await mapParallel(inGroups(accounts, ACCOUNTS_PER_CALL), CALLS_AT_ONCE, readGroup)
    const slots = groups.map((group) => group.slot)
    return {
      slot: slots.reduce((oldest, slot) => (slot < oldest ? slot : oldest), slots[0] ?? 0n),
      read: groups.flatMap((group) => group.accounts.map((raw) => (raw === null ? null : decode(raw)))),
    }
  }

  return {
    async readAccounts(accounts) {
      const { slot, read } = await readAll(accounts, accountState)
      return { slot, states: read }
    },

    async tokenAccounts(owner) {
      const ofProgram = (programId: Address) =>
        pool.ask('getTokenAccountsByOwner', async ({ rpc, abortSignal }) => {
          const config = { ...AS_BYTES, dataSlice: BALANCE_SLICE }
          const { value } = await rpc.getTokenAccountsByOwner(owner, { programId }, config).send({ abortSignal })
          return value.map(({ pubkey, account }) => ({
            account: pubkey,
            ...decodeTokenBalance(Buffer.from(account.data[0], 'base64')),
          }))
        })
      const found = await Promise.all(TOKEN_PROGRAMS.map(ofProgram))
      return found.flat().filter(({ amount }) => amount > 0n)
    },

    async readMint(mint) {
      const { read, view } = await readWithClock(mint)
      const [raw = null] = read
      const epoch = view.getBigUint64(16, true)
      return raw === null || !isTokenProgram(raw.owner) ? null : decodeMint(mint, raw.owner, raw.data, epoch)
    },

    // Reads the clock account, not getBlockTime: it takes one call, is never a skipped slot, and holds the figure that
    // the chain stores as the block's time.
    async blockTime() {
      const { view } = await readWithClock()
      return { slot: view.getBigUint64(0, true), time: new Date(Number(view.getBigInt64(32, true)) * 1000) }
    },

    async minimumBalance(bytes) {
      return makeLamports(await rents.get(bytes))
    },
  }
}

function rawAccount(
  info: { lamports: bigint; owner: Address; data: readonly [string, string] } | null,
): RawAccount | null {
  return info && { lamports: info.lamports, owner: info.owner, data: Buffer.from(info.data[0], 'base64') }
}

const accountState = ({ lamports, owner, data }: RawAccount): AccountState => ({
  lamports: makeLamports(lamports),
  ownerProgram: owner,
  token: isTokenProgram(owner) ? decodeTokenAccount(owner, data) : null,
})
