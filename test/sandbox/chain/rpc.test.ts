// The chain answers as a node of a public network would, so that what works here works there.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Address,
  address,
  type Commitment,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type KeyPairSigner,
  lamports,
  type Signature,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  sendAndConfirmTransactionFactory,
} from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createHistoryMethods } from '#sandbox/chain/history-methods.ts'
import { parseExactJson, stringifyExactJson } from '#sandbox/chain/json-rpc.ts'
import { ChainStalled, waitUntilFinal, withDeadline } from '#sandbox/chain/send-transaction.ts'
import { SOL, startTestChain, stopTestChain, type TestChain } from '../../support/chain.ts'
import { signedTransfer } from '../../support/signing.ts'
import { until } from '../../support/until.ts'

describe('rpc', () => {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startTestChain()
  })
  afterAll(() => stopTestChain(chain))

  const landed = (signature: Signature, commitment: 'confirmed' | 'finalized') =>
    chain.rpc.getTransaction(signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }).send()
  const slotAt = (commitment: Commitment) => chain.rpc.getSlot({ commitment }).send()
  const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    fetch(chain.rpcUrl, { method: 'POST', headers, body })
  const raw = async (method: string, params: readonly unknown[] = []) =>
    (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).json()

  /** Sends without waiting, and returns the signature and the slot. */
  async function send(
    from: KeyPairSigner,
    to: Address,
    amount: bigint,
  ): Promise<{ signature: Signature; slot: bigint }> {
    const { transaction, signature } = await signedTransfer(chain.rpc, from, to, amount)
    await chain.rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send()
    const [status] = (await chain.rpc.getSignatureStatuses([signature]).send()).value
    return { signature, slot: status?.slot ?? 0n }
  }

  /** Nothing becomes final during `work`. */
  async function whileFinalityWaits<T>(work: () => Promise<T>): Promise<T> {
    await raw('surfnet_pauseClock')
    try {
      return await work()
    } finally {
      await raw('surfnet_resumeClock')
    }
  }

  describe('sending', () => {
    it('the same bytes land once, however often and at once they are sent', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const { transaction, signature } = await signedTransfer(chain.rpc, payer, receiver.address, SOL)
      const wire = getBase64EncodedWireTransaction(transaction)
      const send = () => raw('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }])
      const answers = await Promise.all(Array.from({ length: 50 }, send))
      for (const answer of [...answers, await send()]) expect(answer).toMatchObject({ result: signature })
      await chain.finalized(signature)
      expect(await chain.solOf(receiver.address)).toBe(SOL)
      expect(await chain.rpc.getSignaturesForAddress(receiver.address).send()).toHaveLength(1)
    })

    it('with preflight, what has landed is refused as already processed', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const { transaction } = await signedTransfer(chain.rpc, payer, receiver.address, SOL)
      const send = () =>
        chain.rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send()
      await send()
      await expect(send()).rejects.toMatchObject({
        context: { __code: SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE },
        cause: { context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED } },
      })
    })

    it('a payment that is signed so slowly that its blockhash becomes too old is made again, and arrives once', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      let signed = 0
      const slow: KeyPairSigner = {
        ...payer,
        async signTransactions(transactions) {
          signed += 1
          const old = await slotAt('processed')
          if (signed === 1) await until(async () => (await slotAt('processed')) > old + 200n)
          return await payer.signTransactions(transactions)
        },
      }
      await chain.finalized(await chain.paySol(slow, receiver.address, SOL))
      expect([signed, await chain.solOf(receiver.address)]).toEqual([2, SOL])
    })

    it("a blockhash that was never given out is not found, not even one of the runtime's own", async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const given = await signedTransfer(chain.rpc, payer, receiver.address, SOL)
      const simulation = await raw('simulateTransaction', [
        getBase64EncodedWireTransaction(given.transaction),
        { encoding: 'base64', replaceRecentBlockhash: true },
      ])
      const { replacementBlockhash: runtimes } = simulation.result.value
      expect(runtimes.blockhash).toMatch(/^SURFNET/)
      for (const value of [{ ...runtimes, blockhash: payer.address }, runtimes]) {
        const strange = { getLatestBlockhash: () => ({ send: async () => ({ value }) }) }
        const { transaction, signature } = await signedTransfer(strange as never, payer, receiver.address, SOL)
        const wire = getBase64EncodedWireTransaction(transaction)
        await expect(chain.rpc.sendTransaction(wire, { encoding: 'base64' }).send()).rejects.toMatchObject({
          cause: { context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND } },
        })
        expect(await chain.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()).toBe(
          signature,
        )
        expect((await chain.rpc.getSignatureStatuses([signature]).send()).value).toEqual([null])
      }
      expect(await chain.solOf(receiver.address)).toBe(0n)
    })

    it('a blockhash lives for 150 blocks: valid until its last height, refused a little after', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const { transaction, lastValidBlockHeight } = await signedTransfer(chain.rpc, payer, receiver.address, SOL)
      const height = await chain.rpc.getBlockHeight({ commitment: 'processed' }).send()
      expect(lastValidBlockHeight - height).toBeGreaterThan(120n)
      expect(lastValidBlockHeight - height).toBeLessThan(160n)
      await until(
        async () => (await chain.rpc.getBlockHeight({ commitment: 'processed' }).send()) > lastValidBlockHeight,
      )
      await expect(
        chain.rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send(),
      ).rejects.toMatchObject({
        cause: { context: { __code: SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND } },
      })
    })

    it('a transaction that fails lands all the same: it costs its fee and says why', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(SOL), generateKeyPairSigner()])
      const { transaction, signature } = await signedTransfer(chain.rpc, payer, receiver.address, 5n * SOL)
      const wire = getBase64EncodedWireTransaction(transaction)
      await chain.rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send()
      await chain.finalized(signature)
      const transactionLanded = await landed(signature, 'finalized')
      expect(transactionLanded?.meta?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] })
      expect(await chain.solOf(payer.address)).toBe(SOL - 5000n)
      const [touch] = await chain.rpc.getSignaturesForAddress(payer.address, { limit: 1 }).send()
      expect(touch).toMatchObject({ signature, err: { InstructionError: [0n, { Custom: 1n }] } })
    })

    it('a wrong signature is refused as such', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const { transaction } = await signedTransfer(chain.rpc, payer, receiver.address, SOL)
      const bytes = Buffer.from(getBase64EncodedWireTransaction(transaction), 'base64')
      bytes[10] = (bytes[10] ?? 0) ^ 1
      expect(await raw('sendTransaction', [bytes.toString('base64'), { encoding: 'base64' }])).toMatchObject({
        error: { code: -32003 },
      })
      expect(await raw('sendTransaction', ['AAAA', { encoding: 'base64' }])).toMatchObject({ error: { code: -32602 } })
    })

    it('two equal airdrops at once are two transactions, and history says so', async () => {
      const { address } = await generateKeyPairSigner()
      await Promise.all([chain.fund(address, SOL), chain.fund(address, SOL)])
      expect(await chain.solOf(address)).toBe(2n * SOL)
      expect(await chain.rpc.getSignaturesForAddress(address, { commitment: 'confirmed' }).send()).toHaveLength(2)
    })
  })

  describe('what has happened', () => {
    it('is shown only at the commitment that it has reached', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const { signature } = await whileFinalityWaits(async () => {
        const sent = await send(payer, receiver.address, SOL)
        expect(await landed(sent.signature, 'finalized')).toBeNull()
        expect(await chain.rpc.getSignaturesForAddress(receiver.address).send()).toEqual([])
        const [early] = (await chain.rpc.getSignatureStatuses([sent.signature]).send()).value
        expect(early).toMatchObject({ confirmationStatus: 'processed', slot: sent.slot })
        return sent
      })
      await chain.finalized(signature)
      const { slot } = (await landed(signature, 'finalized')) ?? {}
      expect(await slotAt('finalized')).toBeGreaterThanOrEqual(slot ?? 0n)
      const [status] = (await chain.rpc.getSignatureStatuses([signature]).send()).value
      expect(status).toMatchObject({ confirmations: null, confirmationStatus: 'finalized', slot })
    })

    it('is final two blocks later, and confirmed by then', async () => {
      for (const commitment of ['confirmed', 'finalized'] as const) {
        const [before, reached, after] = [
          await slotAt('processed'),
          await slotAt(commitment),
          await slotAt('processed'),
        ]
        expect(reached).toBeGreaterThanOrEqual(before - 2n)
        expect(reached).toBeLessThanOrEqual(after - 2n)
      }
    })

    it('bears the time at which it happened', async () => {
      const receiver = await generateKeyPairSigner()
      const signature = await chain.fund(receiver.address, SOL)
      const transaction = await landed(signature, 'confirmed')
      expect(Math.abs(Number(transaction?.blockTime) - Date.now() / 1000)).toBeLessThan(3)
      expect(await chain.rpc.getBlockTime(transaction?.slot ?? 0n).send()).toBe(transaction?.blockTime)
    })

    it('is the same in every encoding', async () => {
      const receiver = await generateKeyPairSigner()
      const signature = await chain.fund(receiver.address, SOL)
      const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0 } as const
      const json = await landed(signature, 'confirmed')
      const base64 = await chain.rpc.getTransaction(signature, { ...config, encoding: 'base64' }).send()
      const base58 = await chain.rpc.getTransaction(signature, { ...config, encoding: 'base58' }).send()
      const parsed = await chain.rpc.getTransaction(signature, { ...config, encoding: 'jsonParsed' }).send()
      const wire = getTransactionDecoder().decode(getBase64Encoder().encode(base64?.transaction[0] ?? ''))
      expect(Object.keys(wire.signatures)[0]).toBe(json?.transaction.message.accountKeys[0])
      for (const other of [base64, base58])
        expect(other).toMatchObject({ slot: json?.slot, meta: json?.meta, version: 0 })
      expect(parsed?.transaction.message.instructions.at(-1)).toMatchObject({
        parsed: { type: 'transfer', info: { destination: receiver.address, lamports: SOL } },
      })
    })

    it('of a newer version is refused to a client that does not say that it knows it', async () => {
      const receiver = await generateKeyPairSigner()
      const signature = await chain.fund(receiver.address, SOL)
      expect(await raw('getTransaction', [signature, { commitment: 'confirmed' }])).toMatchObject({
        error: { code: -32015 },
      })
    })

    it('is paged newest first, strictly between before and until', async () => {
      const { address } = await generateKeyPairSigner()
      const sent: Signature[] = []
      for (let count = 1n; count <= 5n; count += 1n) sent.unshift(await chain.fund(address, count * SOL))
      const page = async (config: { before?: Signature; until?: Signature; limit?: number }) =>
        (await chain.rpc.getSignaturesForAddress(address, { commitment: 'confirmed', ...config }).send()).map(
          ({ signature }) => signature,
        )
      const [fifth, fourth, third, second, first] = sent
      if (fifth === undefined || fourth === undefined || second === undefined) throw new Error('five were sent')
      expect(await page({})).toEqual(sent)
      expect(await page({ limit: 2 })).toEqual([fifth, fourth])
      expect(await page({ before: fourth, limit: 2 })).toEqual([third, second])
      expect(await page({ until: second })).toEqual([fifth, fourth, third])
      expect(await page({ before: fourth, until: second })).toEqual([third])
      expect(await page({ before: second })).toEqual([first])
    })

    it('is in the block of its slot', async () => {
      const receiver = await generateKeyPairSigner()
      const signature = await chain.fund(receiver.address, SOL)
      const slot = (await landed(signature, 'confirmed'))?.slot ?? 0n
      const config = { commitment: 'confirmed', maxSupportedTransactionVersion: 0, rewards: false } as const
      const block = await chain.rpc.getBlock(slot, { ...config, encoding: 'json' }).send()
      expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toContain(signature)
      expect(block?.parentSlot).toBe(slot - 1n)
      const balances = await chain.rpc.getBlock(slot, { ...config, transactionDetails: 'accounts' }).send()
      const paid = balances?.transactions.find(({ transaction }) => transaction.signatures[0] === signature)
      const at = paid?.transaction.accountKeys.findIndex(({ pubkey }) => pubkey === receiver.address) ?? -1
      expect(paid?.transaction.accountKeys[0]).toMatchObject({ signer: true, writable: true })
      expect([paid?.meta?.preBalances[at], paid?.meta?.postBalances[at]]).toEqual([0n, SOL])
      expect(paid?.transaction).not.toHaveProperty('message')
      const names = await chain.rpc.getBlock(slot, { ...config, transactionDetails: 'signatures' }).send()
      expect(names?.signatures).toContain(signature)
      expect(names?.previousBlockhash).toBe(
        (await chain.rpc.getBlock(slot - 1n, { ...config, transactionDetails: 'none' }).send())?.blockhash,
      )
      expect(await chain.rpc.getBlocks(slot - 1n, slot, { commitment: 'confirmed' }).send()).toEqual([slot - 1n, slot])
    })

    it('is complete as soon as a block can be read: a reader of every block misses nothing', async () => {
      const payers = await Promise.all(Array.from({ length: 8 }, () => chain.wallet()))
      const { address: receiver } = await generateKeyPairSigner()
      const first = await slotAt('confirmed')
      let last: bigint | null = null
      const found: string[] = []
      const config = { commitment: 'confirmed', transactionDetails: 'signatures', rewards: false } as const
      const scan = async (): Promise<void> => {
        for (let next = first; last === null || next <= last; ) {
          const newest = await slotAt('confirmed')
          const slots = Array.from({ length: Number(newest - next) + 1 }, (_, index) => next + BigInt(index))
          const blocks = await Promise.all(slots.map((slot) => chain.rpc.getBlock(slot, config).send()))
          found.push(...blocks.flatMap((block) => block?.signatures ?? []))
          next = newest + 1n
        }
      }
      const scanning = scan()
      const pay = async (payer: KeyPairSigner): Promise<Signature[]> => {
        const signatures: Signature[] = []
        for (let amount = SOL; amount < SOL + 8n; amount += 1n) {
          const { transaction, signature } = await signedTransfer(chain.rpc, payer, receiver, amount)
          await chain.rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: 'base64' }).send()
          signatures.push(signature)
        }
        return signatures
      }
      const sent = await Promise.all(payers.map(pay))
      last = await slotAt('processed')
      await scanning
      expect(found).toEqual(expect.arrayContaining(sent.flat()))
      expect(new Set(found).size).toBe(found.length)
    })

    it('is never shown of a block that does not exist yet, or never will', async () => {
      const future = Number(await slotAt('processed')) + 1000
      expect(await raw('getBlockTime', [future])).toMatchObject({ error: { code: -32004 } })
      expect(await raw('getBlock', [future])).toMatchObject({ error: { code: -32004 } })
      expect(await raw('getBlockTime', [1])).toMatchObject({ error: { code: -32007 } })
    })

    it('is not shown to a client that requires a later slot', async () => {
      const { address } = await generateKeyPairSigner()
      const minContextSlot = Number(await slotAt('processed')) + 100
      for (const [method, first] of [
        ['getSignaturesForAddress', [address]],
        ['getLatestBlockhash', []],
        ['getSlot', []],
        ['getBalance', [address]],
        ['getAccountInfo', [address]],
        ['getMultipleAccounts', [[address]]],
        ['getTokenAccountsByOwner', [address, { programId: TOKEN_PROGRAM_ADDRESS }]],
        ['getSignatureStatuses', [['5'.repeat(88)]]],
      ] as const)
        expect([method, await raw(method, [...first, { minContextSlot }])]).toMatchObject([
          method,
          { error: { code: -32016, data: { contextSlot: expect.any(Number) } } },
        ])
    })
  })

  describe('the state of accounts', () => {
    type Reading = { readonly slot: bigint; readonly lamports: bigint }
    const readers: Record<string, (of: Address, commitment: Commitment) => Promise<Reading>> = {
      async getBalance(of, commitment) {
        const { context, value } = await chain.rpc.getBalance(of, { commitment }).send()
        return { slot: context.slot, lamports: value }
      },
      async getAccountInfo(of, commitment) {
        const { context, value } = await chain.rpc.getAccountInfo(of, { commitment, encoding: 'base64' }).send()
        return { slot: context.slot, lamports: value?.lamports ?? 0n }
      },
      async getMultipleAccounts(of, commitment) {
        const config = { commitment, encoding: 'base64' } as const
        const { context, value } = await chain.rpc.getMultipleAccounts([TOKEN_PROGRAM_ADDRESS, of], config).send()
        return { slot: context.slot, lamports: value[1]?.lamports ?? 0n }
      },
    }

    it.each(Object.entries(readers))('by %s is as of the block of the commitment', async (_name, read) => {
      const [payer, { address: receiver }] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const landings: { slot: bigint; after: bigint }[] = []
      const readings: Reading[] = []
      const { slot: last } = await whileFinalityWaits(async () => {
        const sent = await send(payer, receiver, SOL)
        expect(await read(receiver, 'finalized')).toMatchObject({ lamports: 0n })
        expect(await read(receiver, 'processed')).toMatchObject({ lamports: SOL })
        return sent
      })
      landings.push({ slot: last, after: SOL })
      for (let count = 2n; count <= 6n; count += 1n) {
        const readTwice = async () => [await read(receiver, 'finalized'), await read(receiver, 'finalized')]
        const after = (landings.at(-1)?.after ?? 0n) + SOL + count
        const [{ slot }, before] = await Promise.all([send(payer, receiver, SOL + count), readTwice()])
        landings.push({ slot, after })
        readings.push(...before, ...(await readTwice()))
      }
      for (const { slot, lamports: shown } of readings)
        expect(shown).toBe(landings.findLast((landing) => landing.slot <= slot)?.after ?? 0n)
      await until(async () => (await read(receiver, 'finalized')).lamports === landings.at(-1)?.after)
    })

    it('of tokens is listed once it is final', async () => {
      const [mint, { address: owner }] = await Promise.all([chain.createMint(), generateKeyPairSigner()])
      const list = async (commitment: Commitment) => {
        const config = { encoding: 'base64', commitment } as const
        return chain.rpc.getTokenAccountsByOwner(owner, { programId: TOKEN_PROGRAM_ADDRESS }, config).send()
      }
      const { funded, listed } = await whileFinalityWaits(async () => {
        const funding = chain.fundToken(mint, owner, 5n)
        await until(async () => (await list('processed')).value.length === 1)
        return { funded: funding, listed: list('finalized') }
      })
      const [created] = await chain.rpc.getSignaturesForAddress(await funded).send()
      const { context, value } = await listed
      expect([value.length, context.slot >= (created?.slot ?? 0n)]).toEqual([1, true])
    })

    it('set by a cheat code is so at every commitment', async () => {
      const [payer, { address: receiver }] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      await whileFinalityWaits(async () => {
        await send(payer, receiver, SOL)
        await raw('surfnet_setAccount', [receiver, { lamports: 7 }])
        expect(await chain.solOf(receiver)).toBe(7n)
      })
    })

    it('is noticed once it is final, so that a reading shows what the notice says', async () => {
      const [payer, { address: receiver }] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const stopListening = new AbortController()
      const notices = await chain.rpcSubscriptions
        .accountNotifications(receiver, { commitment: 'confirmed', encoding: 'base64' })
        .subscribe({ abortSignal: stopListening.signal })
      const noticed = notices[Symbol.asyncIterator]().next()
      let isNoticed = false
      noticed.then(() => {
        isNoticed = true
      })
      const { slot } = await whileFinalityWaits(async () => {
        const sent = await send(payer, receiver, SOL)
        for (let calls = 0; calls < 5; calls += 1) await slotAt('processed')
        expect(isNoticed).toBe(false)
        return sent
      })
      const notice = await noticed
      expect(await chain.solOf(receiver)).toBe(SOL)
      expect(notice.value?.context.slot).toBeGreaterThanOrEqual(slot)
      stopListening.abort()
    })
  })

  it('the chain has a certificate of Alpenglow, and always the same', async () => {
    const certificate = await chain.rpc.getAgGenesisCert().send()
    expect(certificate?.block.slot).toBeLessThan(await slotAt('finalized'))
    expect([certificate?.block.blockId.length, certificate?.signature.signature.length]).toEqual([32, 192])
    expect(await chain.rpc.getAgGenesisCert().send()).toEqual(certificate)
  })

  describe('the port', () => {
    it('answers a batch call by call, in order, each by itself', async () => {
      const batch = ['getGenesisHash', 'noSuchMethod', 'getHealth'].map((method, id) => ({
        jsonrpc: '2.0',
        id,
        method,
      }))
      expect(await (await post(JSON.stringify([...batch, 5]))).json()).toEqual([
        { jsonrpc: '2.0', id: 0, result: chain.genesisHash },
        { jsonrpc: '2.0', id: 1, error: expect.objectContaining({ code: -32601 }) },
        { jsonrpc: '2.0', id: 2, result: 'ok' },
        { jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32600 }) },
      ])
    })

    it('refuses what is no call, with the code for it', async () => {
      expect(await (await post('{')).json()).toMatchObject({ error: { code: -32700 } })
      expect(await (await post('[]')).json()).toMatchObject({ error: { code: -32600 } })
      expect(await raw('getTransaction', ['short'])).toMatchObject({ error: { code: -32602 } })
      expect((await fetch(chain.rpcUrl)).status).toBe(405)
      expect((await fetch(`${chain.rpcUrl}/other`, { method: 'POST' })).status).toBe(404)
      expect((await post('x'.repeat(10_000_001))).status).toBe(413)
    })

    it('takes nothing from a web page that was not asked whether it may', async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getHealth' })
      expect((await post(body, { 'content-type': 'text/plain' })).status).toBe(415)
      expect((await fetch(chain.rpcUrl, { method: 'OPTIONS' })).headers.get('access-control-allow-origin')).toBeNull()
    })

    it('lies below the ports of outgoing connections', () => {
      expect(Number(new URL(chain.rpcUrl).port)).toBeLessThan(32_768)
    })
  })

  describe('the clock account', () => {
    it.each(['processed', 'confirmed', 'finalized'] as const)('tells slot and time as of %s', async (commitment) => {
      const clock = address('SysvarC1ock11111111111111111111111111111111')
      const least = await slotAt(commitment)
      const { value } = await chain.rpc.getMultipleAccounts([clock], { commitment, encoding: 'base64' }).send()
      const bytes = Buffer.from(value[0]?.data[0] ?? '', 'base64')
      const slot = bytes.readBigUInt64LE(0)
      expect(slot).toBeGreaterThanOrEqual(least)
      expect(slot).toBeLessThanOrEqual(await slotAt(commitment))
      expect(bytes.readBigInt64LE(32)).toBe(await chain.rpc.getBlockTime(slot).send())

      const parsed = await chain.rpc.getAccountInfo(clock, { commitment, encoding: 'jsonParsed' }).send()
      expect(parsed.value?.data).toMatchObject({ parsed: { info: { epoch: 0n } } })
    })
  })

  describe('account notices', () => {
    const CLOCK = address('SysvarC1ock11111111111111111111111111111111')
    const subscribe = async (account: Address) => {
      const listening = new AbortController()
      onTestFinished(() => listening.abort())
      const notices = await chain.rpcSubscriptions
        .accountNotifications(account, { commitment: 'finalized', encoding: 'base64' })
        .subscribe({ abortSignal: listening.signal })
      return notices[Symbol.asyncIterator]()
    }

    it('of the clock come with its blocks, and say what a reading says', async () => {
      const notices = await subscribe(CLOCK)
      const slots: bigint[] = []
      for (let count = 0; count < 4; count += 1) {
        const { value } = await notices.next()
        slots.push(value?.context.slot ?? 0n)
        const [bytes = ''] = value?.value.data ?? []
        expect(Buffer.from(bytes, 'base64').readBigUInt64LE()).toBe(value?.context.slot)
      }
      expect(slots).toEqual([...new Set(slots)].toSorted())
    })

    it('are of every change, also of accounts that did not exist, and of one that is gone', async () => {
      const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
      const notices = await subscribe(receiver.address)
      // Kit keeps notices from the first `next` on.
      const first = notices.next()
      await send(payer, receiver.address, SOL)
      expect((await first).value?.value.lamports).toBe(lamports(SOL))
      await raw('surfnet_setAccount', [receiver.address, { lamports: 7 }])
      expect((await notices.next()).value?.value.lamports).toBe(lamports(7n))
      await raw('surfnet_setAccount', [receiver.address, { lamports: 0 }])
      expect((await notices.next()).value?.value).toMatchObject({ lamports: 0n, space: 0n })
    })
  })

  // A second try: on a busy machine the runtime may lose a message of its websocket, here that a signature is final.
  it('kit sends, confirms over the websocket and gets the account notice', { retry: 1 }, async () => {
    const [payer, receiver] = await Promise.all([chain.wallet(), generateKeyPairSigner()])
    const { rpc, rpcSubscriptions } = chain
    const stopListening = new AbortController()
    const notices = await rpcSubscriptions
      .accountNotifications(receiver.address, { commitment: 'confirmed', encoding: 'base64' })
      .subscribe({ abortSignal: stopListening.signal })
    const first = notices[Symbol.asyncIterator]().next()
    const { transaction } = await signedTransfer(rpc, payer, receiver.address, SOL)
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
    await sendAndConfirm(transaction as never, { commitment: 'confirmed' })
    const notice = await first
    stopListening.abort()
    expect(notice.value?.value.lamports).toBe(lamports(SOL))
    expect(notice.value?.context.slot).toBeLessThanOrEqual(await slotAt('finalized'))
  })
})

describe('exact json', () => {
  it('an integer of 64 bits goes through unchanged', () => {
    const text = '{"lamports":18446744073709551615,"small":5,"negative":-9007199254740993}'
    expect(parseExactJson(text)).toEqual({ lamports: 18446744073709551615n, small: 5, negative: -9007199254740993n })
    expect(stringifyExactJson(parseExactJson(text))).toBe(text)
  })

  it('digits in a text stay a text, and fractions stay numbers', () => {
    const text = '{"text":"12345678901234567890","ui":0.1234567890123456789,"exponent":1e20}'
    expect(parseExactJson(text)).toEqual({ text: '12345678901234567890', ui: 0.12345678901234568, exponent: 1e20 })
  })
})

// Between its execution and its commit, a transaction is in the chain but not yet on disk. History answers only when it
// is both.
describe('history methods', () => {
  const SIGNATURE = '5'.repeat(88)
  const ACCOUNT = '4'.repeat(44)

  /** A chain at slot 600 in which one transaction of slot 590 gets on disk only while it is being waited for. */
  function methodsBeforeCommit() {
    let isKept = false
    const touch = { signature: SIGNATURE, slot: 590, error: 'null' }
    const landed = { ...touch, wire: new Uint8Array(), json: '{"version":"legacy"}', jsonParsed: '{}' }
    const era = { firstSlot: 500, firstHeight: 490, firstTimeMs: 0, slotTimeMs: 10, lastSlot: null }
    return createHistoryMethods({
      genesisHash: ACCOUNT,
      chainClock: { at: async () => ({ slot: 600, height: 590 }), eras: () => [era] },
      queue: {
        settled: async () => {
          isKept = true
        },
      },
      ledger: {
        status: () => (isKept ? touch : null),
        transaction: () => (isKept ? landed : null),
        transactionsIn: () => (isKept ? [landed] : []),
        touches: () => (isKept ? [touch] : []),
      },
    })
  }

  it.each([
    ['getTransaction', [SIGNATURE]],
    ['getSignatureStatuses', [[SIGNATURE]]],
    ['getSignaturesForAddress', [ACCOUNT]],
    ['getBlock', [590, { transactionDetails: 'signatures' }]],
  ])('%s waits for what was executed before it', async (method, params) => {
    const answer = await methodsBeforeCommit()[method]?.(params)
    expect(answer).toMatch(method === 'getTransaction' ? /legacy/ : /55555|"slot":590/)
  })
})

// Waiting for a chain that answers and takes in nothing, or does not answer at all.
describe('send transaction', () => {
  const SIGNATURE = '1'.repeat(64) as Signature

  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  /** `status` null leaves every question open. */
  async function chainThatSays(status: object | null): Promise<string> {
    const reply = JSON.stringify({ jsonrpc: '2.0', id: '1', result: { context: { slot: 7 }, value: [status] } })
    server = createServer((_, response) => {
      if (status !== null) response.writeHead(200, { 'content-type': 'application/json' }).end(reply)
    })
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const processed = { slot: 8, confirmations: -1, err: null, status: { Ok: null }, confirmationStatus: 'processed' }

  it.each([
    ['takes in nothing', processed],
    ['does not answer', null],
  ])('a chain that %s is given up in good time', async (_case, status) => {
    const url = await chainThatSays(status)
    const asked = performance.now()
    const waiting = withDeadline((signal) => waitUntilFinal(url, SIGNATURE, signal), 150)
    await expect(waiting).rejects.toBeInstanceOf(ChainStalled)
    expect(performance.now() - asked).toBeLessThan(2_000)
  })

  it('what fails for another reason says so', async () => {
    const url = await chainThatSays({ ...processed, err: 'AccountInUse' })
    const waiting = withDeadline((signal) => waitUntilFinal(url, SIGNATURE, signal))
    await expect(waiting).rejects.toThrow('AccountInUse')
  })
})
