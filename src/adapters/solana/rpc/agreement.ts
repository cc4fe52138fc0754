// Has a second provider confirm what one reports as final (docs/money.md, "Two providers agree").
import type { Signature } from '@solana/kit'
import type { ReportedFinal } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import { mapParallel } from '#lib/parallel.ts'
import { answersWithin } from '#lib/time.ts'
import { inGroups } from '#lib/values.ts'
import type { FinalityJudge } from '#ports/chain.ts'
import type { ProviderAnswer } from './provider.ts'
import type { RpcPool } from './rpc-pool.ts'
import { type FoundStatus, STATUSES_PER_CALL, statusQuestion } from './signature-statuses.ts'

/** The providers that must report the same outcome, of however many are configured. */
const NEEDED = 2
const CALLS_AT_ONCE = 4
const REMEMBERED_SIGNATURES = 10_000
/** A provider that takes longer counts as one that does not answer. */
const ANSWER_WITHIN_MS = 3_000

export function createAgreement(pool: Pick<RpcPool, 'askEach' | 'size'>): FinalityJudge {
  /** Outcomes that were agreed on. They never change. */
  const agreed = createLru<Signature, string>(REMEMBERED_SIGNATURES)

  const judgeGroup = async (reported: readonly ReportedFinal[], reporter: number | null) => {
    const question = statusQuestion(
      reported.map(({ signature }) => signature),
      true,
    )
    const missing = reporter === null ? NEEDED : NEEDED - 1
    const isAgreed = (answers: Answers) => (one: ReportedFinal, at: number) =>
      answers.filter((answer) => reportOf(answer, at, one) === 'agrees').length >= missing
    const asked = pool.askEach('getSignatureStatuses', question, reporter)
    const answers = await answersWithin(ANSWER_WITHIN_MS, asked, (some) => reported.every(isAgreed(some)))
    return reported.flatMap((one, at): readonly (readonly [Signature, string | null])[] => {
      if (!isAgreed(answers)(one, at)) return [[one.signature, doubtOf(answers.map((each) => reportOf(each, at, one)))]]
      agreed.set(one.signature, outcomeOf(one))
      return []
    })
  }

  return {
    async finalDoubts(reported) {
      if (pool.size < NEEDED) return new Map()
      const open = reported.filter((one) => agreed.get(one.signature) !== outcomeOf(one))
      const groups = [...Map.groupBy(open, ({ provider }) => provider)].flatMap(([provider, some]) =>
        inGroups(some, STATUSES_PER_CALL).map((group) => ({ provider, group })),
      )
      const doubts = await mapParallel(groups, CALLS_AT_ONCE, ({ provider, group }) => judgeGroup(group, provider))
      return new Map(doubts.flat())
    },

    async countProviders() {
      if (pool.size < NEEDED) return { configured: pool.size, answering: pool.size }
      const answers = pool.askEach('getSlot', ({ rpc, abortSignal }) =>
        rpc.getSlot({ commitment: 'finalized' }).send({ abortSignal }),
      )
      const given = await answersWithin(ANSWER_WITHIN_MS, answers)
      return { configured: pool.size, answering: given.filter((one) => one !== undefined && 'answer' in one).length }
    },
  }
}

const outcomeOf = ({ slot, error }: Pick<ReportedFinal, 'slot' | 'error'>): string => `${slot} ${error}`

/** `later`: the provider has the same outcome, and does not call it final yet. Any other text says what is wrong. */
type Report = 'agrees' | 'later' | { readonly wrong: string }

/** The answers of the providers; undefined for one that takes too long. */
type Answers = readonly (ProviderAnswer<readonly FoundStatus[]> | undefined)[]

function reportOf(answer: Answers[number], at: number, reported: ReportedFinal): Report {
  if (answer === undefined) return { wrong: 'another provider does not answer (timeout)' }
  if ('fault' in answer) return { wrong: `another provider does not answer (${answer.fault.message})` }
  const status = answer.answer[at]?.status ?? null
  if (status === null) return { wrong: 'another provider does not know it' }
  if (outcomeOf(status) !== outcomeOf(reported)) return { wrong: 'another provider reports another outcome' }
  return status.final ? 'agrees' : 'later'
}

/** Returns null when an agreement only needs time. */
function doubtOf(reports: readonly Report[]): string | null {
  if (reports.includes('later')) return null
  return reports.flatMap((report) => (typeof report === 'object' ? [report.wrong] : [])).join(', ') || null
}
