// Blocks that one core searches, for few and for many addresses, against JSON.parse alone.
import { createBlockMatcher } from '#adapters/solana/blocks/block-matcher.ts'
import type { BenchResult } from '../result.ts'
import { type BlockMaker, createBlockMaker } from './mainnet-block.ts'

const BLOCKS = 12
const ROUNDS = 4
const PAYMENTS_PER_BLOCK = 20
const ADDRESSES_AT_ONCE = 50_000
/** Five times as fast as mainnet makes them. */
const AT_LEAST = 12.5

export async function benchParsing(progress: (line: string) => void): Promise<readonly BenchResult[]> {
  const results: BenchResult[] = []
  for (const watched of [10_000, 1_000_000]) {
    progress(`${BLOCKS * ROUNDS} blocks of 1,500 transactions, searched for ${watched.toLocaleString('en')} addresses`)
    results.push(await parse(watched))
  }
  return results
}

async function parse(watched: number): Promise<BenchResult> {
  const maker = createBlockMaker(watched)
  const matcher = createBlockMatcher()
  const some: string[] = []
  for (let made = 0; made < watched; made += ADDRESSES_AT_ONCE) {
    const addresses = Array.from({ length: Math.min(ADDRESSES_AT_ONCE, watched - made) }, maker.freshAddress)
    matcher.watch(addresses)
    some.push(...addresses.slice(0, (PAYMENTS_PER_BLOCK * BLOCKS * ADDRESSES_AT_ONCE) / watched + 1))
  }
  const answers = makeAnswers(maker, some)
  await through(matcher, answers)

  let best = 0
  for (let round = 0; round < ROUNDS; round += 1) best = Math.max(best, await through(matcher, answers))
  await matcher.close()
  const baseline = Math.max(...Array.from({ length: ROUNDS }, () => parseAlone(answers)))
  return {
    name: `blocks parsed a second a core, ${watched.toLocaleString('en')} addresses`,
    ours: best,
    baseline,
    unit: 'blocks/s',
    ratio: best / baseline,
    target: { atLeast: AT_LEAST },
    judged: 'ours',
    detail: `of ${((answers[0]?.length ?? 0) / 1e6).toFixed(1)} MB; the baseline is JSON.parse alone`,
  }
}

/** Every block pays other addresses, some of them watched ones. */
function makeAnswers(maker: BlockMaker, watched: readonly string[]): readonly Uint8Array[] {
  return Array.from({ length: BLOCKS }, (_, at) => {
    const paid = watched.slice(at * PAYMENTS_PER_BLOCK, (at + 1) * PAYMENTS_PER_BLOCK)
    const block = maker.block(
      at + 1,
      at,
      paid.map((to) => ({ to, lamports: 1_000_000 })),
    )
    return new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"result":${block}}`)
  })
}

/** One block after the other on the thread, so that it is one core's work. Throws when a payment was missed. */
async function through(
  matcher: ReturnType<typeof createBlockMatcher>,
  answers: readonly Uint8Array[],
): Promise<number> {
  let found = 0
  const before = performance.now()
  for (const [at, answer] of answers.entries()) {
    const matched = await matcher.match(BigInt(at + 1), answer.slice().buffer)
    if (matched.kind !== 'block') throw new Error(`a block is ${matched.kind}`)
    found += matched.block.notices.length
  }
  const seconds = (performance.now() - before) / 1_000
  if (found !== PAYMENTS_PER_BLOCK * BLOCKS) throw new Error(`${found} payments found`)
  return answers.length / seconds
}

function parseAlone(answers: readonly Uint8Array[]): number {
  const decoder = new TextDecoder()
  const before = performance.now()
  for (const answer of answers) JSON.parse(decoder.decode(answer))
  return (answers.length * 1_000) / (performance.now() - before)
}
