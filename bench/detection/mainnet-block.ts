// Blocks as mainnet has them, made up: 1,500 transactions, two thirds of them votes, the rest transfers and swaps that
// touch up to 40 accounts, as a node answers `getBlock` with transactionDetails `accounts`.
import { getAddressDecoder, getBase58Decoder } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'

const TRANSACTIONS = 1_500
const VOTES = 1_000
const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111'
const VALIDATORS = 1_000
const MINTS = 200

/** What this block pays to a deposit address, from a wallet of its own. */
export type Payment = { readonly to: string; readonly lamports: number }

export type BlockMaker = {
  /** Returns an address that was not used before. */
  freshAddress(): string
  /** The result of `getBlock`. Blocks of one maker follow each other where `slot` and `parentSlot` do. */
  block(slot: number, parentSlot: number, payments?: readonly Payment[]): string
}

export const blockhashOf = (slot: number): string => addressFrom(BigInt(slot) + 1n, 0xb10cn)

/** Draws addresses; the same `seed` gives the same ones. */
export function createBlockMaker(seed: number): BlockMaker {
  let drawn = 0n
  let state = seed >>> 0
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const freshAddress = (): string => {
    drawn += 1n
    return addressFrom(drawn, BigInt(seed) + 1n)
  }
  const validators = Array.from({ length: VALIDATORS }, () => ({ identity: freshAddress(), vote: freshAddress() }))
  const mints = Array.from({ length: MINTS }, freshAddress)
  const signature = (): string => {
    const bytes = new Uint8Array(64)
    for (let at = 0; at < 64; at += 1) bytes[at] = random(256)
    return getBase58Decoder().decode(bytes)
  }
  const key = (pubkey: string, signer: boolean, writable: boolean, source = 'transaction') => ({
    pubkey,
    signer,
    source,
    writable,
  })
  const metaOf = (preBalances: number[], postBalances: number[], tokens: { pre: object[]; post: object[] }) => ({
    err: null,
    fee: 5_000,
    postBalances,
    postTokenBalances: tokens.post,
    preBalances,
    preTokenBalances: tokens.pre,
    status: { Ok: null },
  })

  const vote = (at: number) => {
    const { identity, vote: account } = validators[at % VALIDATORS] ?? { identity: '', vote: '' }
    const before = 1_000_000_000 + random(1e9)
    return {
      transaction: {
        accountKeys: [key(identity, true, true), key(account, false, true), key(VOTE_PROGRAM, false, false)],
        signatures: [signature()],
      },
      meta: metaOf([before, 27_074_400, 1], [before - 5_000, 27_074_400, 1], { pre: [], post: [] }),
      version: 'legacy',
    }
  }

  const swap = () => {
    const count = 8 + random(33)
    const accountKeys = Array.from({ length: count }, (_, at) =>
      key(freshAddress(), at === 0, at < count / 2, at > 12 ? 'lookupTable' : 'transaction'),
    )
    const pre = accountKeys.map(() => 1 + random(5e9))
    const post = pre.map((balance, at) => (at < 4 ? balance + random(1e6) : balance))
    const tokens = Array.from({ length: Math.min(count - 2, 2 + random(7)) }, (_, at) => {
      const mint = mints[random(MINTS)] ?? ''
      const owner = at % 2 === 0 ? (accountKeys[0]?.pubkey ?? '') : freshAddress()
      const balance = () => tokenBalance(at + 1, mint, owner, random(1e12))
      return { pre: balance(), post: balance() }
    })
    return {
      transaction: { accountKeys, signatures: [signature()] },
      meta: metaOf(pre, post, { pre: tokens.map((one) => one.pre), post: tokens.map((one) => one.post) }),
      version: 0,
    }
  }

  const payment = ({ to, lamports }: Payment) => {
    const before = 10_000_000_000 + random(1e9)
    return {
      transaction: {
        accountKeys: [key(freshAddress(), true, true), key(to, false, true), key(SYSTEM_PROGRAM_ADDRESS, false, false)],
        signatures: [signature()],
      },
      meta: metaOf([before, 0, 1], [before - lamports - 5_000, lamports, 1], { pre: [], post: [] }),
      version: 'legacy',
    }
  }

  return {
    freshAddress,
    block: (slot, parentSlot, payments = []) =>
      JSON.stringify({
        blockHeight: slot,
        blockTime: 1_790_000_000 + Math.floor(slot * 0.4),
        blockhash: blockhashOf(slot),
        parentSlot,
        previousBlockhash: blockhashOf(parentSlot),
        transactions: [
          ...Array.from({ length: VOTES }, (_, at) => vote(at)),
          ...Array.from({ length: TRANSACTIONS - VOTES - payments.length }, swap),
          ...payments.map(payment),
        ],
      }),
  }
}

const tokenBalance = (accountIndex: number, mint: string, owner: string, amount: number) => ({
  accountIndex,
  mint,
  owner,
  programId: TOKEN_PROGRAM_ADDRESS,
  uiTokenAmount: {
    amount: String(amount),
    decimals: 6,
    uiAmount: amount / 1e6,
    uiAmountString: String(amount / 1e6),
  },
})

/** Thirty-two well mixed bytes from two numbers. */
function addressFrom(number: bigint, salt: bigint): string {
  const bytes = new Uint8Array(32)
  const view = new DataView(bytes.buffer)
  let word = BigInt.asUintN(64, number * 0x9e3779b97f4a7c15n + salt * 0xbf58476d1ce4e5b9n)
  for (let at = 0; at < 32; at += 8) {
    word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn + salt)
    view.setBigUint64(at, word)
  }
  return getAddressDecoder().decode(bytes)
}
