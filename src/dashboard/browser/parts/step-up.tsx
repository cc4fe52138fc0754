// Asks for a new proof before a change that needs one.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Dialog } from '#dashboard/browser/parts/basics.tsx'
import { WaysIn } from '#dashboard/browser/parts/ways-in.tsx'
import { useWords } from '#dashboard/browser/say.tsx'
import { StepUp } from '#dashboard/browser/step-up.ts'

export function StepUpProvider({ children }: { children: ComponentChildren }) {
  const { say } = useWords()
  const [answer, setAnswer] = useState<{ give(isProven: boolean): void } | null>(null)
  const proveAgain = () =>
    new Promise<boolean>((resolve) =>
      setAnswer({
        give(isProven) {
          setAnswer(null)
          resolve(isProven)
        },
      }),
    )
  return (
    <StepUp.Provider value={proveAgain}>
      {children}
      {answer !== null && (
        <Dialog title={say('proveTitle')} onClose={() => answer.give(false)}>
          <p>{say('proveText')}</p>
          <WaysIn purpose={{ kind: 'prove' }} onDone={() => answer.give(true)} />
          <Button onPress={() => answer.give(false)}>{say('cancel')}</Button>
        </Dialog>
      )}
    </StepUp.Provider>
  )
}
