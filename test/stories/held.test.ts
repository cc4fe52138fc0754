// Money of an unknown sender on a real Solana runtime: held, shown, and released by the operator's command.
import { address, generateKeyPairSigner, type Instruction } from '@solana/kit'
import {
  getApproveCheckedInstruction,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
} from '@solana-program/token'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { runOperator } from '#operator/program.ts'
import { fundSol } from '#sandbox/chain/faucet.ts'
import { sendTransaction } from '#sandbox/chain/send-transaction.ts'
import { openIntent, STORY_TIMEOUT_MS, type Story, startStory, untilStatus } from '../support/running-service.ts'

vi.setConfig({ testTimeout: STORY_TIMEOUT_MS, hookTimeout: STORY_TIMEOUT_MS })

let story: Story & { stop(): Promise<void> }
beforeAll(async () => {
  story = await startStory()
})
afterAll(() => story?.stop())

async function operator(...args: string[]) {
  const out: string[] = []
  const err: string[] = []
  const global = ['--url', story.facts.base_url, '--token', story.operatorToken, '--json']
  const terminal = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  const code = await runOperator([...global, ...args], {}, terminal)
  return { code, body: out.length === 0 ? null : JSON.parse(out.join('\n')), err: err.join('\n') }
}

/** Pays as a delegate of the wallet: the owner of the money does not sign. */
async function payByDelegate(to: string, amount: bigint): Promise<string> {
  const { rpc_url: rpcUrl, tokens } = story.facts
  const token = tokens.find(({ ticker }) => ticker === 'USDD')
  if (token === undefined) throw new Error('there is no USDD')
  const { decimals } = token
  const [mint, tokenProgram] = [address(token.mint), address(token.token_program)]
  const program = { programAddress: tokenProgram }
  const delegate = await generateKeyPairSigner()
  await fundSol(rpcUrl, delegate.address, 1_000_000_000n)
  const source = associatedTokenAddress(story.wallet.address, mint, tokenProgram)
  const approve: Instruction = getApproveCheckedInstruction(
    { source, mint, delegate: delegate.address, owner: story.wallet, amount, decimals },
    program,
  )
  await sendTransaction(rpcUrl, story.wallet, [approve])
  const owner = address(to)
  const destination = associatedTokenAddress(owner, mint, tokenProgram)
  await sendTransaction(rpcUrl, delegate, [
    await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: delegate, owner, mint, tokenProgram }),
    getTransferCheckedInstruction({ source, mint, destination, authority: delegate, amount, decimals }, program),
  ])
  return token.mint
}

it('money of an unknown sender is held, and goes once to the address that the operator names, with a reason', async () => {
  const { index, deposit, expected } = await openIntent(story, 'USDD')
  const paid = expected / 2n
  const mint = await payByDelegate(deposit, paid)
  await untilStatus(story, index, 'underpaid')
  await story.rest('POST', '/cancel', { key: story.facts.api_key, body: { index } })

  const stuck = await untilStatus(story, index, 'refund_failed')
  const held = [{ mint, amount: Number(paid), reason: 'The sender is not known for certain.' }]
  expect(stuck.held).toEqual(held)
  expect((await operator('held', 'list')).body.payments).toMatchObject([{ intent_index: index, held }])
  expect((await operator('status')).body.alerts).toContainEqual(expect.stringContaining('held release'))

  const to = (await generateKeyPairSigner()).address
  const order = ['held', 'release', String(index), '--asset', mint, '--to', to, '--reason', 'They proved it.']
  const first = await operator(...order)
  expect(first).toMatchObject({
    code: 0,
    body: { releases: [{ to, amount: Number(paid), reason: 'They proved it.' }] },
  })
  const again = await operator(...order)
  // While the release is under way, a repeat returns it; after it has landed, nothing is held any more.
  if (again.code === 0) expect(again.body.releases[0].transfer_id).toBe(first.body.releases[0].transfer_id)
  else expect(again.err).toContain('nothing of this asset is held')

  const back = await untilStatus(story, index, 'refunded')
  expect(back.held).toBeUndefined()
  expect(await story.tokensOf(to, mint)).toMatchObject([{ amount: paid }])
  expect((await operator('held', 'list')).body.payments).toEqual([])
  expect((await operator('held', 'releases')).body.releases).toMatchObject([
    { transfer_id: first.body.releases[0].transfer_id, status: 'done', released_by: 'operator', problem: null },
  ])
  const audit = await operator('audit', '--network', 'live')
  expect(audit).toMatchObject({ code: 0, body: { clean: true } })
})
