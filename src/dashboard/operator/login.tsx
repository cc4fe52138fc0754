// The way in: the token is sent once, in a header, and a cookie that no script can read takes its place.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { client, readAgain } from '#dashboard/browser/client.ts'
import { type Fault, faultOf } from '#dashboard/browser/fault.ts'
import { Dialog, FaultNotice } from '#dashboard/browser/parts/basics.tsx'
import { OperatorLogInDocument } from '#dashboard/operator/documents.generated.ts'
import { useOwnWords } from '#dashboard/operator/words.ts'

export function LogInPage() {
  const { say } = useOwnWords()
  useEffect(() => {
    document.title = `${say('logInTitle')} · ${say('operator')}`
  }, [say])
  return (
    <main class="card entrance">
      <p class="hint">{say('operator')}</p>
      <h1>{say('logInTitle')}</h1>
      <p>{say('operatorLogInText')}</p>
      <LogIn />
    </main>
  )
}

/** Lets a person log in again without leaving the page, and what was entered there. */
export function LogInAgain() {
  const { say } = useOwnWords()
  return (
    <Dialog title={say('logInTitle')} onClose={null}>
      <p>{say('unauthenticated')}</p>
      <LogIn />
    </Dialog>
  )
}

function LogIn() {
  const { say } = useOwnWords()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // There is nothing else to do here.
  useEffect(() => input.current?.focus(), [])
  const [state, setState] = useState<{ isBusy: boolean; fault: Fault | null }>({ isBusy: false, fault: null })
  const logIn = async (form: HTMLFormElement): Promise<void> => {
    const token = new FormData(form).get('token')
    setState({ isBusy: true, fault: null })
    const headers = { authorization: `Bearer ${typeof token === 'string' ? token.trim() : ''}` }
    const { error } = await client.mutation(String(OperatorLogInDocument), {}, { fetchOptions: { headers } })
    setState({ isBusy: false, fault: error === undefined ? null : faultOf(error) })
    if (error === undefined) readAgain()
  }
  const { isBusy, fault } = state
  const isWrong = fault?.code === 'unauthenticated'
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void logIn(event.currentTarget)
      }}
    >
      <div class="field">
        <label for={id}>{say('operatorToken')}</label>
        <input
          ref={input}
          id={id}
          name="token"
          type="password"
          dir="ltr"
          required
          autocomplete="current-password"
          spellcheck={false}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? `${id}-hint ${id}-wrong` : `${id}-hint`}
        />
        <p class="hint" id={`${id}-hint`}>
          {say('operatorTokenHint')}
        </p>
        {isWrong && (
          <p class="wrong" id={`${id}-wrong`} role="alert">
            {say('wrongToken')}
          </p>
        )}
      </div>
      {!isWrong && <FaultNotice fault={fault} />}
      <div class="actions">
        <button
          type="submit"
          class="button primary"
          aria-busy={isBusy || undefined}
          aria-disabled={isBusy || undefined}
        >
          {say('logInTitle')}
        </button>
      </div>
    </form>
  )
}
