// What was changed with the token of the operator, here or by a command.
import { useRead } from '#dashboard/browser/data.ts'
import { Button, Card, Empty, FaultNotice, JsonCode, Loading, Page, Time } from '#dashboard/browser/parts/basics.tsx'
import { useList } from '#dashboard/browser/parts/lists.tsx'
import { OperatorLogDocument } from '#dashboard/operator/documents.generated.ts'
import { LOG } from '#dashboard/operator/paths.ts'
import { isOwnText, type OwnWords, useOwnWords } from '#dashboard/operator/words.ts'

const PAGE_SIZE = 50

export function LogPage() {
  const words = useOwnWords()
  const { say } = words
  const { filter, page, show } = useList(LOG, ['logins'])
  const withLogins = filter('logins') !== null
  const { data, fault } = useRead(OperatorLogDocument, { before: page.before, logins: withLogins })
  const entries = data?.operatorLog ?? []
  const isFull = entries.length === PAGE_SIZE
  return (
    <Page title={say('operatorLog')}>
      <p class="hint">{say('operatorLogText')}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={withLogins}
          onChange={({ currentTarget: { checked } }) => show({ logins: checked ? 'yes' : null })}
        />
        {say('withLogins')}
      </label>
      <Card>
        {data === null && fault === null && <Loading />}
        <FaultNotice fault={fault} />
        {data !== null && entries.length === 0 && <Empty title={say('noLog')} />}
        {entries.length > 0 && (
          <ol class="log" aria-label={say('operatorLog')}>
            {entries.map(({ id, action, given, ip, startedAt, outcome }) => (
              <li key={id}>
                <details>
                  <summary>
                    <strong>{actionIn(words, action)}</strong> <Time iso={startedAt} isExact />{' '}
                    <span class="hint">{say('fromAddress', { ip })}</span> <Outcome outcome={outcome ?? null} />
                  </summary>
                  <p class="hint" dir="ltr">
                    {action}
                  </p>
                  <JsonCode name={action} value={argumentsOf(given)} />
                </details>
              </li>
            ))}
          </ol>
        )}
        {(page.before !== null || isFull) && (
          <nav class="pager" aria-label={say('operatorLog')}>
            <Button isDisabled={page.before === null} onPress={() => show({})}>
              {say('newest')}
            </Button>
            <Button isDisabled={!isFull} onPress={() => show({ before: entries.at(-1)?.id ?? null })}>
              {say('older')}
            </Button>
          </nav>
        )}
      </Card>
    </Page>
  )
}

/** Returns the change in words; that of a newer service keeps its name, and so does a request that is no mutation. */
function actionIn({ say }: OwnWords, action: string): string {
  const key = `did_${action}`
  return isOwnText(key) ? say(key) : action
}

function Outcome({ outcome }: { outcome: string | null }) {
  const { say } = useOwnWords()
  if (outcome === 'done') return <span class="badge good">{say('outcome_done')}</span>
  return outcome === null ? (
    <span class="badge waiting">{say('outcome_open')}</span>
  ) : (
    <span class="badge bad">{outcome}</span>
  )
}

/** The arguments are JSON, and a text when they are not. */
function argumentsOf(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
