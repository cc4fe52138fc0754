// The year of `npm run demo -- --year`: made-up payments of the demo business, so that its dashboard has something to show.
import { EXAMPLE_MONTHS } from '#core/sandbox/example-payments.ts'
import type { DemoFacts } from '#sandbox/demo-facts.ts'
import type { OperatorClient, Say } from './service.ts'

type YearDemo = {
  readonly say: Say
  readonly facts: DemoFacts
  readonly operator: Pick<OperatorClient, 'addExamplePayments'>
}

/** Adds the payments of a year, the oldest first. */
export async function addYear({ say, facts, operator }: YearDemo): Promise<void> {
  let sum = 0
  for (let monthsAgo = EXAMPLE_MONTHS - 1; monthsAgo >= 0; monthsAgo -= 1) {
    const count = await operator.addExamplePayments(facts.account_id, monthsAgo)
    sum += count
    say(
      `${count.toString().padStart(9)} payments ${monthsAgo === 0 ? 'of the last four weeks' : `of ${4 * monthsAgo} weeks ago`}`,
    )
  }
  say(`done      ${sum} made-up payments: swept, cancelled, refunded, and some that need you. No money has moved, so`)
  say('          `npm run -s operator -- audit` finds figures without transfers.')
  say(`look      ${facts.base_url}/dashboard, where \`npm start\` has printed a link to log in; choose 1 year`)
}
